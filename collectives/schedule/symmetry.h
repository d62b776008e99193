/* Ranks that do the same: the symmetries of a schedule. */
#ifndef CPM_SCHEDULE_SYMMETRY_H
#define CPM_SCHEDULE_SYMMETRY_H

#include "collectives/schedule/schedule.h"

typedef enum {
    CPM_SHIFTS, /* rank r becomes r + g mod n */
    CPM_TWISTS, /* r xor g, where n and the period are powers of two */
} cpm_moves;

/* All moves by multiples g of the period, which divides n. Every rank is moved to exactly one of
 * those below the period, its like. */
typedef struct {
    cpm_moves by;
    int period;
} cpm_symmetry;

/* Where rank comes to by the move that takes from to its like. */
static inline int cpm_symmetry_move(const cpm_symmetry *y, int n, int from, int rank)
{
    int g = from - from % y->period;
    if (y->by == CPM_TWISTS)
        return rank ^ g;
    return rank >= g ? rank - g : rank - g + n;
}

/* Whether each rank has the same steps as its like with all ranks moved: the same kinds, rounds and
 * bytes. Blocks may have other names, so that a schedule that is wrong may be symmetric. Costs as
 * much as making all steps. CPM_ENOMEM. */
int cpm_schedule_is_symmetric(const cpm_schedule *s, const cpm_block_sizes *sizes,
                              const cpm_symmetry *y, bool *out, cpm_error *e);

#endif
