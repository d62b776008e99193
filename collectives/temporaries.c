#include "collectives/temporaries.h"

#include <math.h>
#include <string.h>

/* Bytes of a piece that free keeps in any case, and of one that it gives back in any case (with its
 * head it has more than 32 MiB). */
static const double kept = 128 << 10, given_back = 32 << 20;

/* Shares of all blocks of the call. */
typedef struct {
    const char *operation, *algorithm;
    double largest;  /* the longest piece of memory, */
    double together; /* all pieces: what is free at the end, */
    double touched;  /* what is written of them, by the process that writes most */
    bool in_tree; /* the root writes one less than it has children, at most; pieces but the largest
                     are as long as a segment, if there are any */
} temporary;

/* clang-format off */
static const temporary temporaries[] = {
    {"reduce",         "binomial",            1,   2,   2,   true},
    {"reduce",         "binary",              1,   2,   1,   true},
    {"reduce",         "linear-backwards",    1,   1,   1,   false},
    {"reduce",         "rabenseifner-near",   1,   2,   1.5, false},
    {"allreduce",      "recursive-doubling",  1,   1,   1,   false},
    {"allreduce",      "rabenseifner-near",   1,   1,   0.5, false},
    {"reduce_scatter", "halving",             1,   2,   1.5, false},
    {"reduce_scatter", "ring",                1,   1,   1,   false},
    {"gather",         "binomial",            0.5, 0.5, 0.5, false},
    {"scatter",        "binomial",            0.5, 0.5, 0.5, false},
    {"alltoall",       "bruck",               1,   1,   1,   false},
};
/* clang-format on */

static const temporary *find(const cpm_collective *c)
{
    for (size_t k = 0; k < sizeof temporaries / sizeof *temporaries; k++)
        if (strcmp(c->operation->name, temporaries[k].operation) == 0 &&
            strcmp(cpm_collective_algorithm(c), temporaries[k].algorithm) == 0)
            return &temporaries[k];
    return NULL;
}

double cpm_temporaries(const cpm_collective *c, double bytes)
{
    const temporary *t = c->algorithm ? find(c) : NULL;
    if (!t || c->at.n < 2)
        return 0;
    const int64_t units = c->operation->units(c->at.n, NULL);
    const double all = bytes * (double)(units < c->at.n ? units : c->at.n);
    const bool kept_apart = t->in_tree && c->with.segment > 0;
    const double largest = t->largest * all, together = (kept_apart ? 1 : t->together) * all;
    if (largest <= kept || (largest < given_back && together < 2 * largest))
        return 0;
    const double spare =
        t->in_tree ? ceil(log2(c->at.n)) - 1 : t->touched; /* a binary root: 2 - 1 */
    return (kept_apart ? 1 : fmin(spare, t->touched)) * all;
}
