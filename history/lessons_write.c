/* Lessons as text, a line each, and the decision table that follows from them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "history/lessons_form.h"
#include "tables/decision_table.h"

/* ---- lessons */

static json_t *figure_of(const cpm_lesson_figure *f)
{
    json_t *object = json_pack("{s:s, s:I, s:f}", "algorithm", f->name, "calls",
                               (json_int_t)f->calls, "seconds", f->seconds);
    if (object && f->ratio > 0) {
        json_object_set_new(object, "ratio", json_real(f->ratio));
        json_object_set_new(object, "error", json_real(f->error));
    }
    if (object && f->out)
        json_object_set_new(object, "out", json_true());
    return object;
}

static json_t *figures_of(const cpm_lesson *l)
{
    json_t *list = json_array();
    for (int k = 0; list && k < l->count; k++)
        json_array_append_new(list, figure_of(&l->figure[k]));
    return list;
}

static json_t *object_of(const cpm_lesson *l)
{
    return json_pack("{s:s, s:i, s:I, s:I, s:i, s:b, s:s, s:s, s:s, s:s, s:o}", "operation",
                     l->operation->name, "processes", l->n, "from", (json_int_t)l->least, "to",
                     (json_int_t)l->most, "root", l->root, "ordered", l->ordered, "hosts",
                     l->at.hosts, "mpi", l->at.library, "cpm", l->at.version, "date", l->date,
                     "figures", figures_of(l));
}

/* A lesson with a text that is not UTF-8 is left out. */
static bool put_lesson(FILE *f, const cpm_lesson *l, bool first)
{
    json_t *object = object_of(l);
    char *line = object ? json_dumps(object, JSON_REAL_PRECISION(6)) : NULL;
    json_decref(object);
    if (!line)
        return false;
    fprintf(f, "%s\n    %s", first ? "" : ",", line);
    free(line);
    return true;
}

/* ---- the table */

/* Of lessons that say something about the same calls the one that more calls taught is taken. */
static int in_order(const void *a, const void *b)
{
    const cpm_lesson *x = *(const cpm_lesson *const *)a, *y = *(const cpm_lesson *const *)b;
    if (x->operation != y->operation)
        return x->operation < y->operation ? -1 : 1;
    if (x->n != y->n)
        return x->n - y->n;
    if (x->least != y->least)
        return x->least < y->least ? -1 : 1;
    long of_x = x->count ? x->figure[0].calls : 0, of_y = y->count ? y->figure[0].calls : 0;
    return of_x != of_y ? (of_x < of_y) - (of_x > of_y) : (x > y) - (x < y);
}

static cpm_rule rule_of(const cpm_lesson *l)
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
static bool make_table(const cpm_lessons *all, cpm_table *t)
{
    const cpm_lesson **sorted = malloc(((size_t)all->count + 1) * sizeof *sorted);
    int status = sorted ? cpm_facts_set(&t->facts, NULL, "method", "what programs' calls showed")
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

static bool put_all(const cpm_lessons *all, FILE *f)
{
    cpm_table t = {0};
    bool first = true;
    fputs(lessons_head, f);
    for (int k = 0; k < all->count; k++)
        if (put_lesson(f, &all->at[k], first))
            first = false;
    fputs(first ? "],\n" : "\n  ],\n", f);
    bool ok = make_table(all, &t) && cpm_table_put(&t, f);
    cpm_table_clear(&t);
    return ok;
}

char *cpm_lessons_text(const cpm_lessons *all)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    bool ok = f && put_all(all, f) && !ferror(f);
    if (f && fclose(f) == 0 && ok)
        return text;
    free(text);
    return NULL;
}
