#include "estimators/lmo2_collectives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/walk_fit.h"
#include "models/lmo2.h"

/* What is free. Copies are times what was measured, but where what is sent as it was takes less:
 * that is what was measured, and copies take so much more. */
enum { OC, CB, COPY, SOURCE, UNCHANGED, LEAVING, MOST };

/* What is free besides combining, by what factor it is off, and Schwarz's criterion. */
typedef struct {
    bool fetched;
    bool unchanged; /* only what is fetched */
    double off, price;
} form;

typedef struct {
    cpm_walk_fit walk; /* of the collectives that tell */
    cpm_model *m;
    int combining;      /* the constant of what they combine, if that is to be found */
    bool combines;      /* whether it is */
    bool copying;       /* whether copies are to be found */
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

static void set_copies(const fitting *f, double times, double more)
{
    size_t hosts = (size_t)f->m->classes.count;
    double from = f->m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0];
    for (int k = 0; k < f->m->inside.count; k++)
        for (size_t h = 0; h < hosts && (double)f->m->inside.at[k] >= from; h++)
            f->m->value[CPM_LMO2_INSIDE_INVBETA][(size_t)k * hosts + h] =
                times * f->copies[(size_t)k * hosts + h] + more;
}

static void set_values(void *context, const double *value)
{
    fitting *f = context;
    const int parameter[MOST] = {[OC] = f->combining,
                                 [CB] = f->combining + 1,
                                 [SOURCE] = CPM_LMO2_SOURCE,
                                 [UNCHANGED] = CPM_LMO2_UNCHANGED};
    for (int k = 0; k < f->walk.count; k++)
        if (f->free[k] == COPY)
            set_copies(f, value[k], 0);
        else if (f->free[k] == LEAVING)
            f->walk.leaving = value[k];
        else
            set_all(f->m, parameter[f->free[k]], value[k]);
    if (!isnan(f->m->value[CPM_LMO2_UNCHANGED][0]))
        set_copies(f, 1, f->m->value[CPM_LMO2_UNCHANGED][0]);
}

static void free_one(fitting *f, int k)
{
    static const double much = 10; /* times what it begins with */
    f->free[f->walk.count] = k;
    f->walk.value[f->walk.count] = f->first[k];
    f->walk.scale[f->walk.count++] = much * f->first[k];
}

/* ---- with and without copies by receivers */

static void begin_copies(const fitting *f, bool fetched)
{
    set_copies(f, 1, 0);
    set_all(f->m, CPM_LMO2_FETCHED, fetched ? f->m->value[CPM_LMO2_INSIDE_RENDEZVOUS][0] : NAN);
    set_all(f->m, CPM_LMO2_SOURCE, NAN);
    set_all(f->m, CPM_LMO2_UNCHANGED, NAN);
}

static void set_form(fitting *f, form to)
{
    f->walk.count = 0;
    f->walk.leaving = 0;
    if (f->copying)
        begin_copies(f, to.fetched);
    const bool is_free[MOST] = {
        [OC] = f->combines,         [CB] = f->combines,
        [SOURCE] = to.fetched,      [COPY] = to.fetched && !to.unchanged,
        [UNCHANGED] = to.unchanged, [LEAVING] = f->copying && f->walk.taken.apart};
    for (int k = 0; k < MOST; k++)
        if (is_free[k])
            free_one(f, k);
}

/* With what is free in it: by what factor it is off, and what that is worth. */
static int run(fitting *f, form *as)
{
    double cost = 0;
    set_form(f, *as);
    as->off = as->price = INFINITY;
    if (f->walk.count > f->walk.rows) /* which tell nothing of it */
        return CPM_OK;
    int status =
        f->walk.count ? cpm_walk_fit_run(&f->walk, CPM_WALK_FIT_STEPS, &cost, f->e) : CPM_OK;
    as->off = cpm_walk_fit_factor(&f->walk);
    if (f->walk.count)
        as->price = cpm_walk_fit_price(&f->walk, cost, f->walk.count);
    return status;
}

