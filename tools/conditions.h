/* What is said of the conditions under which a command measures: whether its processes have their
 * hosts' processors for themselves, and stay on them. */
#ifndef CPM_TOOLS_CONDITIONS_H
#define CPM_TOOLS_CONDITIONS_H

#include "mpib/load.h"
#include "tools/command.h"

/* Warns of oversubscribed hosts, else of other processes that could run. Nothing is said where a
 * model plays the machine. Collective, as the next. */
int conditions_before(const call *c, mpib_usage *begin, cpm_error *e);

/* Warns if others used processors since then, or processes were moved. */
int conditions_after(const call *c, const mpib_usage *begin, cpm_error *e);

#endif
