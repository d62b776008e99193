/* Choosing a formula for a collective, and whether it holds there. */
#include "models/formula.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collectives/algorithms/pieces.h"
#include "collectives/parameters.h"

/* ---- domains */

static bool is_power_of_2(const cpm_model *m, const cpm_formula_call *c)
{
    (void)c;
    return (m->n & (m->n - 1)) == 0;
}

static bool is_square(const cpm_model *m, const cpm_formula_call *c)
{
    (void)c;
    long side = lround(sqrt(m->n));
    return side * side == m->n;
}

static bool is_cube(const cpm_model *m, const cpm_formula_call *c)
{
    (void)c;
    long side = lround(cbrt(m->n));
    return side * side * side == m->n;
}

static bool has_equal_parts(const cpm_model *m, const cpm_formula_call *c)
{
    return c->bytes % (size_t)m->n == 0;
}

static bool has_equal_segments(const cpm_model *m, const cpm_formula_call *c)
{
    (void)m;
    return c->bytes % (size_t)cpm_segments_of(c->bytes, c->with.segment) == 0;
}

static bool is_uncontended(const cpm_model *m, const cpm_formula_call *c)
{
    (void)c;
    return m->n <= 2;
}

/* A threshold of the model in bytes; otherwise if it has none, or does not know it. */
static double threshold(const cpm_model *m, const char *name, double otherwise)
{
    int p = cpm_parameter_index(m->type, name);
    return p < 0 || isnan(m->value[p][0]) ? otherwise : m->value[p][0];
}

static bool is_below_m1(const cpm_model *m, const cpm_formula_call *c)
{
    return (double)c->bytes < threshold(m, "M1", INFINITY);
}

static bool is_from_m2(const cpm_model *m, const cpm_formula_call *c)
{
    return (double)c->bytes >= threshold(m, "M2", INFINITY);
}

static bool is_unescalated(const cpm_model *m, const cpm_formula_call *c)
{
    return is_below_m1(m, c) || is_from_m2(m, c);
}

static const struct {
    unsigned condition;
    bool (*holds)(const cpm_model *m, const cpm_formula_call *c);
    const char *words;
} conditions[] = {
    {CPM_FORMULA_POWER_OF_2, is_power_of_2, "n a power of two"},
    {CPM_FORMULA_SQUARE, is_square, "n a square"},
    {CPM_FORMULA_CUBE, is_cube, "n a cube"},
    {CPM_FORMULA_EQUAL_PARTS, has_equal_parts, "blocks that n divides"},
    {CPM_FORMULA_EQUAL_SEGMENTS, has_equal_segments, "segments of one size"},
    {CPM_FORMULA_UNCONTENDED, is_uncontended, "no receiver of several messages at once"},
    {CPM_FORMULA_BELOW_M1, is_below_m1, "sizes below M1"},
    {CPM_FORMULA_FROM_M2, is_from_m2, "sizes from M2 on"},
    {CPM_FORMULA_UNESCALATED, is_unescalated, "sizes below M1 or from M2 on"},
};
enum { CONDITIONS = sizeof conditions / sizeof conditions[0] };

static unsigned unfulfilled(const cpm_formula *f, const cpm_model *m, const cpm_formula_call *c)
{
    unsigned outside = 0;
    for (int k = 0; k < CONDITIONS; k++)
        if (f->domain & conditions[k].condition && !conditions[k].holds(m, c))
            outside |= conditions[k].condition;
    return outside;
}

void cpm_formula_conditions(unsigned domain, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < CONDITIONS; k++)
        if (domain & conditions[k].condition && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     conditions[k].words);
}

/* ---- choosing */

static bool is_for(const cpm_formula *f, const char *operation, const char *algorithm,
                   const char *name)
{
    return strcmp(f->operation, operation) == 0 && strcmp(f->algorithm, algorithm) == 0 &&
           (!name || strcmp(f->name, name) == 0);
}

const cpm_formula *cpm_formula_find(const cpm_model_type *type, const char *operation,
                                    const char *algorithm, const char *name)
{
    for (const cpm_formula *f = type->formulas; f && f->operation; f++)
        if (is_for(f, operation, algorithm, name))
            return f;
    return NULL;
}

/* The first formula that knows all the parameters that are given. */
static const cpm_formula *choose(const cpm_model_type *type, const cpm_collective *c,
                                 const char *name, unsigned given)
{
    for (const cpm_formula *f = type->formulas; f && f->operation; f++)
        if (is_for(f, c->operation->name, c->algorithm->name, name) && !(given & ~f->takes))
            return f;
    return NULL;
}

/* Names what the formula for the algorithm does not know, if there is one. */
static int refuse(const cpm_model_type *type, const cpm_collective *c, const char *name,
                  unsigned given, cpm_error *e)
{
    char unknown[80] = "";
    const char *operation = c->operation->name, *algorithm = c->algorithm->name;
    const cpm_formula *f = cpm_formula_find(type, operation, algorithm, name);
    if (f && given & ~f->takes)
        cpm_algorithm_takes(&(cpm_algorithm){.properties = given & ~f->takes}, unknown,
                            sizeof unknown);
    return cpm_fail(e, CPM_EUNKNOWN, "model %s has no formula%s%s for %s:%s%s%s", type->name,
                    name ? " " : "", name ? name : "", operation, algorithm,
                    *unknown ? " with " : "", unknown);
}

int cpm_formula_predict(const cpm_model *m, const cpm_collective *c, size_t bytes, const char *name,
                        double *seconds, unsigned *outside, cpm_error *e)
{
    const cpm_formula_call call = {.root = c->at.root, .bytes = bytes, .with = c->with};
    bool mapped = c->at.mapping || c->at.parent;
    unsigned given = cpm_parameters_given(&c->with) | (mapped ? CPM_TAKES_MAPPING : 0);
    const cpm_formula *f = choose(m->type, c, name, given);
    if (!f)
        return refuse(m->type, c, name, given, e);
    double predicted = f->predict(m, &call);
    if (!isfinite(predicted))
        return cpm_fail(e, CPM_EDATA, "formula %s of model %s gives no number for %s:%s", f->name,
                        m->type->name, c->operation->name, c->algorithm->name);
    *seconds = predicted;
    *outside = unfulfilled(f, m, &call);
    return CPM_OK;
}
