/* Times are means over ranks: if x is when a rank enters a call and y when it leaves, the mean of y
 * less that of x is what the call costs the application, and ranks that come late count alike for
 * both. How much that mean varies from call to call is known of each rank only; it is not more than
 * the mean of these variances, as it is if all ranks vary together. */
#include "tuned/report/ab_comparison.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "base/hash.h"
#include "base/statistics.h"
#include "collectives/parameters.h"
#include "tuned/report/summary.h"

static const double confidence = 0.95;

tuned_by tuned_ab_side(const cpm_operation *o, int root, unsigned number)
{
    const uint64_t place = (uint64_t)(o - cpm_operations) << 32 | (uint64_t)(unsigned)root;
    uint64_t drawn = cpm_hash_mix(cpm_hash_mix(1, place), number / 2) >> 20;
    return (drawn ^ number) & 1 ? TUNED_BY_AB_LIBRARY : TUNED_BY_AB_CHOSEN;
}

void tuned_choice_print(const cpm_choice *c, char *text, size_t size)
{
    char with[80] = "";
    cpm_parameters_print(&c->what.with, with, sizeof with);
    snprintf(text, size, "%s%s%s", c->what.algorithm ? c->what.algorithm->name : "native", with,
             c->what.at.mapping ? " (mapped)" : "");
}

/* ---- kinds of calls */

static cpm_mean mean_of(const tuned_observed *o)
{
    return (cpm_mean){.mean = o->seconds / (double)o->all,
                      .variance = o->variance / o->processes,
                      .count = (double)o->all / o->processes};
}

/* Two that follow each other, the library's first, are of one kind of calls; both were seen. */
static bool is_pair(const tuned_observed *library, const tuned_observed *chosen)
{
    return library->by == TUNED_BY_AB_LIBRARY && chosen->by == TUNED_BY_AB_CHOSEN &&
           library->group == chosen->group && library->operation == chosen->operation &&
           library->root == chosen->root && library->size == chosen->size && library->all > 0 &&
           chosen->all > 0;
}

/* Share of the library's time; unknown of single calls, of few that vary much, and where others
 * want the processors: calls wait for one then, and which of them do depends on those before. */
static cpm_ratio gain_of(const tuned_account *a, const cpm_mean *library, const cpm_mean *chosen)
{
    if (a->busy || library->count < 2 || chosen->count < 2)
        return (cpm_ratio){NAN, NAN, NAN};
    cpm_ratio r = cpm_ratio_of_means(chosen, library, confidence);
    return cpm_saved_share(1 - r.value, 1 - r.high, 1 - r.low);
}

static void add_kind(cpm_report_tables *out, const tuned_account *a, const tuned_observed *o)
{
    const cpm_mean library = mean_of(o), chosen = mean_of(o + 1);
    const cpm_ratio gain = gain_of(a, &library, &chosen);
    cpm_report_tables_row(out, "ssnrnnrnrrrr", cpm_operations[o->operation].name, o[1].algorithm,
                          (long)a->groups[o->group].n, o->root < 0 ? NAN : o->root,
                          lround((o->bytes + o[1].bytes) / (double)(o->all + o[1].all)),
                          (long)o->calls, library.mean * 1e6, (long)o[1].calls, chosen.mean * 1e6,
                          gain.value * 100, gain.low * 100, gain.high * 100);
}

static bool has_reductions(const tuned_account *a)
{
    for (int i = 0; i + 1 < a->count; i++)
        if (is_pair(&a->at[i], &a->at[i + 1]) && cpm_operations[a->at[i].operation].combines)
            return true;
    return false;
}

static void add_kinds(cpm_report_tables *out, const tuned_account *a)
{
#define COMPARED                                                                            \
    "MPI's own routines and chosen algorithms in turns; times of a call, means over ranks " \
    "and calls; gain: share of MPI's time that is saved, with its interval of 95 %; -: "    \
    "not known from calls so few or so different, or on a busy host"
    static const cpm_report_table_column columns[] = {
        {"operation", 0}, {"algorithm", 0},    {"ranks", 0},       {"root", 0},
        {"bytes", 0},     {"native_calls", 0}, {"native_us", 2},   {"chosen_calls", 0},
        {"chosen_us", 2}, {"gain_percent", 1}, {"low_percent", 1}, {"high_percent", 1},
        {NULL, 0}};
    static const cpm_report_table plain = {"compared", COMPARED, columns};
    static const cpm_report_table reductions = {
        "compared",
        COMPARED "; reductions of floating-point numbers may differ in the last bits from call to "
                 "call",
        columns};
    cpm_report_tables_begin(out, has_reductions(a) ? &reductions : &plain);
    for (int i = 0; i + 1 < a->count; i++)
        if (is_pair(&a->at[i], &a->at[i + 1]))
            add_kind(out, a, &a->at[i]);
}

/* ---- the program */

/* Seconds, means over processes. */
typedef struct {
    double saved, variance; /* if all of these calls were the chosen ones, and not the library's */
    double squares;         /* of what adds to the variance, over its degrees of freedom */
    double native;          /* if all calls were the library's */
    int known, unknown;     /* kinds of calls that were compared, and of which too few were seen */
} sums;

