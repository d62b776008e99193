#include "estimators/lmo2_collectives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/walk_fit.h"
#include "models/lmo2.h"

/* What is free: copies are times what was measured. */
enum { OC, CB, COPY, SOURCE, MOST };

typedef struct {
    cpm_walk_fit walk; /* of the collectives that tell */
    cpm_model *m;
    int combining;      /* the constant of what they combine */
    int free[MOST];     /* which of them are free, walk.count */
    double first[MOST]; /* at the beginning */
    double *copies;     /* [regimes * hosts] time per byte of what is fetched, as it was measured */
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

static bool lacks_combining(const cpm_model *m, int constant)
{
    return is_unknown(m, constant) && is_unknown(m, constant + 1);
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

static bool combines(const cpm_measurement *r)
{
    return r->what.collective.operation->combines;
}

/* ---- the model with such values */

static void set_all(cpm_model *m, int p, double value)
{
    for (size_t k = 0; k < cpm_parameter_all_values(m, p); k++)
        m->value[p][k] = value;
}

static void set_copies(const fitting *f, double times)
{
    size_t hosts = (size_t)f->m->classes.count;
    double from = f->m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    for (int k = 0; k < f->m->inside.count; k++)
        for (size_t h = 0; h < hosts && (double)f->m->inside.at[k] >= from; h++)
            f->m->value[CPM_LMO2_INSIDE_INVBETA][(size_t)k * hosts + h] =
                times * f->copies[(size_t)k * hosts + h];
}

static void set_values(void *context, const double *value)
{
    const fitting *f = context;
    const int parameter[MOST] = {
        [OC] = f->combining, [CB] = f->combining + 1, [SOURCE] = CPM_LMO2_SOURCE};
    for (int k = 0; k < f->walk.count; k++)
        if (f->free[k] == COPY)
            set_copies(f, value[k]);
        else
            set_all(f->m, parameter[f->free[k]], value[k]);
}

static void free_one(fitting *f, int k)
{
    static const double much = 10; /* times what it begins with */
    f->free[f->walk.count] = k;
    f->walk.value[f->walk.count] = f->first[k];
    f->walk.scale[f->walk.count++] = much * f->first[k];
}

/* The values that are nearest are the model's behind it. off: by what factor they are. */
static int find_nearest(fitting *f, double *off)
{
    int status =
        f->walk.count ? cpm_walk_fit_run(&f->walk, CPM_WALK_FIT_STEPS, NULL, f->e) : CPM_OK;
    *off = cpm_walk_fit_factor(&f->walk);
    return status;
}

/* ---- with and without copies by receivers */

static void free_combining(fitting *f, bool combining)
{
    f->walk.count = 0;
    if (!combining)
        return;
    free_one(f, OC);
    free_one(f, CB);
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
    free_one(f, COPY);
    free_one(f, SOURCE);
    return find_nearest(f, off);
}

static int fit(fitting *f, bool combining, bool copying)
{
    static const double clearly = 1.02; /* times the factor */
    double without, with = INFINITY;
    free_combining(f, combining);
    int status = find_nearest(f, &without);
    if (!status && copying)
        status = fit_with_copies(f, &with);
    bool fetched = clearly * with < without;
    if (!status && copying && !fetched) {
        without_copies(f);
        free_combining(f, combining);
        status = find_nearest(f, &without);
    }
    if (status || (!combining && !fetched))
        return status;
    return cpm_note(&f->m->notes, f->e,
                    "%s fitted to %d collectives of the file, without intervals: they are off by "
                    "a factor of %.2f",
                    !fetched     ? "combining is"
                    : !combining ? "copies inside the host are"
                                 : "combining and copies inside the host are",
                    f->walk.rows, fetched ? with : without);
}

int cpm_lmo2_from_collectives(const cpm_measurements *measured, cpm_model *m, cpm_error *e)
{
    size_t values = cpm_parameter_all_values(m, CPM_LMO2_INSIDE_INVBETA),
           bytes = values * sizeof(double);
    bool copying = lacks_copies(measured, m);
    fitting f = {
        .walk = {.measured = measured, .m = m, .set = set_values, .context = &f}, .m = m, .e = e};
    cpm_combining what;
    f.copies = malloc(bytes + 1);
    int status =
        f.copies ? cpm_walk_fit_take(&f.walk, copying ? NULL : combines, e) : cpm_no_memory(e);
    bool combining = cpm_walk_fit_combines(&f.walk, &what);
    f.combining = cpm_lmo2_combining[what];
    combining = combining && lacks_combining(m, f.combining);
    if (!status && f.walk.rows >= MOST && (combining || copying)) {
        memcpy(f.copies, m->value[CPM_LMO2_INSIDE_INVBETA], bytes);
        f.first[OC] = 2e-7;
        f.first[CB] = 3e-10;
        f.first[COPY] = 1;
        f.first[SOURCE] = values ? fmax(1e-12, f.copies[values - 1]) : 0;
        status = fit(&f, combining, copying);
    }
    free(f.copies);
    cpm_walk_fit_clear(&f.walk);
    return status;
}
