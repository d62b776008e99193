/* Decisions of libraries as rows: the first one that holds is what the library does. */
#include "selection/library_defaults.h"

#include <string.h>

#include "selection/library_defaults_rules.h"

#define ANY BLOCK, SIZE_MAX

/* clang-format off */

/* The decisions built into libmpich.so of MPICH 4.0.2 and 4.2.1, compared with the messages that they
 * start (tests/libraries/library_defaults.c): both do the same. Counts of elements are taken as those
 * of 8 bytes each. The nearest of the repository stands for a reduce that handles n that are no power
 * of two in its own way, for an allgatherv that sends longer blocks in pieces of 32 KB, and for scans
 * in which both of a pair send. Of scan and exscan the library's own table says what it does.
 *
 * On several hosts with several processes it goes in two levels in bcast, reduce, allreduce and
 * barrier (MPIR_CVAR_NUM_CLIQUES played the hosts). Of hosts with different numbers of processes
 * the first counts. */
static const usual_rule mpich[] = {
    {"bcast",          "hosts",              HOSTS | FEW,           ANY, 0},
    {"bcast",          "hosts",              HOSTS,                 BLOCK, 12287, 0},
    {"bcast",          "hosts",              HOSTS | POWER_OF_2,    BLOCK, 12288, 0},
    {"bcast",          "hosts:inner=scatter-doubling", HOSTS | POWER_OF_2 | FEW_HOSTS | WIDE_POWER, BLOCK, 524287, 0},
    {"bcast",          "hosts:inner=scatter-ring",     HOSTS | POWER_OF_2 | FEW_HOSTS | WIDE,       BLOCK, 524287, 0},
    {"bcast",          "hosts",                        HOSTS | POWER_OF_2 | FEW_HOSTS,              BLOCK, 524287, 0},
    {"bcast",          "hosts:inner=scatter-doubling:outer=scatter-doubling", HOSTS | POWER_OF_2 | WIDE_POWER, BLOCK, 524287, 0},
    {"bcast",          "hosts:inner=scatter-ring:outer=scatter-doubling",     HOSTS | POWER_OF_2 | WIDE,       BLOCK, 524287, 0},
    {"bcast",          "hosts:outer=scatter-doubling", HOSTS | POWER_OF_2,  BLOCK, 524287, 0},
    {"reduce",         "hosts",              HOSTS | COMMUTES,      BLOCK, 2048, 0},
    {"reduce",         "hosts:inner=rabenseifner-near:outer=rabenseifner-near", HOSTS | COMMUTES, ANY, 0},
    {"allreduce",      "hosts",              HOSTS | COMMUTES,      SHARE_OF_HOST, 7, 0},
    {"allreduce",      "hosts:outer=rabenseifner-folded", HOSTS | COMMUTES, BLOCK, 2048, 0},
    {"allreduce",      "hosts:inner=rabenseifner-near:outer=rabenseifner-folded", HOSTS | COMMUTES, BLOCK, 12288, 0},
    {"allreduce",      "hosts-long",         HOSTS | COMMUTES | WIDE_POWER, BLOCK, 524288, 0},
    {"allreduce",      "hosts-long:inner=scatter-ring", HOSTS | COMMUTES | WIDE, ANY, 0},
    {"allreduce",      "hosts:inner=rabenseifner-near:outer=rabenseifner-folded", HOSTS | COMMUTES, ANY, 0},
    {"barrier",        "hosts-barrier",      HOSTS,                 ANY, 0},
    {"bcast",          "binomial",           FEW,                   ANY, 0},
    {"bcast",          "binomial",           0,                     BLOCK, 12288, 0},
    {"bcast",          "scatter-doubling",   POWER_OF_2,            BLOCK, 524288, 0},
    {"bcast",          "scatter-ring",       0,                     ANY, 0},
    {"scatter",        "binomial",           0,                     ANY, 0},
    {"scatterv",       "star",               0,                     ANY, 0},
    {"gather",         "binomial",           0,                     ANY, 0},
    {"gatherv",        "star",               0,                     ANY, 0},
    {"reduce",         "binomial",           0,                     BLOCK, 2048, 0},
    {"reduce",         "rabenseifner-near",  COMMUTES | POWER_OF_2, ANY, 0},
    {"reduce",         "rabenseifner",       COMMUTES,              ANY, 0},
    {"reduce",         "binomial",           0,                     ANY, 0},
    {"reduce_scatter", "halving",            COMMUTES,              ALL, 524287, 0},
    {"reduce_scatter", "pairwise",           COMMUTES,              ANY, 0},
    {"allgather",      "recursive-doubling", POWER_OF_2,            ALL, 524287, 0},
    {"allgather",      "bruck",              0,                     ALL, 81919, 0},
    {"allgather",      "logical-ring",       0,                     ANY, 0},
    {"allgatherv",     "recursive-doubling", POWER_OF_2,            ALL, 524287, 0},
    {"allgatherv",     "bruck",              0,                     ALL, 81919, 0},
    {"allgatherv",     "logical-ring",       0,                     ANY, 0},
    {"alltoall",       "spreading-simple",   0,                     BLOCK, 32768, 9},
    {"alltoall",       "bruck",              0,                     BLOCK, 256, 0},
    {"alltoall",       "spreading-simple",   0,                     BLOCK, 32768, 0},
    {"alltoall",       "pair",               POWER_OF_2,            ANY, 0},
    {"alltoall",       "ring",               0,                     ANY, 0},
    {"alltoallv",      "spreading-simple",   0,                     ANY, 0},
    {"alltoallw",      "spreading-simple",   0,                     ANY, 0},
    {"allreduce",      "recursive-doubling", 0,                     SHARE, 7, 0},
    {"allreduce",      "rabenseifner-folded", COMMUTES,             ANY, 0},
    {"allreduce",      "recursive-doubling", 0,                     ANY, 0},
    {"scan",           "hosts",              HOSTS | IN_ROWS,       ANY, 0},
    {"scan",           "doubling",           0,                     ANY, 0},
    {"exscan",         "doubling",           0,                     ANY, 0},
    {"barrier",        "dissemination-bcast", ONE_HOST,             ANY, 0},
    {"barrier",        "dissemination",      0,                     ANY, 0},
    {"neighbor_allgather", "direct",         0,                     ANY, 0},
    {"neighbor_allgatherv", "direct",        0,                     ANY, 0},
    {"neighbor_alltoall", "direct",          0,                     ANY, 0},
    {"neighbor_alltoallv", "direct",         0,                     ANY, 0},
    {"neighbor_alltoallw", "direct",         0,                     ANY, 0},
    {0},
};