static void add_variance(sums *s, double calls, const cpm_mean *mean)
{
    double variance = calls * calls * mean->variance / mean->count;
    s->variance += variance;
    s->squares += variance * variance / (mean->count - 1);
}

/* How single calls vary is not known, so what they save is not, either. */
static void add_pair(sums *s, const tuned_account *a, const tuned_observed *o)
{
    const cpm_mean library = mean_of(o), chosen = mean_of(o + 1);
    double calls = (library.count + chosen.count) * a->groups[o->group].n / a->n;
    s->native += calls * library.mean;
    if (library.count < 2 || chosen.count < 2) {
        s->unknown++;
        return;
    }
    s->known++;
    s->saved += calls * (library.mean - chosen.mean);
    add_variance(s, calls, &library);
    add_variance(s, calls, &chosen);
}

/* Half of the interval of what is saved: Student's, with degrees of freedom by Welch and
 * Satterthwaite. */
static double half_interval(const sums *s)
{
    if (!(s->squares > 0))
        return 0;
    return gsl_cdf_tdist_Pinv(0.5 + confidence / 2, s->variance * s->variance / s->squares) *
           sqrt(s->variance);
}

static sums sum_up(const tuned_account *a)
{
    sums s = {0};
    for (int i = 0; i < a->count; i++) {
        const tuned_observed *o = &a->at[i];
        if (i + 1 < a->count && is_pair(o, o + 1))
            add_pair(&s, a, o);
        else if (o->by == TUNED_BY_LIBRARY)
            s.native += o->seconds / a->n;
        else if (!is_pair(o - (i > 0), o))
            s.unknown++;
    }
    return s;
}

/* Of all native calls. */
static cpm_ratio saved_of(const tuned_account *a, const sums *s)
{
    double half = half_interval(s);
    double all = !a->busy && s->native > 0 && (s->known || !s->unknown) ? s->native : NAN;
    return cpm_saved_share(s->saved / all, (s->saved - half) / all, (s->saved + half) / all);
}

static void add_program(cpm_report_tables *out, const tuned_account *a)
{
    static const cpm_report_table_column columns[] = {
        {"program_s", 3},     {"collectives_s", 3}, {"native_s", 3},     {"saved_s", 4},
        {"saved_percent", 1}, {"low_percent", 1},   {"high_percent", 1}, {NULL, 0}};
    static const cpm_report_table program = {
        "program",
        "seconds (means over processes) of the program, in collectives, and by MPI's own "
        "routines alone. Then what chosen algorithms alone save of these. -: not known from "
        "calls so few or so different",
        columns};
    const sums s = sum_up(a);
    const cpm_ratio saved = saved_of(a, &s);
    cpm_report_tables_begin(out, &program);
    cpm_report_tables_row(out, "rrrrrrr", a->seconds, a->collectives, s.native,
                          saved.value * s.native, 100 * saved.value, 100 * saved.low,
                          100 * saved.high);
}

/* ---- the summary */

/* Seconds that are known to be saved or lost by all calls of a kind; 0: none are. */
static double certain(const tuned_account *a, const tuned_observed *o)
{
    const cpm_mean library = mean_of(o), chosen = mean_of(o + 1);
    const cpm_ratio gain = gain_of(a, &library, &chosen);
    bool known = gain.low > 0 || gain.high < 0;
    return known ? fabs(library.mean - chosen.mean) * (double)(o->all + o[1].all) : 0;
}

/* That with the most; but the one before, which has no less. */
static const tuned_observed *most_certain(const tuned_account *a, const tuned_observed *before)
{
    const tuned_observed *most = NULL;
    for (const tuned_observed *o = a->at; o + 1 < a->at + a->count; o++)
        if (is_pair(o, o + 1) && o != before && certain(a, o) > 0 &&
            (!before || certain(a, o) <= certain(a, before)) &&
            (!most || certain(a, o) > certain(a, most)))
            most = o;
    return most;
}

static void add_certain(cpm_report_tables *out, const tuned_account *a, const tuned_observed *o)
{
    const cpm_mean library = mean_of(o), chosen = mean_of(o + 1);
    const cpm_ratio gain = gain_of(a, &library, &chosen);
    char text[160];
    tuned_summary_saved(&gain, "MPI's time", text, sizeof text);
    tuned_summary_line(out, "%s of %.0f B: %s: %s", cpm_operations[o->operation].name,
                       (o->bytes + o[1].bytes) / (double)(o->all + o[1].all), o[1].algorithm, text);
}

void tuned_ab_summary(cpm_report_tables *out, const tuned_account *a)
{
    const sums s = sum_up(a);
    const cpm_ratio saved = saved_of(a, &s);
    const tuned_observed *first = most_certain(a, NULL),
                         *second = first ? most_certain(a, first) : NULL;
    char text[160];
    tuned_summary_saved(&saved, "the time in collectives", text, sizeof text);
    tuned_summary_line(out, "by the chosen algorithms alone: %s", text);
    if (first)
        add_certain(out, a, first);
    if (second)
        add_certain(out, a, second);
}

void tuned_ab_report(cpm_report_tables *out, const tuned_account *a)
{
    add_kinds(out, a);
    add_program(out, a);
}
