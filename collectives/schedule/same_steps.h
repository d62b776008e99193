/* Algorithms that do the same under two names. */
#ifndef CPM_COLLECTIVES_SCHEDULE_SAME_STEPS_H
#define CPM_COLLECTIVES_SCHEDULE_SAME_STEPS_H

#include "collectives/schedule/schedule.h"

/* Whether two schedules are the same, step by step, at all ranks. Costs as much as making the steps
 * of the ranks before the first that differs. CPM_ENOMEM. */
int cpm_schedules_equal(const cpm_schedule *a, const cpm_schedule *b, bool *out, cpm_error *e);

#endif
