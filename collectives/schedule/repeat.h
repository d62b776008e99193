/* A schedule done several times over. */
#ifndef CPM_COLLECTIVES_SCHEDULE_REPEAT_H
#define CPM_COLLECTIVES_SCHEDULE_REPEAT_H

#include "collectives/schedule/schedule.h"

/* once, times times (at least 1): a rank begins anew as soon as it has finished, whatever the
 * others do, as in a loop of calls. Its positions are those of once, which is borrowed and must
 * outlive *out; the caller frees that with cpm_schedule_free. CPM_ENOMEM. */
int cpm_schedule_repeat(const cpm_schedule *once, int times, cpm_schedule **out, cpm_error *e);

#endif
