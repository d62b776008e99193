/* The walk or a formula, and how a table says that a formula does not hold. */
#include "tools/predict/method.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "models/predict.h"

const char *method_named(int k)
{
    static const char *const names[] = {"walk", "formula", NULL};
    return names[k];
}

int method_parse(const char *text, int batch, method *out, cpm_error *e)
{
    enum { WALK, FORMULA };
    method by = {.text = text ? text : "walk", .walking = {.batch = batch}};
    char name[32];
    int length = (int)strcspn(by.text, ":"), k;
    cpm_error why = {0};
    snprintf(name, sizeof name, "%.*s", length, by.text);
    int status = cpm_names_find(method_named, "method", name, &k, &why);
    if (status || (k == WALK && by.text[length]))
        return cpm_fail(e, CPM_EUNKNOWN,
                        "--method: unknown method '%s'; known are walk, formula, formula:NAME",
                        text);
    by.by_formula = k == FORMULA;
    by.formula = by.text[length] ? by.text + length + 1 : NULL;
    if (by.by_formula && batch != CPM_ISOLATED)
        return cpm_fail(e, CPM_EINVAL,
                        "--method: formulas predict isolated calls, not --timing batch");
    *out = by;
    return CPM_OK;
}

enum { MOST_PIECES = 1 << 20 }; /* every one is walked through */

int method_check(const method *by, const cpm_collective *c, size_t bytes, cpm_error *e)
{
    size_t segment = c->with.segment;
    if (!by->by_formula && segment && bytes / segment > MOST_PIECES)
        return cpm_fail(e, CPM_EINVAL, "segment=%zu cuts %zu bytes into more than %d pieces",
                        segment, bytes, MOST_PIECES);
    return CPM_OK;
}

static int walk(const method *by, const cpm_model *m, const cpm_collective *c, size_t bytes,
                double *out, cpm_error *e)
{
    double seconds = cpm_predict_bytes(m, c, bytes, &by->walking, NULL, e);
    if (seconds >= 0)
        *out = seconds;
    return seconds < 0 ? (int)seconds : CPM_OK;
}

int method_predict(const method *by, const cpm_model *m, const cpm_collective *c, size_t bytes,
                   predicted *out, cpm_error *e)
{
    cpm_error why = {0};
    *out = (predicted){0};
    int status = method_check(by, c, bytes, e);
    if (status)
        return status;
    if (!by->by_formula)
        return walk(by, m, c, bytes, &out->seconds, e);
    status = cpm_formula_predict(m, c, bytes, by->formula, &out->seconds, &out->outside, &why);
    return status ? cpm_fail(e, status, "--method: %s", why.text) : CPM_OK;
}

/* ---- marks */

const char *method_mark(unsigned outside)
{
    return outside ? "~" : "";
}

void method_explain_mark(unsigned outside)
{
    char text[METHOD_OUTSIDE];
    if (outside)
        printf("# ~: outside the domain of its formula (%s)\n", method_outside(outside, text));
}

const char *method_outside(unsigned outside, char text[METHOD_OUTSIDE])
{
    cpm_formula_conditions(outside, text, METHOD_OUTSIDE);
    return outside ? text : NULL;
}
