/* Open MPI's algorithms do not always do what they are called: they look at the number of processes
 * and at sizes and go on to another one. Seen in its own messages
 * (tests/libraries/library_defaults.c). */
#include "libraries/openmpi_rule.h"

#include <ctype.h>
#include <string.h>

#include "base/numbers.h"

/* ---- names ---- */

static const struct {
    const char *collective; /* by its number (ompi/mca/coll/base/coll_base_functions.h) */
    const char *algorithm[10];
} named[] = {
    {"allgather",
     {"ignore", "linear", "bruck-k-fanout", "recursive_doubling", "ring", "neighbor", "two_proc",
      "sparbit", "direct-messaging"}},
    {"allgatherv", {"ignore", "default", "bruck", "ring", "neighbor", "two_proc", "sparbit"}},
    {"allreduce",
     {"ignore", "basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring",
      "rabenseifner", "allgather_reduce"}},
    {"alltoall", {"ignore", "linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"}},
    {"alltoallv", {"ignore", "basic_linear", "pairwise"}},
    {"alltoallw", {NULL}},
    {"barrier",
     {"ignore", "linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"}},
    {"bcast",
     {"ignore", "basic_linear", "chain", "pipeline", "split_binary_tree", "binary_tree", "binomial",
      "knomial", "scatter_allgather", "scatter_allgather_ring"}},
    {"exscan", {"ignore", "linear", "recursive_doubling"}},
    {"gather", {"ignore", "basic_linear", "binomial", "linear_sync"}},
    {"gatherv", {NULL}},
    {"reduce",
     {"ignore", "linear", "chain", "pipeline", "binary", "binomial", "in-order_binary",
      "rabenseifner", "knomial"}},
    {"reduce_scatter", {"ignore", "non-overlapping", "recursive_halving", "ring", "butterfly"}},
    {"reduce_scatter_block",
     {"ignore", "basic_linear", "recursive_doubling", "recursive_halving", "butterfly"}},
    {"scan", {"ignore", "linear", "recursive_doubling"}},
    {"scatter", {"ignore", "basic_linear", "binomial", "linear_nb"}},
    {"scatterv", {NULL}},
    {"neighbor_allgather", {NULL}},
    {"neighbor_allgatherv", {NULL}},
    {"neighbor_alltoall", {NULL}},
    {"neighbor_alltoallv", {NULL}},
    {"neighbor_alltoallw", {NULL}},
};
enum {
    COLLECTIVES = sizeof named / sizeof *named,
    MOST_ALGORITHMS = sizeof named->algorithm / sizeof *named->algorithm
};

const char *cpm_openmpi_collective_named(long id)
{
    return id >= 0 && id < COLLECTIVES ? named[id].collective : NULL;
}

const cpm_openmpi_collective *cpm_openmpi_collective_find(long id)
{
    for (const cpm_openmpi_collective *c = cpm_openmpi_collectives; c->name; c++)
        if (c->id == id)
            return c;
    return NULL;
}

const char *cpm_openmpi_algorithm_named(const char *collective, long algorithm)
{
    int id = 0;
    while (id < COLLECTIVES && strcmp(named[id].collective, collective) != 0)
        id++;
    return id < COLLECTIVES && algorithm >= 0 && algorithm < MOST_ALGORITHMS
               ? named[id].algorithm[algorithm]
               : NULL;
}

long cpm_openmpi_algorithm_find(const char *collective, const char *name)
{
    const char *theirs;
    if (strcmp(collective, "allgather") == 0 && strcmp(name, "bruck") == 0)
        return 2; /* as 4.1 called it */
    for (long k = 0; (theirs = cpm_openmpi_algorithm_named(collective, k)); k++)
        if (strcmp(theirs, name) == 0)
            return k;
    return -1;
}

/* ---- algorithms that are CPM's, too ---- */

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
    return cpm_has_power_of_two(r->least_processes, r->most_processes);
}