int cpm_lmo2_note_leaving(cpm_model *m, double seconds, cpm_error *e)
{
    int status = cpm_note(&m->notes, e,
                          "times of collectives contain that processes leave a barrier %.2g us one "
                          "after the other: predictions leave it out, cpm compare does not",
                          seconds * 1e6);
    return status ? status
                  : cpm_metadata_set(&m->metadata, e, CPM_METADATA_LEAVING, "%.6g", seconds);
}

static int note(fitting *f, const form *found)
{
    static const double shortest = 1e-9; /* seconds: no clock tells less */
    const bool fetched = found->fetched, apart = f->walk.leaving > shortest;
    int status = apart ? cpm_lmo2_note_leaving(f->m, f->walk.leaving, f->e) : CPM_OK;
    if (status || (!f->combines && !fetched))
        return status;
    return cpm_note(&f->m->notes, f->e,
                    "%s fitted to %d collectives of the file, without intervals: they are off by "
                    "a factor of %.2f",
                    !fetched       ? "combining is"
                    : !f->combines ? "copies inside the host are"
                                   : "combining and copies inside the host are",
                    f->walk.rows, found->off);
}

static int try_copies(fitting *f, form *best)
{
    static const double clearly = 1.02; /* times the factor */
    form changed = {.fetched = true};
    int status = run(f, &changed);
    if (!status && clearly * changed.off < best->off)
        *best = changed;
    return status;
}

/* What a process sends as it was, if the data show it: they may hold nothing that is passed on. */
static int try_unchanged(fitting *f, form *best)
{
    form changed = *best;
    changed.unchanged = true;
    int status = run(f, &changed);
    if (!status && changed.price < best->price)
        *best = changed;
    return status;
}

static int fit(fitting *f)
{
    form best = {0};
    int status = run(f, &best);
    if (!status && !f->copying)
        return note(f, &best);
    if (!status)
        status = try_copies(f, &best);
    if (!status && best.fetched && f->walk.taken.same)
        status = try_unchanged(f, &best);
    if (!status)
        status = run(f, &best);
    return status ? status : note(f, &best);
}

static void set_first(fitting *f)
{
    size_t values = cpm_parameter_all_values(f->m, CPM_LMO2_INSIDE_INVBETA);
    memcpy(f->copies, f->m->value[CPM_LMO2_INSIDE_INVBETA], values * sizeof *f->copies);
    f->first[OC] = 2e-7;
    f->first[CB] = 3e-10;
    f->first[COPY] = 1;
    f->first[SOURCE] = values ? fmax(1e-12, f->copies[values - 1]) : 0;
    f->first[UNCHANGED] = f->first[SOURCE] / 4;
    f->first[LEAVING] = 1e-7;
}

int cpm_lmo2_from_collectives(const cpm_measurements *measured, cpm_model *m, cpm_error *e)
{
    enum { FEWEST = 4 }; /* collectives */
    size_t values = cpm_parameter_all_values(m, CPM_LMO2_INSIDE_INVBETA);
    fitting f = {.walk = {.measured = measured, .m = m, .set = set_values, .context = &f},
                 .m = m,
                 .copying = lacks_copies(measured, m),
                 .e = e};
    cpm_combining what;
    f.copies = malloc(values * sizeof *f.copies + 1);
    int status =
        f.copies ? cpm_walk_fit_take(&f.walk, f.copying ? NULL : combines, e) : cpm_no_memory(e);
    f.combines = cpm_walk_fit_combines(&f.walk, &what);
    f.combining = cpm_lmo2_combining[what];
    f.combines = f.combines && lacks_combining(m, f.combining);
    if (!status && f.walk.rows >= FEWEST && (f.combines || f.copying)) {
        set_first(&f);
        status = fit(&f);
    }
    free(f.copies);
    cpm_walk_fit_clear(&f.walk);
    return status;
}
