/* What is said of the conditions under which a command measures: whether its processes have their
 * hosts' processors for themselves, and stay on them. */
#ifndef CPM_TOOLS_MEASURE_CONDITIONS_H
#define CPM_TOOLS_MEASURE_CONDITIONS_H

#include "hosts/usage.h"
#include "tools/frame/command.h"

/* As they were at the beginning. */
typedef struct {
    mpib_usage usage;
    double trip; /* seconds of an empty message and its answer */
} conditions;

/* Warns of oversubscribed hosts, else of other processes that could run, and adds the same to
 * metadata as "warning". Nothing is said where a model simulates the machine. CPM_ENOMEM.
 * Collective, as the next. */
int conditions_before(const call *c, conditions *begin, cpm_metadata *metadata, cpm_error *e);

/* Says in a header what can be compared later. CPM_ENOMEM. */
int conditions_describe(const conditions *begin, cpm_metadata *metadata, cpm_error *e);

/* Warns if a model was measured with buffers in another state than what is compared with its
 * predictions (measurements/buffers.h; NULL: that is not known). */
void conditions_compare_buffers(const cpm_metadata *model, const char *observed);

/* The same, or when messages took another time: the headers of both. */
void conditions_compare(const cpm_metadata *model, const cpm_metadata *observed);

/* Warns if others used processors since then, processes were moved, or messages take another time
 * than at the beginning, or than when a campaign that went on had begun, as its header says; adds
 * the same to metadata. */
int conditions_after(const call *c, const conditions *begin, const cpm_metadata *header,
                     cpm_metadata *metadata, cpm_error *e);

/* Repeats, a line each, the warnings of the file at path: those of what was measured for it. */
void conditions_repeat(const char *path, const cpm_metadata *metadata);

#endif