static bool has_other(const cpm_openmpi_rule *r)
{
    return cpm_has_other_than_power_of_two(r->least_processes, r->most_processes);
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

/* ---- two processes ---- */

/* What the exchange of two is here, NULL: the algorithm is for more, too. */
static const char *pair_of(const cpm_openmpi_rule *r)
{
    const char *name = cpm_openmpi_algorithm_named(r->collective->name, r->algorithm);
    if (!name || strcmp(name, "two_proc") != 0)
        return NULL;
    return strcmp(r->collective->name, "alltoall") == 0 ? "ring" : "recursive-doubling";
}

/* Calls of others fail. */
static const char *put_pair(const cpm_openmpi_rule *r, const char *algorithm, FILE *out)
{
    bool two = r->least_processes <= 2 && r->most_processes >= 2;
    bool others = r->least_processes != 2 || r->most_processes != 2, both = two && others;
    const char *name = r->collective->name;
    fputs(both ? "if processes = 2\n" : "", out);
    if (two)
        fprintf(out, "%s:%s\n", name, algorithm);
    fputs(both ? "else\n" : "", out);
    if (others)
        fprintf(out, "%s:native\n", name);
    fputs(both ? "end\n" : "", out);
    return others ? "is for 2 processes, and fails for others: these are left to the library"
                  : NULL;
}

/* ---- what has no counterpart ---- */

/* Why; NULL: nothing has to be said. */
static const char *is_missing(const cpm_openmpi_rule *r, const cpm_their_algorithm *t)
{
    if (!r->algorithm)
        return NULL;
    if (!cpm_openmpi_algorithm_named(r->collective->name, r->algorithm))
        return "does not exist, so that calls fail there: left to the library";
    if (is(r, "gather", 3) && t)
        return "with a first part is not known here: left to the library";
    if (is(r, "allgather", 2))
        return "with a radix above 2 is not known here: left to the library";
    return "is not known here: left to the library";
}

bool cpm_openmpi_rule_cuts(const cpm_openmpi_rule *r)
{
    const cpm_their_algorithm *t = find(r);
    return t && t->properties & CPM_THEIRS_TAKES_SEGMENT;
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
    const bool radix = is(r, "allgather", 2) && r->radix && r->fan > 2;
    if (pair_of(r))
        return put_pair(r, pair_of(r), out);
    if (!t || parts || radix) {
        fprintf(out, "%s:native\n", r->collective->name);
        return is_missing(r, t);
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

/* ---- algorithms that are asked for by number ---- */

/* Letters and digits only: "split binary tree" is "split_binary_tree". */
static void squeeze(const char *text, char *to, size_t size)
{
    size_t used = 0;
    for (; *text && used + 1 < size; text++)
        if (isalnum((unsigned char)*text))
            to[used++] = (char)tolower((unsigned char)*text);
    to[used] = '\0';
}

/* Words are added and left out: "binomial tree" is "binomial", "basic linear" is "linear". */
static bool is_called(const char *theirs, const char *name)
{
    char a[80], b[80];
    squeeze(theirs, a, sizeof a);
    squeeze(name, b, sizeof b);
    return *b && (strstr(a, b) || strstr(b, a));
}

/* The one that Open MPI runs where neither fan nor segments are set: chains are four. */
bool cpm_openmpi_algorithm_ours(const char *operation, long number, const char *name, int n,
                                size_t bytes, char *ours, size_t size)
{
    enum { FAN = 4, PIPELINE = 3, SPLIT_BINARY = 4 };
    const char *theirs = cpm_openmpi_algorithm_named(operation, number);
    const cpm_openmpi_collective *c = cpm_openmpi_collectives;
    char line[CPM_COLLECTIVE_NAME + 2] = "";
    while (c->name && strcmp(c->name, operation) != 0)
        c++;
    if (!theirs || !c->name || !is_called(theirs, name))
        return false;
    cpm_openmpi_rule r = {.collective = c,
                          .algorithm = number,
                          .fan = FAN,
                          .least_processes = n,
                          .most_processes = n,
                          .least_bytes = (long)bytes,
                          .most_bytes = (long)bytes};
    if (is(&r, "bcast", SPLIT_BINARY) && bytes < 2) /* a byte has no halves */
        r.algorithm = PIPELINE;
    FILE *out = fmemopen(line, sizeof line, "w");
    if (!out)
        return false;
    const char *left = cpm_openmpi_rule_put(&r, out);
    fclose(out);
    line[strcspn(line, "\n")] = '\0';
    snprintf(ours, size, "%s", line);
    const char *own = strchr(line, ':');
    return !left && own && (number == 0 || strcmp(own, ":native") != 0);
}