/* What libraries commonly use; all that hold may be meant. */
static const usual_rule common[] = {
    {"bcast",          "binomial",           0,                     ANY, 0},
    {"bcast",          "scatter-doubling",   POWER_OF_2,            ANY, 0},
    {"bcast",          "scatter-ring",       0,                     ANY, 0},
    {"scatter",        "linear",             0,                     ANY, 0},
    {"scatter",        "binomial",           0,                     ANY, 0},
    {"scatterv",       "linear",             0,                     ANY, 0},
    {"gather",         "linear",             0,                     ANY, 0},
    {"gather",         "binomial",           0,                     ANY, 0},
    {"gatherv",        "linear",             0,                     ANY, 0},
    {"reduce",         "linear",             0,                     ANY, 0},
    {"reduce",         "binomial",           0,                     ANY, 0},
    {"reduce",         "rabenseifner",       COMMUTES,              ANY, 0},
    {"reduce_scatter", "halving",            COMMUTES,              ANY, 0},
    {"reduce_scatter", "pairwise",           COMMUTES,              ANY, 0},
    {"reduce_scatter", "ring",               COMMUTES,              ANY, 0},
    {"allgather",      "recursive-doubling", POWER_OF_2,            ANY, 0},
    {"allgather",      "bruck",              0,                     ANY, 0},
    {"allgather",      "logical-ring",       0,                     ANY, 0},
    {"allgatherv",     "bruck",              0,                     ANY, 0},
    {"allgatherv",     "logical-ring",       0,                     ANY, 0},
    {"alltoall",       "bruck",              0,                     ANY, 0},
    {"alltoall",       "spreading-simple",   0,                     ANY, 0},
    {"alltoall",       "pair",               POWER_OF_2,            ANY, 0},
    {"alltoall",       "ring",               0,                     ANY, 0},
    {"alltoallv",      "spreading-simple",   0,                     ANY, 0},
    {"alltoallv",      "ring",               0,                     ANY, 0},
    {"alltoallw",      "spreading-simple",   0,                     ANY, 0},
    {"allreduce",      "recursive-doubling", 0,                     ANY, 0},
    {"allreduce",      "reduce-bcast",       0,                     ANY, 0},
    {"allreduce",      "rab1-doubling",      COMMUTES | POWER_OF_2, ANY, 0},
    {"allreduce",      "rab1-bruck",         COMMUTES,              ANY, 0},
    {"allreduce",      "logical-ring",       COMMUTES,              ANY, 0},
    {"scan",           "doubling",           0,                     ANY, 0},
    {"scan",           "chain",              0,                     ANY, 0},
    {"exscan",         "doubling",           0,                     ANY, 0},
    {"exscan",         "chain",              0,                     ANY, 0},
    {"barrier",        "dissemination",      0,                     ANY, 0},
    {"barrier",        "recursive-doubling", 0,                     ANY, 0},
    {"neighbor_allgather", "direct",         0,                     ANY, 0},
    {"neighbor_allgatherv", "direct",        0,                     ANY, 0},
    {"neighbor_alltoall", "direct",          0,                     ANY, 0},
    {"neighbor_alltoallv", "direct",         0,                     ANY, 0},
    {"neighbor_alltoallw", "direct",         0,                     ANY, 0},
    {0},
};
/* clang-format on */

