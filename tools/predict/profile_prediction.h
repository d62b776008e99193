/* cpm predict MODEL --profile FILE: what the calls of a program cost by a model. */
#ifndef CPM_TOOLS_PREDICT_PROFILE_PREDICTION_H
#define CPM_TOOLS_PREDICT_PROFILE_PREDICTION_H

#include "history/profile.h"
#include "tools/frame/command.h"
#include "tools/frame/table.h"

/* Predicted seconds of a kind of calls. */
typedef struct {
    double native;                       /* by the MPI library; NaN: unknown */
    double best;                         /* as the model chooses, which may be the library's own */
    char algorithm[CPM_COLLECTIVE_NAME]; /* that it chooses: "native", "chain:segment=8192" */
} profile_times;

/* Of the program: means over its processes. */
typedef struct {
    double observed, native, best; /* seconds in those calls that could be predicted */
} profile_sums;

/* Everything is borrowed. */
typedef struct {
    const call *c;
    const cpm_model *model;
    const cpm_profile *profile;
    const profile_times *at; /* [profile->count] */
    profile_sums all;
} profile_prediction;

/* The model of the program's processes: by the names of its hosts; where the model does not know
 * them and is of as many processes, process i is its process i. name: the profile's, for messages.
 * CPM_EPROCESS: neither; CPM_ENOMEM. */
int profile_model(const cpm_model *m, const cpm_profile *p, const char *name, cpm_model **out,
                  cpm_error *e);

/* Prints what the calls of the profile that the options name cost on m, and would cost. */
int profile_predict(const call *c, const cpm_model *m, cpm_error *e);

/* What profile_predict prints as text, for others to show too: a head and a row for each kind of
 * calls of the profile, which name names, appended to t; and the sums. CPM_EPROCESS, CPM_ENOMEM. */
int profile_tabulate(const cpm_model *m, const cpm_profile *p, const char *name, table *t,
                     profile_sums *sums, cpm_error *e);

/* The head, with the name of its first column, and the rows of profile and at. */
void profile_rows(const profile_prediction *p, const char *first, table *t);

/* In the format that was asked for. */
int profile_print(const profile_prediction *p, cpm_error *e);

#endif
