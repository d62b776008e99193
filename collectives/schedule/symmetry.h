/* Ranks that do the same: the symmetries of a schedule. */
#ifndef CPM_COLLECTIVES_SCHEDULE_SYMMETRY_H
#define CPM_COLLECTIVES_SCHEDULE_SYMMETRY_H

#include "collectives/schedule/schedule.h"

/* Where rank comes to by the move that takes from to its like. */
static inline int cpm_symmetry_move(const cpm_symmetry *y, int n, int from, int rank)
{
    int g = from - from % y->period;
    if (y->by == CPM_TWISTS)
        return rank ^ g;
    return rank >= g ? rank - g : rank - g + n;
}

/* Where rank comes to by the move that takes the like of to there. */
static inline int cpm_symmetry_back(const cpm_symmetry *y, int n, int to, int rank)
{
    int g = to - to % y->period;
    if (y->by == CPM_TWISTS)
        return rank ^ g;
    return rank < n - g ? rank + g : rank - (n - g);
}

/* What its family says of a schedule whose units are as long as each other. */
bool cpm_schedule_says_symmetric(const cpm_schedule *s, const cpm_block_sizes *sizes,
                                 const cpm_symmetry *y);

/* Whether each rank has the same steps as its like with all ranks moved: the same kinds, rounds and
 * bytes. Blocks may have other names, so that a schedule that is wrong may be symmetric. Costs as
 * much as making all steps, unless its family says so for units that are as long as each other.
 * CPM_ENOMEM. */
int cpm_schedule_is_symmetric(const cpm_schedule *s, const cpm_block_sizes *sizes,
                              const cpm_symmetry *y, bool *out, cpm_error *e);

/* The same by comparing steps, whatever its family says. */
int cpm_schedule_compare_likes(const cpm_schedule *s, const cpm_block_sizes *sizes,
                               const cpm_symmetry *y, bool *out, cpm_error *e);

#endif
