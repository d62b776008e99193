/* Tables of what a program's calls cost: for people, and for programs. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/escape.h"
#include "tools/frame/batch.h"
#include "tools/frame/output.h"
#include "tools/frame/table.h"
#include "tools/predict/profile_prediction.h"

/* The share of native's time that is saved; NaN: unknown. */
static double gain(double native, double best)
{
    return native > 0 ? 1 - best / native : NAN;
}

static double saved(const cpm_profile_calls *c, const profile_times *t)
{
    return (t->native - t->best) * (double)c->calls;
}

static const char *root_of(const cpm_profile_calls *c, char text[16])
{
    snprintf(text, 16, "%d", c->root);
    return c->root < 0 ? "-" : text;
}

/* ---- text */

static void cell(table *t, double value, int digits, const char *suffix)
{
    if (isnan(value))
        table_cell(t, "-");
    else
        table_cell(t, "%.*f%s", digits, value, suffix);
}

static void print_head(const profile_prediction *p)
{
    char model[PATH_MAX], profile[PATH_MAX];
    const char *program = cpm_metadata_get(&p->profile->metadata, "program");
    printf("# cpm predict: %s, %s, profile %s of %s, %d processes\n",
           cpm_escape(p->c->operand[0], model, sizeof model), p->model->type->name,
           cpm_escape(p->c->set->calls.profile, profile, sizeof profile),
           program ? program : "a program", p->profile->n);
    printf("# times of a call in microseconds. observed: mean over processes. native, best: "
           "predicted for an isolated call, until the last process has finished. Where most "
           "calls follow the last one at once: per call in a batch. saved: of all calls\n");
}

/* Those that take longest come first. */
static int by_seconds(const void *x, const void *y)
{
    const cpm_profile_other *a = x, *b = y;
    return (a->seconds < b->seconds) - (a->seconds > b->seconds);
}

static void print_others(const cpm_profile *o)
{
    enum { MOST = 4 };
    char function[80];
    double seconds = 0;
    for (int i = 0; i < o->other_count; i++)
        seconds += o->others[i].seconds;
    if (!o->other_count)
        return;
    printf("# CPM does not take these, which took %.4g s more:", seconds);
    qsort(o->others, (size_t)o->other_count, sizeof *o->others, by_seconds);
    for (int i = 0; i < o->other_count && i < MOST; i++)
        printf("%s %s (%ld calls, %.4g s)", i ? "," : "",
               cpm_escape(o->others[i].function, function, sizeof function), o->others[i].calls,
               o->others[i].seconds);
    puts(o->other_count > MOST ? ", ..." : "");
}

static void print_sums(const profile_prediction *p)
{
    const profile_sums *s = &p->all;
    const cpm_profile *o = p->profile;
    printf("# collectives took %.4g s of %.4g s, predicted %.4g s", o->collectives, o->seconds,
           s->native);
    if (s->native > 0)
        printf("; as the model chooses %.4g s: %.1f %% less", s->best,
               100 * gain(s->native, s->best));
    putchar('\n');
    if (o->left_out)
        printf("# %ld calls are not in the profile: there were too many kinds\n", o->left_out);
    print_others(o);
}

void profile_rows(const profile_prediction *p, const char *first, table *t)
{
    char root[16];
    table_head(t, first, "algorithm", "communicator", "processes", "root", "bytes", "calls",
               "timing", "observed", "native", "best", "saved [ms]", "gain", NULL);
    for (int i = 0; i < p->profile->count; i++) {
        const cpm_profile_calls *c = &p->profile->at[i];
        const profile_times *x = &p->at[i];
        table_cell(t, "%s", c->operation->name);
        table_cell(t, "%s", x->algorithm);
        table_cell(t, "%d", c->communicator);
        table_cell(t, "%d", p->profile->communicators[c->communicator].n);
        table_cell(t, "%s", root_of(c, root));
        table_cell(t, "%.0f", c->bytes);
        table_cell(t, "%ld", c->calls);
        table_cell(t, "%s", calls_named(cpm_profile_follows(c)));
        table_us(t, c->mean);
        cell(t, x->native * 1e6, 2, "");
        cell(t, x->best * 1e6, 2, "");
        cell(t, saved(c, x) * 1e3, 3, "");
        cell(t, gain(x->native, x->best) * 100, 1, " %");
    }
}

static int print_text(const profile_prediction *p, cpm_error *e)
{
    table t = {0};
    print_head(p);
    profile_rows(p, "operation", &t);
    int status = table_print(&t, "", 2, stdout, e);
    if (!status)
        print_sums(p);
    return status;
}

/* ---- for programs */

static void add_metadata(cpm_report_tables *all, const profile_prediction *p)
{
    const cpm_profile *o = p->profile;
    cpm_report_tables_metadata(all, "model", "s", p->model->type->name);
    cpm_report_tables_metadata(all, "program", "s", cpm_metadata_get(&o->metadata, "program"));
    cpm_report_tables_metadata(all, "processes", "n", (long)o->n);
    cpm_report_tables_metadata(all, "program_s", "r", o->seconds);
    cpm_report_tables_metadata(all, "collectives_s", "r", o->collectives);
    cpm_report_tables_metadata(all, "native_s", "r", p->all.native);
    cpm_report_tables_metadata(all, "best_s", "r", p->all.best);
    cpm_report_tables_metadata(all, "gain", "r", gain(p->all.native, p->all.best));
    cpm_report_tables_metadata(all, "left_out", "n", o->left_out);
}

static void add_others(cpm_report_tables *all, const cpm_profile *o)
{
    static const cpm_report_table_column columns[] = {
        {"function", 0}, {"calls", 0}, {"seconds", 6}, {NULL, 0}};
    static const cpm_report_table others = {"others", NULL, columns};
    if (!o->other_count)
        return;
    cpm_report_tables_begin(all, &others);
    for (int i = 0; i < o->other_count; i++)
        cpm_report_tables_row(all, "snr", o->others[i].function, o->others[i].calls,
                              o->others[i].seconds);
}

static int print_report_tables(const profile_prediction *p, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {
        {"communicator", 0}, {"processes", 0}, {"operation", 0}, {"root", 0},
        {"bytes", 0},        {"calls", 0},     {"timing", 0},    {"algorithm", 0},
        {"observed_us", 2},  {"native_us", 2}, {"best_us", 2},   {"saved_ms", 3},
        {"gain", 3},         {NULL, 0}};
    static const cpm_report_table calls = {"calls", NULL, columns};
    cpm_report_tables all = {.title = "predict"};
    add_metadata(&all, p);
    cpm_report_tables_begin(&all, &calls);
    for (int i = 0; i < p->profile->count; i++) {
        const cpm_profile_calls *c = &p->profile->at[i];
        const profile_times *x = &p->at[i];
        cpm_report_tables_row(&all, "nns", (long)c->communicator,
                              (long)p->profile->communicators[c->communicator].n,
                              c->operation->name);
        cpm_report_tables_row(&all, c->root < 0 ? "-" : "n", (long)c->root);
        cpm_report_tables_row(&all, "rnssrrrrr", c->bytes, c->calls,
                              calls_named(cpm_profile_follows(c)), x->algorithm, c->mean * 1e6,
                              x->native * 1e6, x->best * 1e6, saved(c, x) * 1e3,
                              gain(x->native, x->best));
    }
    add_others(&all, p->profile);
    return output_sheets(&all, p->c->set->out.format, e);
}

int profile_print(const profile_prediction *p, cpm_error *e)
{
    return (p->c->set->out.format == CPM_FORMAT_TEXT ? print_text : print_report_tables)(p, e);
}
