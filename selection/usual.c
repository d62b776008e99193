/* Decisions of libraries as rows: the first one that holds is what the library does. */
#include "selection/usual.h"

#include <string.h>

/* What is compared: the bytes of a block, of all processes' blocks, or a block's per process or per
 * host, of which the largest power of 2 counts: these share a reduction. */
typedef enum { BLOCK, ALL, SHARE, SHARE_OF_HOST } measure;

enum {
    COMMUTES = 1,
    POWER_OF_2 = 2,
    FEW = 4,   /* processes: less than 8 */
    HOSTS = 8, /* with several processes on one of several */
    FEW_HOSTS = 16,
    WIDE = 32,      /* hosts: 8 processes each */
    WIDE_POWER = 64 /* and a power of 2 */
};

typedef struct {
    const char *operation, *algorithm;
    unsigned needs;
    measure what;
    size_t up_to; /* bytes */
} rule;

#define ANY BLOCK, SIZE_MAX

/* clang-format off */

/* The decisions built into libmpich.so of MPICH 4.0.2. Its counts of elements are taken as those of
 * 8 bytes each; where its algorithm handles n that are no power of two in its own way, the nearest
 * of the repository stands for it.
 *
 * On several hosts with several processes it goes in two levels (seen by the messages that each
 * process sends where MPIR_CVAR_NUM_CLIQUES plays the hosts: tests/libraries/usual.c), in bcast,
 * reduce, allreduce and barrier. Of hosts with different numbers of processes the first counts. */
static const rule mpich[] = {
    {"bcast",          "hosts",              HOSTS | FEW,           ANY},
    {"bcast",          "hosts",              HOSTS,                 BLOCK, 12288},
    {"bcast",          "hosts:inner=scatter-doubling", HOSTS | POWER_OF_2 | FEW_HOSTS | WIDE_POWER, BLOCK, 524287},
    {"bcast",          "hosts:inner=scatter-ring",     HOSTS | POWER_OF_2 | FEW_HOSTS | WIDE,       BLOCK, 524287},
    {"bcast",          "hosts",                        HOSTS | POWER_OF_2 | FEW_HOSTS,              BLOCK, 524287},
    {"bcast",          "hosts:inner=scatter-doubling:outer=scatter-doubling", HOSTS | POWER_OF_2 | WIDE_POWER, BLOCK, 524287},
    {"bcast",          "hosts:inner=scatter-ring:outer=scatter-doubling",     HOSTS | POWER_OF_2 | WIDE,       BLOCK, 524287},
    {"bcast",          "hosts:outer=scatter-doubling", HOSTS | POWER_OF_2,  BLOCK, 524287},
    {"reduce",         "hosts",              HOSTS | COMMUTES,      BLOCK, 2048},
    {"reduce",         "hosts:inner=rabenseifner:outer=rabenseifner", HOSTS | COMMUTES, ANY},
    {"allreduce",      "hosts",              HOSTS | COMMUTES,      SHARE_OF_HOST, 7},
    {"allreduce",      "hosts:outer=rab1-doubling", HOSTS | COMMUTES, BLOCK, 2048},
    {"allreduce",      "hosts:inner=rabenseifner:outer=rab1-doubling", HOSTS | COMMUTES, BLOCK, 12288},
    {"allreduce",      "hosts-long",         HOSTS | COMMUTES | WIDE_POWER, BLOCK, 524288},
    {"allreduce",      "hosts-long:inner=scatter-ring", HOSTS | COMMUTES | WIDE, ANY},
    {"allreduce",      "hosts:inner=rabenseifner:outer=rab1-doubling", HOSTS | COMMUTES, ANY},
    {"barrier",        "hosts-barrier",      HOSTS,                 ANY},
    {"bcast",          "binomial",           FEW,                   ANY},
    {"bcast",          "binomial",           0,                     BLOCK, 12288},
    {"bcast",          "scatter-doubling",   POWER_OF_2,            BLOCK, 524288},
    {"bcast",          "scatter-ring",       0,                     ANY},
    {"scatter",        "binomial",           0,                     ANY},
    {"scatterv",       "linear",             0,                     ANY},
    {"gather",         "binomial",           0,                     ANY},
    {"gatherv",        "linear",             0,                     ANY},
    {"reduce",         "binomial",           0,                     BLOCK, 2048},
    {"reduce",         "rabenseifner",       COMMUTES,              ANY},
    {"reduce",         "binomial",           0,                     ANY},
    {"reduce_scatter", "halving",            COMMUTES,              ALL, 524287},
    {"reduce_scatter", "pairwise",           COMMUTES,              ANY},
    {"allgather",      "recursive-doubling", POWER_OF_2,            ALL, 524287},
    {"allgather",      "bruck",              0,                     ALL, 81919},
    {"allgather",      "logical-ring",       0,                     ANY},
    {"allgatherv",     "recursive-doubling", POWER_OF_2,            ALL, 524287},
    {"allgatherv",     "bruck",              0,                     ALL, 81919},
    {"allgatherv",     "logical-ring",       0,                     ANY},
    {"alltoall",       "spreading-simple",   FEW,                   BLOCK, 32768},
    {"alltoall",       "bruck",              0,                     BLOCK, 256},
    {"alltoall",       "spreading-simple",   0,                     BLOCK, 32768},
    {"alltoall",       "pair",               POWER_OF_2,            ANY},
    {"alltoall",       "ring",               0,                     ANY},
    {"alltoallv",      "spreading-simple",   0,                     ANY},
    {"allreduce",      "recursive-doubling", 0,                     SHARE, 7},
    {"allreduce",      "rab1-doubling",      COMMUTES | POWER_OF_2, ANY},
    {"allreduce",      "rab1-bruck",         COMMUTES,              ANY},
    {"allreduce",      "recursive-doubling", 0,                     ANY},
    {"barrier",        "dissemination",      0,                     ANY},
    {0},
};

