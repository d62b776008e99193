/* Lessons as text, a line each, and the decision table that follows from them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "base/text_file.h"
#include "history/tuning_history_form.h"
#include "tables/decision_table.h"

enum { DIGITS = 6 };

/* ---- lessons */

static void put_figure(FILE *f, const cpm_lesson_figure *x)
{
    fputs("{\"algorithm\": ", f);
    cpm_json_put_text(f, x->name);
    fprintf(f, ", \"calls\": %ld, \"seconds\": ", x->calls);
    cpm_json_put_number(f, x->seconds, DIGITS);
    if (x->ratio > 0) {
        fputs(", \"ratio\": ", f);
        cpm_json_put_number(f, x->ratio, DIGITS);
        fputs(", \"error\": ", f);
        cpm_json_put_number(f, x->error, DIGITS);
    }
    fputs(x->out ? ", \"out\": true}" : "}", f);
}

static void put_lesson(FILE *f, const cpm_tuning_record *l)
{
    const struct {
        const char *key, *text;
    } texts[] = {
        {"hosts", l->at.hosts}, {"mpi", l->at.library}, {"cpm", l->at.version}, {"date", l->date}};
    fprintf(f,
            "\n    {\"operation\": \"%s\", \"processes\": %d, \"from\": %zu, \"to\": %zu, "
            "\"root\": %d, "
            "\"ordered\": %s",
            l->operation->name, l->n, l->least, l->most, l->root, l->ordered ? "true" : "false");
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        fprintf(f, ", \"%s\": ", texts[k].key);
        cpm_json_put_text(f, texts[k].text);
    }
    fputs(", \"figures\": [", f);
    for (int k = 0; k < l->count; k++) {
        fputs(k ? ", " : "", f);
        put_figure(f, &l->figure[k]);
    }
    fputs("]}", f);
}

/* A lesson with a text that is not UTF-8 is left out. */
static bool is_text(const cpm_tuning_record *l)
{
    bool ok = cpm_is_utf8(l->at.hosts) && cpm_is_utf8(l->at.library) &&
              cpm_is_utf8(l->at.version) && cpm_is_utf8(l->date);
    for (int k = 0; k < l->count && ok; k++)
        ok = cpm_is_utf8(l->figure[k].name);
    return ok;
}

/* ---- the table */

/* Of lessons that say something about the same calls the one that more calls taught is taken. */
static int in_order(const void *a, const void *b)
{
    const cpm_tuning_record *x = *(const cpm_tuning_record *const *)a,
                            *y = *(const cpm_tuning_record *const *)b;
    if (x->operation != y->operation)
        return x->operation < y->operation ? -1 : 1;
    if (x->n != y->n)
        return x->n - y->n;
    if (x->least != y->least)
        return x->least < y->least ? -1 : 1;
    long of_x = x->count ? x->figure[0].calls : 0, of_y = y->count ? y->figure[0].calls : 0;
    return of_x != of_y ? (of_x < of_y) - (of_x > of_y) : (x > y) - (x < y);
}

static cpm_rule rule_of(const cpm_tuning_record *l)
{
    const cpm_lesson_figure *best = cpm_lesson_best(l);
    cpm_rule rule = {.from = l->least, .seconds = NAN};
    if (best && cpm_collective_parse_algorithm(l->operation, best->name, &rule.what, NULL))
        best = NULL; /* a mapped one, or of another version */
    if (!best)
        rule.what = (cpm_collective){.operation = l->operation};
    best = best ? best : cpm_lesson_figure_of(l, "native");
    rule.seconds = best ? best->seconds : NAN;
    return rule;
}

/* What a table cannot say is left out. */
static bool make_table(const cpm_tuning_history *all, cpm_table *t)
{
    const cpm_tuning_record **sorted = malloc(((size_t)all->count + 1) * sizeof *sorted);
    int status = sorted
                     ? cpm_metadata_set(&t->metadata, NULL, "method", "what programs' calls showed")
                     : CPM_ENOMEM;
    for (int k = 0; !status && k < all->count; k++)
        sorted[k] = &all->at[k];
    if (!status)
        qsort(sorted, (size_t)all->count, sizeof *sorted, in_order);
    for (int k = 0; !status && k < all->count; k++) {
        const cpm_rule rule = rule_of(sorted[k]);
        status = cpm_table_add(t, sorted[k]->operation, sorted[k]->n, &rule, NULL) == CPM_ENOMEM
                     ? CPM_ENOMEM
                     : CPM_OK;
    }
    free(sorted);
    return status == CPM_OK;
}

/* ---- the whole */

static bool put_all(FILE *f, const void *lessons)
{
    const cpm_tuning_history *all = lessons;
    cpm_table t = {0};
    bool any = false;
    fputs(lessons_head, f);
    for (int k = 0; k < all->count; k++)
        if (is_text(&all->at[k])) {
            fputs(any ? "," : "", f);
            put_lesson(f, &all->at[k]);
            any = true;
        }
    fputs(any ? "\n  ],\n" : "],\n", f);
    bool ok = make_table(all, &t) && cpm_table_put(&t, f);
    cpm_table_clear(&t);
    return ok;
}

char *cpm_tuning_history_text(const cpm_tuning_history *all)
{
    return cpm_text_by(put_all, all);
}
