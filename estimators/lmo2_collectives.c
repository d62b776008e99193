#include "estimators/lmo2_collectives.h"

#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/metadata.h"
#include "models/experiments.h"
#include "models/lmo2.h"

/* What is free, as logarithms of its value over that at the beginning. */
enum { OC, CB, COPY, SOURCE, MOST };

typedef struct {
    const cpm_measurements *measured;
    const cpm_measurement **row; /* [rows] collectives that tell */
    int rows;
    cpm_model *m;
    int free[MOST], count; /* which of them, and how many */
    double first[MOST];    /* at the beginning */
    bool copying;          /* who copies is to be found, too */
    double *copies; /* [regimes * hosts] time per byte of what is fetched, as it was measured */
    cpm_error *e;
} fitting;

/* ---- what is to be found */

static bool is_unknown(const cpm_model *m, int p)
{
    for (size_t k = 0; k < cpm_parameter_all_values(m, p); k++)
        if (!isnan(m->value[p][k]))
            return false;
    return true;
}

static bool lacks_combining(const cpm_model *m)
{
    return is_unknown(m, CPM_LMO2_OC) && is_unknown(m, CPM_LMO2_CB);
}

/* Two long messages of one receiver show it, whatever they show. */
static bool has_experiments(const cpm_measurements *measured, double from)
{
    for (int q = 0; q < measured->count; q++)
        if (measured->at[q].what.kind == &cpm_experiment_kinds[CPM_TWO_TO_ONE] &&
            (double)measured->at[q].what.reply_bytes >= from)
            return true;
    return false;
}

static bool lacks_copies(const cpm_measurements *measured, const cpm_model *m)
{
    double from = m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    return m->inside.count > 0 && m->on.count == 1 && !isnan(from) &&
           !has_experiments(measured, from);
}

/* A collective of isolated calls whose algorithm is known. */
static bool tells(const fitting *f, const cpm_measurement *r)
{
    if (r->what.kind || !r->what.collective.algorithm || !(r->summary.min > 0))
        return false;
    return f->copying || r->what.collective.operation->combines;
}

static int find_rows(fitting *f)
{
    const char *timing = cpm_metadata_get(&f->measured->metadata, "timing");
    f->row = malloc(((size_t)f->measured->count + 1) * sizeof(cpm_measurement *));
    if (!f->row)
        return cpm_no_memory(f->e);
    for (int q = 0; q < f->measured->count; q++)
        if (tells(f, &f->measured->at[q]) && !(timing && strncmp(timing, "batch", 5) == 0))
            f->row[f->rows++] = &f->measured->at[q];
    return CPM_OK;
}

static bool combines(const fitting *f)
{
    for (int q = 0; q < f->rows; q++)
        if (f->row[q]->what.collective.operation->combines)
            return true;
    return false;
}

/* ---- the model with such values */

static void set_all(cpm_model *m, int p, double value)
{
    for (size_t k = 0; k < cpm_parameter_all_values(m, p); k++)
        m->value[p][k] = value;
}

static void set_copies(fitting *f, double times)
{
    size_t hosts = (size_t)f->m->classes.count;
    double from = f->m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    for (int k = 0; k < f->m->inside.count; k++)
        for (size_t h = 0; h < hosts && (double)f->m->inside.at[k] >= from; h++)
            f->m->value[CPM_LMO2_INSIDE_INVBETA][(size_t)k * hosts + h] =
                times * f->copies[(size_t)k * hosts + h];
}

static void set_values(fitting *f, const gsl_vector *x)
{
    for (int k = 0; k < f->count; k++) {
        double value = f->first[f->free[k]] * exp(gsl_vector_get(x, (size_t)k));
        switch (f->free[k]) {
        case OC:
            set_all(f->m, CPM_LMO2_OC, value);
            break;
        case CB:
            set_all(f->m, CPM_LMO2_CB, value);
            break;
        case COPY:
            set_copies(f, value);
            break;
        case SOURCE:
            set_all(f->m, CPM_LMO2_SOURCE, value);
            break;
        }
    }
}

/* How far the model is off: the mean over the collectives, where one that is far off does not count
 * for more than it is. */