/* What libraries commonly use; all that hold may be meant. */
static const rule common[] = {
    {"bcast",          "binomial",           0,                     ANY},
    {"bcast",          "scatter-doubling",   POWER_OF_2,            ANY},
    {"bcast",          "scatter-ring",       0,                     ANY},
    {"scatter",        "linear",             0,                     ANY},
    {"scatter",        "binomial",           0,                     ANY},
    {"scatterv",       "linear",             0,                     ANY},
    {"gather",         "linear",             0,                     ANY},
    {"gather",         "binomial",           0,                     ANY},
    {"gatherv",        "linear",             0,                     ANY},
    {"reduce",         "linear",             0,                     ANY},
    {"reduce",         "binomial",           0,                     ANY},
    {"reduce",         "rabenseifner",       COMMUTES,              ANY},
    {"reduce_scatter", "halving",            COMMUTES,              ANY},
    {"reduce_scatter", "pairwise",           COMMUTES,              ANY},
    {"reduce_scatter", "ring",               COMMUTES,              ANY},
    {"allgather",      "recursive-doubling", POWER_OF_2,            ANY},
    {"allgather",      "bruck",              0,                     ANY},
    {"allgather",      "logical-ring",       0,                     ANY},
    {"allgatherv",     "bruck",              0,                     ANY},
    {"allgatherv",     "logical-ring",       0,                     ANY},
    {"alltoall",       "bruck",              0,                     ANY},
    {"alltoall",       "spreading-simple",   0,                     ANY},
    {"alltoall",       "pair",               POWER_OF_2,            ANY},
    {"alltoall",       "ring",               0,                     ANY},
    {"alltoallv",      "spreading-simple",   0,                     ANY},
    {"alltoallv",      "ring",               0,                     ANY},
    {"allreduce",      "recursive-doubling", 0,                     ANY},
    {"allreduce",      "reduce-bcast",       0,                     ANY},
    {"allreduce",      "rab1-doubling",      COMMUTES | POWER_OF_2, ANY},
    {"allreduce",      "rab1-bruck",         COMMUTES,              ANY},
    {"allreduce",      "logical-ring",       COMMUTES,              ANY},
    {"barrier",        "dissemination",      0,                     ANY},
    {"barrier",        "recursive-doubling", 0,                     ANY},
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

static double measured(const rule *x, const cpm_request *r)
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
    if (!(needs & HOSTS))
        return true;
    if (!cpm_hosts_have_levels(h))
        return false;
    int each = needs & (WIDE | WIDE_POWER) ? processes_of_first(h) : 0;
    return !(needs & FEW_HOSTS && h->count >= 8) && !(needs & WIDE && each < 8) &&
           !(needs & WIDE_POWER && (each < 8 || !is_power_of_2(each)));
}

static bool holds(const rule *x, const cpm_request *r)
{
    return strcmp(x->operation, r->operation->name) == 0 && !(x->needs & COMMUTES && r->ordered) &&
           !(x->needs & FEW && r->n >= 8) && !(x->needs & POWER_OF_2 && !is_power_of_2(r->n)) &&
           fits_hosts(x->needs, r->hosts) && measured(x, r) < (double)x->up_to + 1;
}

int cpm_usual(cpm_library library, const cpm_request *r, cpm_collective out[CPM_MOST_USUAL])
{
    bool known = library == CPM_LIBRARY_MPICH;
    int count = 0, most = known ? 1 : CPM_MOST_USUAL;
    for (const rule *x = known ? mpich : common; x->operation && count < most; x++)
        if (holds(x, r) &&
            !cpm_collective_parse_algorithm(r->operation, x->algorithm, &out[count], NULL))
            count++;
    return count;
}
