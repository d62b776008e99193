/* What predictions go beyond: more hosts, more processes on a host, or longer messages, than were
 * measured, and sharing and combining of which nothing is known. */
#ifndef CPM_MODELS_EXTRAPOLATION_H
#define CPM_MODELS_EXTRAPOLATION_H

#include "models/model.h"

/* Facts of models: the largest message that was measured, in bytes; and, of one for a layout, in
 * what it goes beyond what was measured, for people; and, where it has more hosts, by which share
 * one that was measured departs from the median at most. */
#define CPM_METADATA_LARGEST      "largest_message"
#define CPM_METADATA_EXTRAPOLATED "extrapolated"
#define CPM_METADATA_SPREAD       "host_spread"

/* Sets the second fact of `to`, which is `from` for other processes on its hosts or on like ones,
 * if more are on a host than on any of from's, or if there are more hosts. CPM_ENOMEM. */
int cpm_model_note_layout(const cpm_model *from, cpm_model *to, cpm_error *e);

/* The third fact: so uncertain is each time of hosts that were not measured; 0 without. */
double cpm_model_spread(const cpm_model *m);

/* The largest message that m's measurements had; 0: not known. */
size_t cpm_model_largest(const cpm_model *m);

/* Whether messages of m's processes may share what the fit could not find out whether they share:
 * the memory of a host of three processes or more (that of fetched messages, too), the link of its
 * sockets, or link ends. CPM_ENOMEM. */
int cpm_model_may_share(const cpm_model *m, bool *out, cpm_error *e);

/* Whether m is of a type that knows what combining contributions of a reduction takes, but of that
 * class, and some process, does not: it takes as long as that of bytes then, or nothing. */
bool cpm_model_lacks_combining(const cpm_model *m, cpm_combining what);

/* The same model in which they do, at the speed of a single message: nothing can be slower. Without
 * is m itself, where nothing can be faster. CPM_ENOMEM. */
int cpm_model_share_all(const cpm_model *m, cpm_model **out, cpm_error *e);

#endif
