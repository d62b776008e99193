/* Models of a cluster over time: what messages took, and what changed from one to the next. */
#include <math.h>

#include "tools/frame/table.h"
#include "tools/page/messages.h"
#include "tools/page/sections.h"

/* ---- trends */

/* The median over the pairs of a level, or the most, in each model, in microseconds. */
static void add_message(const page_cluster *k, json_t *list, cpm_level level, size_t bytes,
                        bool most)
{
    const page_findings *f = k->found;
    char size[MESSAGES_SIZE];
    json_t *series = json_object();
    json_t *at = block_set_list(&k->to, series, "at");
    for (int i = 0; i < f->models; i++) {
        message_pairs x;
        messages_find(f->model[i]->model, level, &x);
        const message_times t = messages_time(&x, bytes);
        block_append(&k->to, at, block_number(x.count ? (most ? t.most : t.median) * 1e6 : NAN, 5));
    }
    block_set(&k->to, series, "name",
              block_print("%s %s%s", messages_size(bytes, size),
                          messages_level(k->main->model, level), most ? ", slowest" : ""));
    block_set(&k->to, series, "most", json_boolean(most));
    block_set_text(&k->to, series, "unit", "us");
    block_append(&k->to, list, series);
}

static void add_messages(const page_cluster *k, json_t *list)
{
    static const size_t sizes[] = {1, 65536, 1048576};
    for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS; level++) {
        message_pairs x;
        messages_find(k->main->model, level, &x);
        for (size_t s = 0; x.count && s < sizeof sizes / sizeof *sizes; s++) {
            add_message(k, list, level, sizes[s], false);
            add_message(k, list, level, sizes[s], true);
        }
    }
}

/* The mean of the first slice of a parameter in each model, in its unit for people. */
static void add_parameter(const page_cluster *k, json_t *list, int p)
{
    const page_findings *f = k->found;
    const cpm_parameter *parameter = &k->main->model->type->parameters[p];
    const unit *u = unit_named(parameter->unit);
    json_t *series = json_object();
    json_t *at = block_set_list(&k->to, series, "at");
    for (int i = 0; i < f->models; i++) {
        const cpm_model *m = f->model[i]->model;
        bool known = cpm_model_has_parameter(m, p) && cpm_parameter_values(m, p) > 0;
        double value = !known                           ? NAN
                       : parameter->shape == CPM_SCALAR ? m->value[p][0]
                                                        : cpm_parameter_mean(m, p);
        block_append(&k->to, at, block_number(value * u->factor, 5));
    }
    block_set(&k->to, series, "name", block_print("%s: %s", parameter->name, parameter->meaning));
    block_set_text(&k->to, series, "unit", u->shown);
    block_append(&k->to, list, series);
}

static void add_parameters(const page_cluster *k, json_t *list)
{
    const cpm_model *m = k->main->model;
    for (int p = 0; p < m->type->count; p++)
        if (cpm_model_has_parameter(m, p) && m->type->parameters[p].level != CPM_LOCAL)
            add_parameter(k, list, p);
}

/* ---- models */

static const char *verdict_of(const page_findings *f, int step)
{
    static const char *const names[] = {[CPM_DIFF_SAME] = "same",
                                        [CPM_DIFF_CHANGED] = "changed",
                                        [CPM_DIFF_CANNOT_TELL] = "unknown"};
    return names[f->error[step].code ? CPM_DIFF_CANNOT_TELL : f->step[step].verdict];
}

static const char *says_of(const page_findings *f, int step)
{
    return f->error[step].code ? f->error[step].text : f->step[step].says;
}

/* Name, date, and what changed since the one before it: its verdict, a sentence, and the first
 * changes. */
static void add_model(const page_cluster *k, json_t *list, int i)
{
    const page_findings *f = k->found;
    const char *date = cpm_metadata_get(&f->model[i]->metadata, "date");
    json_t *model = json_object();
    block_set_text(&k->to, model, "name", page_base_name(f->model[i]->path));
    block_set_text(&k->to, model, "date", date ? date : "");
    if (i) {
        const table *t = &f->step[i - 1].changes;
        json_t *first = block_set_list(&k->to, model, "first");
        block_set_text(&k->to, model, "verdict", verdict_of(f, i - 1));
        block_set_text(&k->to, model, "says", says_of(f, i - 1));
        for (int at = t->columns; at && at <= 3 * t->columns && at < t->count; at += t->columns)
            block_item(&k->to, first, "%s: %s to %s (%s)", t->cell[at], t->cell[at + 1],
                       t->cell[at + 2], t->cell[at + 3]);
    }
    block_append(&k->to, list, model);
}

static void add_steps(const page_cluster *k)
{
    const page_findings *f = k->found;
    table t = {0};
    table_head(&t, "from", "to", "date", "verdict", NULL);
    for (int i = 0; i + 1 < f->models; i++) {
        const char *date = cpm_metadata_get(&f->model[i + 1]->metadata, "date");
        table_cell(&t, "%s", page_base_name(f->model[i]->path));
        table_cell(&t, "%s", page_base_name(f->model[i + 1]->path));
        table_cell(&t, "%s", date ? date : "-");
        table_cell(&t, "%s", says_of(f, i));
    }
    block_table(&k->to, &t, "Each model against the one before it, as by cpm diff", NULL);
}

static void add_changes(const page_cluster *k, int step)
{
    page_findings *f = k->found;
    json_t *folded = block_print("What changed from %s to %s", page_base_name(f->model[step]->path),
                                 page_base_name(f->model[step + 1]->path));
    const char *text = json_string_value(folded);
    if (f->step[step].count)
        block_table(&k->to, &f->step[step].changes,
                    f->step[step].count > 20 ? "The 20 most significant changes"
                                             : "All changes, the most significant first",
                    text ? text : "");
    json_decref(folded);
}

int page_history(const page_cluster *k, cpm_error *e)
{
    const page_findings *f = k->found;
    json_t *trend = block_add(&k->to, "trend");
    json_t *models = block_set_list(&k->to, trend, "models");
    (void)e;
    for (int i = 0; i < f->models; i++)
        add_model(k, models, i);
    add_messages(k, block_set_list(&k->to, trend, "messages"));
    add_parameters(k, block_set_list(&k->to, trend, "parameters"));
    add_steps(k);
    for (int i = f->models - 2; i >= 0; i--)
        add_changes(k, i);
    block_command(&k->to, "Made by ",
                  (const char *const[]){"cpm diff", f->model[f->models - 2]->path,
                                        f->model[f->models - 1]->path, NULL});
    return CPM_OK;
}
