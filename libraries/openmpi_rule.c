/* Open MPI's algorithms do not always do what they are called: they look at the number of processes
 * and at sizes and go on to another one. Seen in its own messages
 * (tests/libraries/library_defaults.c). */
#include "libraries/openmpi_rule.h"

#include <string.h>

static const cpm_their_algorithm *find(const cpm_openmpi_rule *r)
{
    for (const cpm_their_algorithm *t = cpm_their_algorithms; t->collective; t++)
        if (t->library == CPM_LIBRARY_OPENMPI && t->number == r->algorithm &&
            strcmp(t->collective, r->collective->name) == 0)
            return t;
    return NULL;
}

static bool is(const cpm_openmpi_rule *r, const char *collective, long algorithm)
{
    return r->algorithm == algorithm && strcmp(r->collective->name, collective) == 0;
}

/* Chains of one are one chain, also where none is asked for. */
static void print_name(const cpm_openmpi_rule *r, const cpm_their_algorithm *t,
                       const char *algorithm, char *name, size_t size)
{
    bool chains = t->properties & CPM_THEIRS_TAKES_K;
    bool cut = t->properties & CPM_THEIRS_TAKES_SEGMENT && r->segment;
    long fan = r->fan < CPM_OPENMPI_MOST_CHILDREN ? r->fan : CPM_OPENMPI_MOST_CHILDREN;
    char k[24] = "", segment[40] = "";
    if (chains && fan > 1)
        snprintf(k, sizeof k, ":k=%ld", fan);
    if (cut)
        snprintf(segment, sizeof segment, ":segment=%ld", r->segment);
    snprintf(name, size, "%s:%s%s%s", r->collective->name, chains && fan <= 1 ? "chain" : algorithm,
             k, segment);
}

static void put_algorithm(const cpm_openmpi_rule *r, const cpm_their_algorithm *t,
                          const char *algorithm, FILE *out)
{
    char name[CPM_COLLECTIVE_NAME];
    print_name(r, t, algorithm, name, sizeof name);
    fprintf(out, "%s\n", name);
}

/* ---- powers of two ---- */

static bool has_power(const cpm_openmpi_rule *r)
{
    long power = 1;
    while (power < r->least_processes)
        power *= 2;
    return power <= r->most_processes;
}

static bool has_other(const cpm_openmpi_rule *r)
{
    long powers = 0;
    for (long power = 1; power <= r->most_processes; power *= 2)
        powers += power >= r->least_processes;
    return r->most_processes - r->least_processes + 1 > powers;
}

/* Where they are none an allgather is Bruck's, and a bcast's allgather none of CPM's. */
static const char *put_by_power(const cpm_openmpi_rule *r, const cpm_their_algorithm *t, FILE *out)
{
    const char *otherwise = is(r, "allgather", 3) ? "bruck" : "native";
    bool both = has_power(r) && has_other(r);
    fputs(both ? "if power-of-two\n" : "", out);
    if (has_power(r))
        put_algorithm(r, t, t->algorithm, out);
    fputs(both ? "else\n" : "", out);
    if (has_other(r))
        put_algorithm(r, t, otherwise, out);
    fputs(both ? "end\n" : "", out);
    return has_other(r) && strcmp(otherwise, "native") == 0
               ? "is known here for powers of two only: other numbers of processes are left to the "
                 "library"
               : NULL;
}

/* ---- halves ---- */

/* Segments larger than a half: one chain. */
static void put_by_half(const cpm_openmpi_rule *r, const cpm_their_algorithm *t, FILE *out)
{
    long from = 2 * r->segment;
    bool whole = r->least_bytes < from, halves = r->most_bytes >= from, both = whole && halves;
    if (both)
        fprintf(out, "if bytes >= %ld\n", from);
    if (halves)
        put_algorithm(r, t, t->algorithm, out);
    fputs(both ? "else\n" : "", out);
    if (whole)
        put_algorithm(r, t, "chain", out);
    fputs(both ? "end\n" : "", out);
}

/* ---- pairs ---- */

/* Where the number of processes is odd they have no neighbors: a ring. CPM's rules cannot ask
 * whether it is, only for one number. */
static const char *put_by_parity(const cpm_openmpi_rule *r, const cpm_their_algorithm *t, FILE *out)
{
    const bool one = r->most_processes == r->least_processes, odd = r->least_processes % 2;
    put_algorithm(r, t, one && odd ? "logical-ring" : t->algorithm, out);
    return one ? NULL
               : "is a ring where the number of processes is odd: these are left to the library";
}

void cpm_openmpi_rule_name(const cpm_openmpi_rule *r, char *name, size_t size)
{
    const cpm_their_algorithm *t = find(r);
    if (t)
        print_name(r, t, t->algorithm, name, size);
    else
        snprintf(name, size, "%s:native", r->collective->name);
}

const char *cpm_openmpi_rule_put(const cpm_openmpi_rule *r, FILE *out)
{
    const cpm_their_algorithm *t = find(r);
    const bool parts = is(r, "gather", 3) && r->segment;
    if (!t || parts) {
        fprintf(out, "%s:native\n", r->collective->name);
        return !r->algorithm ? NULL
               : parts       ? "with a first part is not known here: left to the library"
                             : "is not known here: left to the library";
    }
    if (t->properties & CPM_THEIRS_NEEDS_POWER_OF_2)
        return put_by_power(r, t, out);
    if (is(r, "bcast", 4) && r->segment) {
        put_by_half(r, t, out);
        return NULL;
    }
    if (t->properties & CPM_THEIRS_NEEDS_EVEN)
        return put_by_parity(r, t, out);
    put_algorithm(r, t, t->algorithm, out);
    return NULL;
}
