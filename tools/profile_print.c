/* Tables of what a program's calls cost: text, TSV, JSON. */
#include <limits.h>
#include <math.h>

#include "base/shown.h"
#include "tools/output.h"
#include "tools/profile_prediction.h"
#include "tools/table.h"

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
    const char *program = cpm_facts_get(&p->profile->facts, "program");
    printf("# cpm predict: %s, %s, profile %s of %s, %d processes\n",
           cpm_shown(p->c->operand[0], model, sizeof model), p->model->type->name,
           cpm_shown(p->c->set.profile, profile, sizeof profile), program ? program : "a program",
           p->profile->n);
    printf("# times of a call in microseconds: observed (mean over processes), native and best "
           "predicted until the last process has finished; saved: of all calls\n");
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
}

void profile_rows(const profile_prediction *p, const char *first, table *t)
{
    char root[16];
    table_head(t, first, "algorithm", "communicator", "processes", "root", "bytes", "calls",
               "observed", "native", "best", "saved [ms]", "gain", NULL);
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
    profile_rows(p, "# operation", &t);
    int status = table_print(&t, "", 2, stdout, e);
    if (!status)
        print_sums(p);
    return status;
}

/* ---- TSV */

static void put(double value, double factor)
{
    if (isnan(value))
        putchar('\t');
    else
        printf("\t%.9g", value * factor);
}

static int print_tsv(const profile_prediction *p, cpm_error *e)
{
    char root[16];
    (void)e;
    puts("communicator\tprocesses\toperation\troot\tbytes\tcalls\talgorithm\tobserved_us\tnative_us"
         "\tbest_us\tsaved_ms\tgain");
    for (int i = 0; i < p->profile->count; i++) {
        const cpm_profile_calls *c = &p->profile->at[i];
        const profile_times *x = &p->at[i];
        printf("%d\t%d\t%s\t%s\t%.9g\t%ld\t%s", c->communicator,
               p->profile->communicators[c->communicator].n, c->operation->name, root_of(c, root),
               c->bytes, c->calls, x->algorithm);
        put(c->mean, 1e6);
        put(x->native, 1e6);
        put(x->best, 1e6);
        put(saved(c, x), 1e3);
        put(gain(x->native, x->best), 1);
        putchar('\n');
    }
    return CPM_OK;
}

/* ---- JSON */

static json_t *number(double value, double factor)
{
    return isfinite(value) ? json_real(value * factor) : json_null();
}

static json_t *json_row(const cpm_profile_calls *c, const profile_times *x, int processes)
{
    json_t *root = c->root < 0 ? json_null() : json_integer(c->root);
    return json_pack("{s:i, s:i, s:s, s:o, s:f, s:I, s:s, s:o, s:o, s:o, s:o, s:o}", "communicator",
                     c->communicator, "processes", processes, "operation", c->operation->name,
                     "root", root, "bytes", c->bytes, "calls", (json_int_t)c->calls, "algorithm",
                     x->algorithm, "observed_us", number(c->mean, 1e6), "native_us",
                     number(x->native, 1e6), "best_us", number(x->best, 1e6), "saved_ms",
                     number(saved(c, x), 1e3), "gain", number(gain(x->native, x->best), 1));
}

static int print_json(const profile_prediction *p, cpm_error *e)
{
    const cpm_profile *o = p->profile;
    json_t *rows = json_array();
    for (int i = 0; i < o->count; i++) {
        const cpm_profile_calls *c = &o->at[i];
        json_array_append_new(rows, json_row(c, &p->at[i], o->communicators[c->communicator].n));
    }
    json_t *program = json_pack(
        "{s:f, s:f, s:o, s:o, s:o, s:I}", "seconds", o->seconds, "collectives_s", o->collectives,
        "native_s", number(p->all.native, 1), "best_s", number(p->all.best, 1), "gain",
        number(gain(p->all.native, p->all.best), 1), "left_out", (json_int_t)o->left_out);
    return output_json(json_pack("{s:s, s:i, s:o, s:o}", "model", p->model->type->name, "processes",
                                 o->n, "program", program, "calls", rows),
                       e);
}

int profile_print(const profile_prediction *p, cpm_error *e)
{
    int (*const printers[])(const profile_prediction *,
                            cpm_error *) = {[CPM_FORMAT_TEXT] = print_text,
                                            [CPM_FORMAT_TSV] = print_tsv,
                                            [CPM_FORMAT_JSON] = print_json};
    return printers[p->c->set.format](p, e);
}