static double distance(const gsl_vector *x, void *context)
{
    static const double near = 0.1; /* differences below count less and less */
    fitting *f = context;
    double sum = 0;
    if (x)
        set_values(f, x);
    for (int q = 0; q < f->rows; q++) {
        double seconds = 0, observed = cpm_measurement_value(f->row[q], f->measured->statistic);
        cpm_error why = {0};
        if (cpm_model_experiments(f->m, &f->row[q]->what, 1, &seconds, &why) || !(seconds > 0))
            continue; /* which the model cannot predict whatever its values */
        double off = log(seconds / observed);
        sum += sqrt(near * near + off * off) - near;
    }
    return sum / f->rows;
}

/* The values that are nearest are the model's behind it. */
static int find_nearest(fitting *f, double *off)
{
    enum { STEPS = 400 };
    size_t n = (size_t)f->count;
    gsl_vector *x = gsl_vector_calloc(n), *step = gsl_vector_alloc(n);
    gsl_multimin_fminimizer *search =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, n);
    int status = x && step && search ? CPM_OK : cpm_no_memory(f->e);
    if (!status) {
        gsl_multimin_function function = {distance, n, f};
        gsl_vector_set_all(step, 0.5);
        gsl_multimin_fminimizer_set(search, &function, x, step);
        for (int k = 0; k < STEPS && gsl_multimin_fminimizer_size(search) > 1e-3; k++)
            if (gsl_multimin_fminimizer_iterate(search))
                break;
        set_values(f, gsl_multimin_fminimizer_x(search));
        *off = gsl_multimin_fminimizer_minimum(search);
    }
    gsl_vector_free(x);
    gsl_vector_free(step);
    gsl_multimin_fminimizer_free(search);
    return status;
}

/* ---- with and without copies by receivers */

static void free_combining(fitting *f)
{
    f->count = 0;
    if (!lacks_combining(f->m) || !combines(f))
        return;
    f->free[f->count++] = OC;
    f->free[f->count++] = CB;
}

static void without_copies(fitting *f)
{
    set_copies(f, 1);
    set_all(f->m, CPM_LMO2_FETCHED, NAN);
    set_all(f->m, CPM_LMO2_SOURCE, NAN);
}

static int fit_with_copies(fitting *f, double *off)
{
    f->m->value[CPM_LMO2_FETCHED][0] = f->m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    f->free[f->count++] = COPY;
    f->free[f->count++] = SOURCE;
    return find_nearest(f, off);
}

static int fit_without_copies(fitting *f, double *off)
{
    *off = distance(NULL, f);
    return f->count ? find_nearest(f, off) : CPM_OK;
}

static int fit(fitting *f)
{
    static const double clearly = 0.02; /* of the mean logarithm */
    double without, with = INFINITY;
    bool copies = f->copying;
    free_combining(f);
    bool combining = f->count > 0;
    int status = fit_without_copies(f, &without);
    if (!status && copies)
        status = fit_with_copies(f, &with);
    bool fetched = with < without - clearly;
    if (!status && copies && !fetched) {
        without_copies(f);
        f->count = combining ? 2 : 0;
        status = fit_without_copies(f, &without);
    }
    if (status || (!combining && !fetched))
        return status;
    return cpm_note(&f->m->notes, f->e,
                    "%s fitted to %d collectives of the file, without intervals: they are off by "
                    "a factor of %.2f",
                    !fetched     ? "combining is"
                    : !combining ? "copies inside the host are"
                                 : "combining and copies inside the host are",
                    f->rows, exp(fetched ? with : without));
}

int cpm_lmo2_from_collectives(const cpm_measurements *measured, cpm_model *m, cpm_error *e)
{
    size_t values = cpm_parameter_all_values(m, CPM_LMO2_INSIDE_INVBETA),
           bytes = values * sizeof(double);
    fitting f = {.measured = measured,
                 .m = m,
                 .e = e,
                 .copying = lacks_copies(measured, m),
                 .copies = malloc(bytes + 1)};
    if (!lacks_combining(m) && !f.copying) {
        free(f.copies);
        return CPM_OK;
    }
    int status = f.copies ? find_rows(&f) : cpm_no_memory(e);
    if (!status && f.rows) {
        memcpy(f.copies, m->value[CPM_LMO2_INSIDE_INVBETA], bytes);
        f.first[OC] = 2e-7;
        f.first[CB] = 3e-10;
        f.first[COPY] = 1;
        f.first[SOURCE] = values ? fmax(1e-12, f.copies[values - 1]) : 0;
        status = fit(&f);
    }
    free(f.copies);
    free(f.row);
    return status;
}
