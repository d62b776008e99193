/* Irregular regions: messages that overflow the buffer of a switch wait for a retransmission, which
 * takes much longer than the model predicts (O'Flynn 2009, 4.3 and 7.2). */
#ifndef CPM_SELECTION_ESCALATION_H
#define CPM_SELECTION_ESCALATION_H

#include "collectives/schedule/schedule.h"
#include "collectives/schedule/timeline.h"
#include "models/model.h"

/* What can be on its way to one receiver. */
typedef struct {
    double bytes;       /* so many escalate, if they come from two senders or more */
    double synchronous; /* messages of that size and larger wait until they are received, and are
                           no danger one by one; infinite: unknown */
} cpm_switch_buffer;

/* From the model's M1 and M2: a linear gather of blocks of M1 escalates among all the processes
 * that it was measured with. False: the model knows of no irregular region. */
bool cpm_switch_buffer_of(const cpm_model *m, cpm_switch_buffer *out);

/* Whether a run of n processes escalates. CPM_ENOMEM. */
int cpm_escalates(const cpm_switch_buffer *b, const cpm_timeline *run, int n, bool *out,
                  cpm_error *e);

/* Whether a process receives two or more synchronous messages at the same time: nothing keeps their
 * senders from sending together. CPM_ENOMEM. */
int cpm_receives_long_together(const cpm_switch_buffer *b, const cpm_schedule *s,
                               const cpm_block_sizes *sizes, bool *out, cpm_error *e);

#endif
