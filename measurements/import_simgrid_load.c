/* SimGrid's load test: calls of several processes at once, first all of rank 0, then of rank 1 ...
 *
 *   0,MPI_Alltoall,4000000,4335.333000,2.081380e+02    rank, call, bytes, when it began,
 * milliseconds
 *
 * Each phase has two processes more and as many calls: MPI_Alltoall of ranks 0 to 2k - 1, or of k
 * pairs of rank p and rank p + half of all. MPI_Sendrecv goes both ways between a pair; MPI_Send
 * goes from the first to the second, whose rows say MPI_Send, too. So the calls that processes made
 * last are the same ones, however many they made before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/vector.h"
#include "measurements/import_reader.h"

enum { FIELDS = 5 };

static const char row_expected[] =
    "a rank, a call, bytes, when it began and milliseconds, with commas";

typedef struct {
    int rank;
    double seconds;
} timed_call;

typedef struct {
    cpm_import_reader *r;
    timed_call *at; /* by rank, then in the order of calls */
    int count;
    char name[24]; /* of the call that all made */
    size_t bytes;
    bool pairs;     /* it is none of a collective */
    int n;          /* processes; as many phases as half of them */
    int each;       /* calls of a phase */
    const int *end; /* of a rank: where its calls end */
} load_test;

static int add_call(load_test *t, char *line)
{
    char *field[FIELDS];
    double seconds;
    size_t rank, bytes;
    if (cpm_import_fields(line, field, FIELDS) != FIELDS || strncmp(field[1], "MPI_", 4) != 0)
        return CPM_OK; /* text */
    if (!cpm_import_bytes(field[0], &rank) || rank >= CPM_MOST_PROCESSES ||
        !cpm_import_bytes(field[2], &bytes) || !cpm_import_seconds(field[4], 1e-3, &seconds))
        return cpm_import_wrong(t->r, row_expected);
    if (!t->count) {
        snprintf(t->name, sizeof t->name, "%s", field[1]);
        t->bytes = bytes;
    }
    if (strcmp(t->name, field[1]) != 0 || bytes != t->bytes)
        return cpm_lines_wrong(&t->r->lines, "expected %s of %zu bytes as before, found '%s'",
                               t->name, t->bytes, t->r->shown);
    int next = t->count ? t->at[t->count - 1].rank : -1;
    if ((int)rank != next && (int)rank != next + 1)
        return cpm_lines_wrong(&t->r->lines, "expected a call of rank %d or %d, found '%s'",
                               next < 0 ? 0 : next, next + 1, t->r->shown);
    if (!cpm_vector_extend(&t->at, t->count, sizeof *t->at))
        return cpm_no_memory(t->r->lines.e);
    t->at[t->count++] = (timed_call){(int)rank, seconds};
    return CPM_OK;
}

/* ---- who made which calls */

static int calls_of(const load_test *t, int rank)
{
    return t->end[rank] - (rank ? t->end[rank - 1] : 0);
}

/* The phase in which a rank is there for the first time. */
static int joins(const load_test *t, int rank)
{
    return t->pairs ? rank % (t->n / 2) : rank / 2;
}

static bool joins_as_expected(const load_test *t)
{
    for (int rank = 0; rank < t->n; rank++)
        if (calls_of(t, rank) != t->each * (t->n / 2 - joins(t, rank)))
            return false;
    return t->n % 2 == 0;
}

/* The q-th call from the end of the slower one of two processes. */
static double slower(const load_test *t, int q, int a, int b)
{
    double first = t->at[t->end[a] - 1 - q].seconds, second = t->at[t->end[b] - 1 - q].seconds;
    return first > second ? first : second;
}

/* ---- what they become */

static int add_collectives(load_test *t)
{
    int status = CPM_OK;
    for (int q = 0; q < calls_of(t, 0) && !status; q++) {
        double seconds = 0;
        t->r->processes = t->n - q / t->each * 2;
        for (int rank = 0; rank < t->r->processes; rank += 2) {
            double two = slower(t, q, rank, rank + 1);
            seconds = two > seconds ? two : seconds;
        }
        status = cpm_import_collective(t->r, NULL, t->bytes, seconds, 1, CPM_IMPORT_MAX);
    }
    return status;
}

/* Of the last phase, in which all pairs are there. */
static int add_pairs(load_test *t)
{
    int half = t->n / 2, status = CPM_OK;
    bool both = strcmp(t->name, "MPI_Sendrecv") == 0;
    for (int q = 0; q < t->each && !status; q++)
        for (int p = 0; p < half && !status; p++) {
            int kind = both ? CPM_CROWDED_EXCHANGE : half > 1 ? CPM_CROWDED_BURST : CPM_SATURATION;
            size_t reply = both ? t->bytes : half > 1 ? 8 : 0;
            cpm_experiment what = cpm_experiment_pair(kind, p, p + half, t->bytes, reply);
            what.count = 1;
            status = cpm_import_add(t->r, &what, slower(t, q, p, p + half), 1);
        }
    if (!status && half > 1)
        status = cpm_metadata_append(t->r->rows->metadata, t->r->lines.e, "caution",
                                     "Messages of fewer than %d pairs at once are left out.", half);
    return status;
}

static int add_test(load_test *t)
{
    t->r->operation = cpm_import_operation(t->name);
    t->pairs = !t->r->operation;
    if (t->pairs && strcmp(t->name, "MPI_Sendrecv") != 0 && strcmp(t->name, "MPI_Send") != 0) {
        cpm_import_leave_out(t->r, t->name);
        return CPM_OK;
    }
    t->each = calls_of(t, t->n - 1);
    if (joins_as_expected(t))
        return t->pairs ? add_pairs(t) : add_collectives(t);
    if (t->pairs && t->n % 4 == 0 && calls_of(t, 0) == calls_of(t, 1))
        cpm_import_leave_out(t->r, "messages to one process and from another");
    else
        return cpm_lines_wrong(&t->r->lines,
                               "expected as many calls of each phase, found %d of rank 0 and %d "
                               "of rank %d, the last one: the file is not whole",
                               calls_of(t, 0), t->each, t->n - 1);
    return CPM_OK;
}

static int find_ranks(load_test *t)
{
    t->n = t->at[t->count - 1].rank + 1;
    int *end = calloc((size_t)t->n, sizeof *end);
    if (!end)
        return cpm_no_memory(t->r->lines.e);
    for (int k = 0; k < t->count; k++)
        end[t->at[k].rank] = k + 1;
    t->end = end;
    int status = add_test(t);
    free(end);
    return status;
}

int cpm_import_simgrid_load(cpm_import_reader *r, char *line)
{
    load_test t = {.r = r};
    int status = r->named ? cpm_lines_wrong(&r->lines,
                                            "expected calls of processes %d and %d, "
                                            "found calls of several at once: name the "
                                            "file without its pair",
                                            r->i, r->j)
                          : CPM_OK;
    while (line && !status) {
        status = add_call(&t, line);
        line = status ? NULL : cpm_lines_next(&r->lines, &status);
        line = line ? cpm_import_plain(r, line) : NULL;
        snprintf(r->shown, sizeof r->shown, "%s", line ? line : "");
    }
    if (!status)
        status = find_ranks(&t);
    free(t.at);
    return status;
}
