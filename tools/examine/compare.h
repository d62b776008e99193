/* What cpm compare finds, for others to show too. */
#ifndef CPM_TOOLS_EXAMINE_COMPARE_H
#define CPM_TOOLS_EXAMINE_COMPARE_H

#include "tools/examine/compare_input.h"
#include "tools/frame/command.h"
#include "tools/frame/table.h"
#include "tools/predict/method.h"

/* What to compare. */
typedef struct {
    settings shared;
    bool full;
    const char *library; /* whose own routine OP:native is; NULL: not said */
    const char *only;    /* label of imported tables; NULL: not said */
} compare_settings;

static inline compare_settings *compare_of(const call *c)
{
    return (compare_settings *)c->set;
}

/* One way to predict: a model by the walk, or by one of its formulas. */
typedef struct {
    const cpm_model *model;
    bool averaged; /* with the averages of its parameters */
    method by;
    char *label;
    predicted *at; /* [observations] seconds NaN: it cannot predict this one */
} predictor;

typedef struct {
    call *c;
    compare_input in;
    predictor *by;
    int predictors;
    double *half; /* [in.count] of intervals, while a median is taken */
    cpm_error *e;
} comparison;

/* Reads the operands of c, models and observations, and predicts these. Writes every prediction to
 * the output that c names, if it does. c and e must live as long as the comparison, which is the
 * caller's to clear, also on failure. Errors as of compare_read (compare_input.h). */
int compare_predict(call *c, comparison *out, cpm_error *e);
void compare_clear(comparison *x);

/* Mean absolute relative error over the observations of a collective (NULL: all); NaN: none. */
double compare_mean_error(const comparison *x, const predictor *p, const cpm_collective *of);

/* Appends what cpm compare prints: a head, and for each algorithm the mean absolute relative errors
 * of the predictors, and how much the observations vary. */
void compare_tabulate(const comparison *x, table *t);

#endif
