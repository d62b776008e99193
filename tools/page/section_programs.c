/* What programs would gain, or have gained: profiles, lessons, and reports of runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/page/sections.h"
#include "tools/predict/profile_prediction.h"

/* ---- profiles */

static void say_sums(const page_cluster *k, const cpm_profile *p, const profile_sums *s)
{
    const char *program = cpm_metadata_get(&p->metadata, "program");
    char gain[100] = "";
    if (s->native > 0)
        snprintf(gain, sizeof gain,
                 "; with the algorithms that the model chooses %.4g s: %.1f %% less", s->best,
                 100 * (1 - s->best / s->native));
    block_text(&k->to, "good",
               "%s ran for %.4g s, of these %.4g s in collectives, predicted %.4g s%s.",
               program ? program : "The program", p->seconds, p->collectives, s->native, gain);
}

static int make_profile(const page_cluster *k, const page_file *f, cpm_error *e)
{
    profile_sums sums;
    table t = {0};
    cpm_error why = {0};
    int status = k->main ? profile_tabulate(k->main->model, f->profile, f->path, &t, &sums, &why)
                         : cpm_fail(&why, CPM_EINVAL, "there is no model of this cluster");
    if (status) {
        table_clear(&t);
        return page_without(k, "Not predicted", &why, e);
    }
    say_sums(k, f->profile, &sums);
    block_table(&k->to, &t,
                "Times of a call [us]: observed (mean over processes), of MPI's own routine "
                "and of the best algorithm as predicted; saved: of all calls",
                NULL);
    block_command(&k->to, "Made by ",
                  (const char *const[]){"cpm predict", k->main->path, "--profile", f->path, NULL});
    return CPM_OK;
}

/* ---- lessons */

static void add_figure(table *t, const cpm_tuning_record *l, const cpm_lesson_figure *f)
{
    const cpm_lesson_figure *best = cpm_lesson_best(l);
    table_cell(t, "%s", l->operation->name);
    table_cell(t, "%d", l->n);
    table_cell(t, "%zu to %zu", l->least, l->most);
    table_cell(t, "%s", f->name);
    table_cell(t, "%ld", f->calls);
    table_us(t, f->seconds);
    if (f->ratio > 0)
        table_cell(t, "%.1f +- %.1f %%", 100 * (1 - f->ratio), 200 * f->error);
    else
        table_cell(t, "-");
    table_cell(t, "%s", f == best ? "chosen" : f->out ? "given up" : "-");
}

static int make_lessons(const page_cluster *k, const page_file *f, cpm_error *e)
{
    (void)e;
    table t = {0};
    table_head(&t, "operation", "processes", "bytes", "way", "calls", "time of a call [us]",
               "less than MPI's own", "verdict", NULL);
    for (int i = 0; i < f->lessons->count; i++)
        for (int q = 0; q < f->lessons->at[i].count; q++)
            add_figure(&t, &f->lessons->at[i], &f->lessons->at[i].figure[q]);
    block_table(&k->to, &t,
                "What runs of programs have shown (cpm run --adapt --learn); less than: +- two "
                "standard errors",
                NULL);
    return CPM_OK;
}

/* ---- reports of runs */

static void value_cell(table *t, const json_t *value)
{
    if (json_is_string(value))
        table_cell(t, "%s", json_string_value(value));
    else if (json_is_integer(value))
        table_cell(t, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        table_cell(t, "%.6g", json_real_value(value));
    else if (json_is_boolean(value))
        table_cell(t, json_is_true(value) ? "yes" : "no");
    else
        table_cell(t, "-");
}

/* The columns are those of the first row. */
static void add_rows(table *t, json_t *rows)
{
    const char *name;
    json_t *value, *first = json_array_get(rows, 0);
    json_object_foreach(first, name, value)
    {
        table_cell(t, "%s", name);
        t->columns++;
    }
    for (size_t i = 0; i < json_array_size(rows); i++)
        json_object_foreach(first, name, value)
            value_cell(t, json_object_get(json_array_get(rows, i), name));
}

static int make_run(const page_cluster *k, const page_file *f, cpm_error *e)
{
    const char *name;
    json_t *rows;
    (void)e;
    json_object_foreach(f->run, name, rows)
    {
        table t = {0};
        if (!json_is_object(json_array_get(rows, 0)))
            continue;
        add_rows(&t, rows);
        block_table(&k->to, &t, name, NULL);
    }
    return CPM_OK;
}

/* ---- all of them */

static const struct {
    const char *kind;
    int (*make)(const page_cluster *k, const page_file *f, cpm_error *e);
} parts[] = {{"profile", make_profile}, {"lessons", make_lessons}, {"run report", make_run}};

int page_programs(const page_cluster *k, cpm_error *e)
{
    int status = CPM_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (const page_file *f = NULL; !status && (f = page_next(k, parts[i].kind, f));) {
            block_heading(&k->to, "%s: %s", page_base_name(f->path), parts[i].kind);
            status = parts[i].make(k, f, e);
        }
    return status;
}
