/* A picture of a predicted run. */
#ifndef CPM_TOOLS_PREDICT_DRAW_TIMELINE_H
#define CPM_TOOLS_PREDICT_DRAW_TIMELINE_H

#include "models/model.h"

/* What to do about pictures of too much. */
#define DRAW_FEWER "fewer processes (-n) show the same pattern"

/* CPM_EINVAL, with what can be done: more messages than a picture can show. */
int draw_check_messages(int64_t count, cpm_error *e);

/* Draws s with blocks of these sizes, as m predicts it, into output (.png, .pdf or .svg) with the
 * script timeline.gp; the predicted time is appended to title. CPM_EDATA: the model knows no
 * messages. CPM_EINVAL: too many of them, or of processes. CPM_EIO, CPM_ENOMEM. */
int draw_timeline(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                  const char *title, const char *output, cpm_error *e);

#endif
