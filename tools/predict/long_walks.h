/* Algorithms that take too long to predict. */
#ifndef CPM_TOOLS_PREDICT_LONG_WALKS_H
#define CPM_TOOLS_PREDICT_LONG_WALKS_H

#include "tools/predict/prediction.h"

/* The messages of a choice with blocks of so many bytes, about; each is one to walk through, but
 * for those that the model cannot tell from others. What cannot be predicted has none: it says so
 * itself. */
double long_walks_messages(const prediction *p, int choice, size_t bytes);

/* Where operations stand for all their algorithms, leaves out those with too many different
 * messages to walk through at the largest size, as long as a quicker one is left of the operation;
 * a note names them. CPM_ENOMEM. */
int long_walks_leave_out(prediction *p, cpm_error *e);

#endif
