/* How collectives are predicted: by the walk through their messages, or by a formula of the
 * model. */
#ifndef CPM_TOOLS_PREDICT_METHOD_H
#define CPM_TOOLS_PREDICT_METHOD_H

#include "models/formula.h"
#include "models/walking.h"

typedef struct {
    const char *text; /* as people write it: "walk", "formula", "formula:hom" */
    bool by_formula;
    const char *formula; /* NULL: the first that knows the parameters */
    cpm_walking walking; /* without a formula: how, with the batch that was asked for */
} method;

typedef struct {
    double seconds, half; /* half its interval; 0: unknown */
    double most;          /* if messages share what may or may not be shared; 0: that is known */
    unsigned outside;     /* conditions of the formula's domain that do not hold */
} predicted;

/* What "formula:NAME" begins with, too. As cpm_names. */
const char *method_named(int k);

/* NULL is the walk. CPM_EUNKNOWN with the known ones; CPM_EINVAL: formulas know no batches. */
int method_parse(const char *text, int batch, method *out, cpm_error *e);

/* CPM_EINVAL: segments are so small that a walk through their messages would have no end. */
int method_check(const method *by, const cpm_collective *c, size_t bytes, cpm_error *e);

/* The time of a collective with blocks of so many bytes. CPM_EUNKNOWN: no formula. Else as
 * method_check and cpm_predict_bytes. */
int method_predict(const method *by, const cpm_model *m, const cpm_collective *c, size_t bytes,
                   predicted *out, cpm_error *e);

/* What stands before a time in a table if a condition does not hold, and what explains it in its
 * head, given all the conditions that do not; nothing if all hold. */
const char *method_mark(unsigned outside);
void method_explain_mark(unsigned outside);

enum { METHOD_OUTSIDE = 300 };

/* The conditions for a column "outside", written to text; NULL if all hold. */
const char *method_outside(unsigned outside, char text[METHOD_OUTSIDE]);

#endif