static int largest_power_of_2(int n)
{
    int power = 1;
    while (power <= n / 2)
        power *= 2;
    return power;
}

static double measured(const usual_rule *x, const cpm_request *r)
{
    double bytes = (double)r->bytes;
    switch (x->what) {
    case ALL:
        return bytes * r->n;
    case SHARE:
        return bytes / largest_power_of_2(r->n);
    case SHARE_OF_HOST:
        return bytes / largest_power_of_2(r->hosts->count);
    case BLOCK:
        break;
    }
    return bytes;
}

static bool is_power_of_2(int n)
{
    return (n & (n - 1)) == 0;
}

static int processes_of_first(const cpm_hosts *h)
{
    int each = 0;
    for (int i = 0; i < h->n; i++)
        each += h->of[i] == 0;
    return each;
}

static bool fits_hosts(unsigned needs, const cpm_hosts *h)
{
    if (needs & ONE_HOST)
        return h && h->count == 1 && h->n > 1;
    if (!(needs & HOSTS))
        return true;
    if (!cpm_hosts_have_levels(h) || (needs & IN_ROWS && !cpm_hosts_are_in_rows(h)))
        return false;
    int each = needs & (WIDE | WIDE_POWER) ? processes_of_first(h) : 0;
    return !(needs & FEW_HOSTS && h->count >= 8) && !(needs & WIDE && each < 8) &&
           !(needs & WIDE_POWER && (each < 8 || !is_power_of_2(each)));
}

static bool holds(const usual_rule *x, const cpm_request *r)
{
    return strcmp(x->operation, r->operation->name) == 0 && !(x->needs & COMMUTES && r->ordered) &&
           !(x->needs & FEW && r->n >= 8) && !(x->below && r->n >= x->below) &&
           !(x->needs & EVEN && r->n % 2) && !(x->needs & POWER_OF_2 && !is_power_of_2(r->n)) &&
           fits_hosts(x->needs, r->hosts) && measured(x, r) < (double)x->up_to + 1;
}

static const usual_rule *rules_of(cpm_library library)
{
    if (library == CPM_LIBRARY_MPICH)
        return mpich;
    bool openmpi = library == CPM_LIBRARY_OPENMPI || library == CPM_LIBRARY_OPENMPI5;
    return openmpi ? cpm_library_default_openmpi : common;
}

int cpm_library_default(cpm_library library, const cpm_request *r,
                        cpm_collective out[CPM_MOST_USUAL])
{
    if (library == CPM_LIBRARY_OPENMPI5 && cpm_library_default_by_levels(r, &out[0]))
        return 1;
    const usual_rule *x = rules_of(library);
    int count = 0, most = x == common ? CPM_MOST_USUAL : 1;
    for (; x->operation && count < most; x++) {
        if (!holds(x, r))
            continue;
        if (!x->algorithm)
            return count;
        if (!cpm_collective_parse_algorithm(r->operation, x->algorithm, &out[count], NULL))
            count++;
    }
    return count;
}
