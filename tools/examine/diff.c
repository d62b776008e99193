/* cpm diff: what changed between two models beyond their uncertainty. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/examine/diff.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/table.h"
#include "tools/measure/conditions.h"

/* What counts as a difference. */
typedef struct {
    settings shared;
    double alpha, min_effect;
    bool full;
} diff_settings;

static diff_settings *diff_of(const call *c)
{
    return (diff_settings *)c->set;
}

enum { FEW_CHANGES = 20 };

static bool has_level(const diff_pair *of, cpm_level level)
{
    if (level == CPM_BETWEEN)
        return !of->hosts || of->a->on.count > 1;
    if (level == CPM_LOCAL)
        return of->a->type->combine != NULL;
    return level == CPM_INSIDE ? of->hosts : of->sockets;
}

/* ---- counts */

static void add_count(table *t, const cpm_model *m, int p, const cpm_diff_count *k, bool exact)
{
    table_cell(t, "%s", m->type->parameters[p].name);
    table_cell(t, "%s", m->type->parameters[p].meaning);
    table_cell(t, "%d", k->compared);
    table_cell(t, "%d", k->changed);
    if (exact)
        return;
    if (isnan(k->seen))
        table_cell(t, "-");
    else
        table_cell(t, "%.2g %%", 100 * k->seen);
}

/* The parameters of a level. */
static int print_level(const cpm_model *m, const cpm_diff_result *r, cpm_level level, cpm_error *e)
{
    table t = {0};
    table_head(&t, "parameter", "meaning", "values", "changed", r->exact ? NULL : "seen from",
               NULL);
    for (int p = 0; p < m->type->count; p++)
        if (cpm_model_has_parameter(m, p) && m->type->parameters[p].level == level)
            add_count(&t, m, p, &r->of[p], r->exact);
    return table_print(&t, "  ", 2, stdout, e);
}

/* What could not be judged of a parameter, a line each. */
static void put_unknown(FILE *out, const char *before, const cpm_parameter *p,
                        const cpm_diff_result *r, const cpm_diff_count *k)
{
    if (k->unjudged)
        fprintf(out,
                "%s%s: %d of %d values differ, but have no interval in one of the models or in "
                "both\n",
                before, p->name, k->unjudged, k->compared);
    if (k->unmeasured)
        fprintf(out, "%s%s: %d value%s known in one of the models only\n", before, p->name,
                k->unmeasured, k->unmeasured == 1 ? " is" : "s are");
    if (k->small && r->exact)
        fprintf(out,
                "%s%s: %d of %d values differ by less than --min-effect, and have no interval\n",
                before, p->name, k->small, k->compared);
    if (k->unmatched && !r->trip_count)
        fprintf(out, "%s%s: message sizes have other regimes, of which %s is compared\n", before,
                p->name, k->compared ? "only the first" : "none");
    if (k->unseen)
        fprintf(out,
                "%s%s: %d of %d values have too wide intervals. A value three times as large, or "
                "one that makes a message half as long again, would not be seen\n",
                before, p->name, k->unseen, k->compared);
}

static bool has_other_regimes(const cpm_model *m, const cpm_diff_result *r)
{
    for (int p = 0; p < m->type->count; p++)
        if (r->of[p].unmatched)
            return true;
    return false;
}

static void put_all_unknown(FILE *out, const char *before, const cpm_model *m,
                            const cpm_diff_result *r)
{
    for (int p = 0; p < m->type->count; p++)
        put_unknown(out, before, &m->type->parameters[p], r, &r->of[p]);
    if (has_other_regimes(m, r) && r->trips_unseen)
        fprintf(out,
                "%smessages: regimes differ, and %d of %d times differ too much or are too "
                "uncertain. A message that takes half as long again would not be seen\n",
                before, r->trips_unseen, r->trip_count);
}

/* Regimes that are not compared value by value, but by their messages. */
static void print_notes(const cpm_model *m, const cpm_diff_result *r)
{
    if (r->verdict == CPM_DIFF_CHANGED)
        put_all_unknown(stdout, "note: cannot tell of ", m, r);
    if (has_other_regimes(m, r) && r->trip_count)
        puts("note: message sizes have other regimes: of all but the first only the times of "
             "messages are compared");
}

static int print_counts(const diff_pair *of, const cpm_diff_result *r, cpm_error *e)
{
    static const char *const heads[] = {NULL, "\n  inside a host", "\n  between sockets of a host",
                                        "\n  in a process"};
    int status = CPM_OK;
    for (cpm_level level = CPM_BETWEEN; level <= CPM_LOCAL && !status; level++) {
        if (!has_level(of, level))
            continue;
        if (heads[level])
            puts(heads[level]);
        status = print_level(of->a, r, level, e);
    }
    if (!status)
        print_notes(of->a, r);
    return status;
}

/* ---- the verdict */

static const char *const verdicts[] = {
    [CPM_DIFF_SAME] = "the same",
    [CPM_DIFF_CHANGED] = "changed",
    [CPM_DIFF_CANNOT_TELL] = "cannot tell",
};

static void put_changed(FILE *out, const cpm_diff_result *r)
{
    const char *plural = r->count == 1 ? "" : "s";
    if (r->count)
        fprintf(out, "%d change%s beyond the uncertainty of the models\n\n", r->count, plural);
    else
        fputs("changed: messages, beyond the uncertainty of their times, but no single value\n\n",
              out);
}

/* Changes below least_effect are left out, however well they would have been seen. */
static void put_same(FILE *out, const cpm_diff_result *r, double least_effect)
{
    double value = fmax(CPM_DIFF_LARGE, 1 + least_effect);
    double message = fmax(1 + CPM_DIFF_LONGER, 1 + least_effect);
    if (r->equal)
        fputs("the same: all values are equal\n\n", out);
    else if (least_effect > 0)
        fprintf(
            out,
            "the same: nothing changed beyond its uncertainty by %g %% or more. A value %g times "
            "as large, or a message of %g times as long, would have been seen\n\n",
            100 * least_effect, value, message);
    else
        fputs("the same: nothing changed beyond its uncertainty. A value three times as large, or "
              "a message half as long again, would have been seen\n\n",
              out);
}

static void put_verdict(FILE *out, const diff_pair *of, const cpm_diff_result *r,
                        double least_effect)
{
    if (r->verdict == CPM_DIFF_CHANGED) {
        put_changed(out, r);
    } else if (r->exact && r->count) {
        fprintf(out,
                "cannot tell: %d value%s, and neither model has intervals, so this may be "
                "measurement error\n\n",
                r->count, r->count == 1 ? " differs" : "s differ");
    } else if (r->verdict == CPM_DIFF_CANNOT_TELL) {
        fputs("cannot tell: nothing was seen to change, but not all could have been seen\n", out);
        put_all_unknown(out, "  ", of->a, r);
        fputc('\n', out);
    } else {
        put_same(out, r, least_effect);
    }
}

/* ---- changes, by name */

/* Of classes; of hosts, which are classes, too. */
static void add_class(table *t, const cpm_model *m, const char *name, bool hosts,
                      const cpm_change *c)
{
    char *const *class = m->classes.name;
    if (c->j < 0)
        table_cell(t, "%s of %s %s", name, hosts ? "host" : "class", class[c->i]);
    else
        table_cell(t, "%s of %s %s, %s", name, hosts ? "hosts" : "classes", class[c->i],
                   class[c->j]);
}

static void add_process(table *t, const cpm_model *m, const char *name, const cpm_change *c)
{
    const char *host = m->hosts[c->i];
    if (c->j < 0)
        table_cell(t, "%s of process %d%s%s%s", name, c->i, *host ? " (" : "", host,
                   *host ? ")" : "");
    else
        table_cell(t, "%s of pair %d, %d%s%s%s%s%s", name, c->i, c->j, *host ? " (" : "", host,
                   *host ? ", " : "", m->hosts[c->j], *host ? ")" : "");
}

static void add_place(table *t, const diff_pair *of, bool by_class, const cpm_change *c)
{
    const cpm_parameter *p = &of->a->type->parameters[c->parameter];
    char name[80];
    if (c->slice)
        snprintf(name, sizeof name, "%s from %zu B on", p->name,
                 cpm_parameter_sizes(of->a, c->parameter)->at[c->slice]);
    else
        snprintf(name, sizeof name, "%s", p->name);
    if (c->together)
        table_cell(t, "%s, all %d together", name, c->together);
    else if (c->i < 0)
        table_cell(t, "%s", name);
    else if (cpm_shape_thing(p->shape))
        table_cell(t, "%s of %s %s", name, cpm_shape_thing(p->shape),
                   cpm_model_thing(of->a, p->shape, c->i));
    else if (by_class)
        add_class(t, of->a, name, of->hosts, c);
    else
        add_process(t, of->a, name, c);
}

static void add_change(table *t, const diff_pair *of, bool by_class, const cpm_change *c)
{
    const unit *u = unit_named(of->a->type->parameters[c->parameter].unit);
    double share = c->to / c->from - 1;
    add_place(t, of, by_class, c);
    table_value(t, u, c->from);
    table_value(t, u, c->to);
    if (isfinite(share))
        table_cell(t, "%+.1f %%", 100 * share);
    else
        table_cell(t, "-");
    if (c->p == 0)
        table_cell(t, "exact");
    else if (c->p < 1e-9)
        table_cell(t, "< 1e-9");
    else
        table_cell(t, "%.1g", c->p);
}

/* Returns how many it has. */
static int add_first_changes(table *t, const diff_pair *of, const cpm_diff_result *r, bool full)
{
    int shown = full || r->count < FEW_CHANGES ? r->count : FEW_CHANGES;
    table_head(t, "changed", "from", "to", "by", "p", NULL);
    for (int q = 0; q < shown; q++)
        add_change(t, of, r->by_class, &r->at[q]);
    return shown;
}

static int print_changes(const diff_pair *of, const cpm_diff_result *r, bool full, cpm_error *e)
{
    table t = {0};
    int shown = add_first_changes(&t, of, r, full);
    putchar('\n');
    int status = table_print(&t, "  ", 1, stdout, e);
    if (!status && shown < r->count)
        printf("  and %d more (--full)\n", r->count - shown);
    return status;
}

/* ---- messages */

/* Messages of that size and level that were tested, and how many changed. */
static int count_trips(const diff_pair *of, const cpm_diff_result *r, size_t bytes, cpm_level level,
                       int *changed)
{
    int count = 0;
    *changed = 0;
    for (int q = 0; q < r->trip_count; q++) {
        const cpm_diff_trip *t = &r->trips[q];
        if (t->of.bytes != bytes || cpm_model_level(of->a, t->of.from, t->of.to) != level)
            continue;
        count++;
        *changed += t->changed;
    }
    return count;
}

static int add_message(table *t, const diff_pair *of, const cpm_diff_result *r, size_t bytes,
                       cpm_level level, cpm_error *e)
{
    cpm_diff_effect effect;
    int status = cpm_diff_message(of->a, of->b, bytes, level, &effect, e), changed;
    if (status)
        return status;
    table_cell(t, "%zu", bytes);
    table_cell(t, "%+.1f %%", 100 * (effect.median - 1));
    table_cell(t, "%+.1f %%", 100 * (effect.most - 1));
    if (effect.i < 0)
        table_cell(t, "-");
    else if (level != CPM_BETWEEN)
        table_cell(t, "%s", of->a->hosts[effect.i]);
    else if (of->hosts)
        table_cell(t, "%s -> %s", of->a->hosts[effect.i], of->a->hosts[effect.j]);
    else
        table_cell(t, "%d -> %d", effect.i, effect.j);
    int tested = count_trips(of, r, bytes, level, &changed);
    if (r->trip_count && tested)
        table_cell(t, "%d of %d", changed, tested);
    else if (r->trip_count)
        table_cell(t, "-");
    return CPM_OK;
}

static int print_level_messages(const diff_pair *of, const cpm_diff_result *r,
                                const cpm_sizes *sizes, cpm_level level, cpm_error *e)
{
    static const char *const where[] = {" between hosts", " inside a host",
                                        " between sockets of a host"};
    table t = {0};
    int status = CPM_OK;
    table_head(&t, "message [B]", "median", "most", level == CPM_BETWEEN ? "from -> to" : "host",
               r->trip_count ? "changed" : NULL, NULL);
    for (int s = 0; !status && s < sizes->count; s++)
        status = add_message(&t, of, r, sizes->at[s], level, e);
    printf("\nmessages%s take longer by\n", of->hosts ? where[level] : "");
    int printed = table_print(&t, "  ", 0, stdout, e);
    return status ? status : printed;
}

static int print_messages(const diff_pair *of, const cpm_diff_result *r, const cpm_sizes *sizes,
                          cpm_error *e)
{
    int status = CPM_OK;
    for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS && !status; level++)
        if (has_level(of, level))
            status = print_level_messages(of, r, sizes, level, e);
    return status;
}

/* ---- the same for programs */

static const char *const levels[] = {[CPM_BETWEEN] = "between",
                                     [CPM_INSIDE] = "inside",
                                     [CPM_ACROSS] = "across",
                                     [CPM_LOCAL] = "local"};

static void add_counts(cpm_report_tables *all, const diff_pair *of, const cpm_diff_result *r)
{
    static const cpm_report_table_column columns[] = {
        {"parameter", 0}, {"level", 0},    {"values", 0},     {"changed", 0},
        {"small", 0},     {"unjudged", 0}, {"unmeasured", 0}, {"unmatched", 0},
        {"unseen", 0},    {"seen", 4},     {NULL, 0}};
    static const cpm_report_table counts = {"parameters", NULL, columns};
    cpm_report_tables_begin(all, &counts);
    for (int p = 0; p < of->a->type->count; p++) {
        const cpm_diff_count *k = &r->of[p];
        cpm_level level = of->a->type->parameters[p].level;
        bool known = cpm_model_has_parameter(of->a, p) || cpm_model_has_parameter(of->b, p);
        if (known && (has_level(of, level) || k->unmeasured))
            cpm_report_tables_row(all, "ssnnnnnnnr", of->a->type->parameters[p].name, levels[level],
                                  (long)k->compared, (long)k->changed, (long)k->small,
                                  (long)k->unjudged, (long)k->unmeasured, (long)k->unmatched,
                                  (long)k->unseen, k->seen);
    }
}

/* Of process, host, class, switch or link i of a parameter; NULL: there is none. */
static const char *name_at(const diff_pair *of, const cpm_parameter *p, bool by_class, int i)
{
    if (i < 0)
        return NULL;
    if (cpm_shape_thing(p->shape))
        return cpm_model_thing(of->a, p->shape, i);
    return by_class && cpm_model_has_classes(of->a) ? of->a->classes.name[i] : of->a->hosts[i];
}

static void add_changes(cpm_report_tables *all, const diff_pair *of, const cpm_diff_result *r)
{
    static const cpm_report_table_column columns[] = {
        {"parameter", 0}, {"level", 0},  {"size", 0},     {"i", 0},     {"j", 0},
        {"name_i", 0},    {"name_j", 0}, {"before", 9},   {"after", 9}, {"unit", 0},
        {"change", 4},    {"p", 9},      {"together", 0}, {NULL, 0}};
    static const cpm_report_table changes = {"changes", NULL, columns};
    cpm_report_tables_begin(all, &changes);
    for (int q = 0; q < r->count; q++) {
        const cpm_change *c = &r->at[q];
        const cpm_parameter *p = &of->a->type->parameters[c->parameter];
        cpm_report_tables_row(
            all, "ssnnnssrrsrrn", p->name, levels[p->level],
            c->slice ? (long)cpm_parameter_sizes(of->a, c->parameter)->at[c->slice] : 0L,
            (long)c->i, (long)c->j, name_at(of, p, r->by_class, c->i),
            name_at(of, p, r->by_class, c->j), c->from, c->to, p->unit, c->to / c->from - 1, c->p,
            (long)c->together);
    }
}

static int add_effects(cpm_report_tables *all, const diff_pair *of, const cpm_diff_result *r,
                       const cpm_sizes *sizes, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {
        {"level", 0}, {"size", 0},   {"median_change", 4}, {"most_change", 4}, {"i", 0},
        {"j", 0},     {"tested", 0}, {"changed", 0},       {NULL, 0}};
    static const cpm_report_table messages = {"messages", NULL, columns};
    int status = CPM_OK;
    cpm_report_tables_begin(all, &messages);
    for (cpm_level level = CPM_BETWEEN; level < CPM_LEVELS; level++)
        for (int s = 0; has_level(of, level) && s < sizes->count && !status; s++) {
            cpm_diff_effect effect;
            status = cpm_diff_message(of->a, of->b, sizes->at[s], level, &effect, e);
            int changed, tested = count_trips(of, r, sizes->at[s], level, &changed);
            if (!status)
                cpm_report_tables_row(all, "snrrnnnn", levels[level], (long)sizes->at[s],
                                      effect.median - 1, effect.most - 1, (long)effect.i,
                                      (long)effect.j, (long)tested, (long)changed);
        }
    return status;
}

static int print_report_tables(const call *c, const diff_pair *of, const cpm_diff_result *r,
                               cpm_error *e)
{
    cpm_report_tables all = {.title = "diff"};
    cpm_report_tables_metadata(&all, "before", "s", c->operand[0]);
    cpm_report_tables_metadata(&all, "after", "s", c->operand[1]);
    cpm_report_tables_metadata(&all, "model", "s", of->a->type->name);
    cpm_report_tables_metadata(&all, "verdict", "s", verdicts[r->verdict]);
    cpm_report_tables_metadata(&all, "changed", "n", (long)r->count);
    cpm_report_tables_metadata(&all, "exact", "b", r->exact);
    cpm_report_tables_metadata(&all, "messages_tested", "n", (long)r->trip_count);
    cpm_report_tables_metadata(&all, "messages_changed", "n", (long)r->trips_changed);
    cpm_report_tables_metadata(&all, "messages_unseen", "n", (long)r->trips_unseen);
    add_counts(&all, of, r);
    add_changes(&all, of, r);
    int status = add_effects(&all, of, r, &c->set->calls.sizes, e);
    if (!status)
        return output_sheets(&all, c->set->out.format, e);
    cpm_report_tables_clear(&all);
    return status;
}

int diff_print(const diff_pair *of, const cpm_diff_result *r, double least_effect, bool full,
               const cpm_sizes *sizes, cpm_error *e)
{
    bool changed = r->count || r->trips_changed;
    put_verdict(stdout, of, r, least_effect);
    int status = print_counts(of, r, e);
    if (!status && r->count)
        status = print_changes(of, r, full, e);
    if (!status && changed)
        status = print_messages(of, r, sizes, e);
    return status;
}

/* ---- hosts, whatever processes are on them */

/* Of `each` processes of every host: the first two are on one socket, a third on another. */
static void find_sockets(const cpm_model *m, int each, int *socket)
{
    for (int i = 0; i < each * m->on.count; i++)
        socket[i] = -1;
    for (int i = 0; i < m->n && m->on.socket; i++) {
        int *of = socket + (ptrdiff_t)each * m->on.of[i], own = m->on.socket[i];
        if (of[0] < 0)
            of[0] = of[1] = own;
        else if (each > 2 && own >= 0 && own != of[0])
            of[2] = own;
    }
}

/* So many processes on each host. */
static int place(const cpm_model *m, int each, cpm_model **out, cpm_error *e)
{
    int n = each * m->on.count, *host = malloc((size_t)n * sizeof *host);
    int *socket = malloc((size_t)n * sizeof *socket), status = CPM_OK;
    if (!host || !socket)
        status = cpm_no_memory(e);
    for (int i = 0; i < n && !status; i++)
        host[i] = i / each;
    if (!status) {
        find_sockets(m, each, socket);
        status = cpm_model_place(m, host, socket, n, out, e);
    }
    free(host);
    free(socket);
    return status;
}

int diff_pair_make(const cpm_model *a, const cpm_model *b, diff_pair *of, cpm_error *e)
{
    *of = (diff_pair){0};
    of->hosts = a->inside.count > 0 && b->inside.count > 0;
    of->sockets = of->hosts && a->across.count > 0 && b->across.count > 0;
    int each = of->sockets ? 3 : 2;
    int status = of->hosts ? place(a, each, &of->placed[0], e) : CPM_OK;
    if (!status && of->hosts)
        status = place(b, each, &of->placed[1], e);
    of->a = of->placed[0] ? of->placed[0] : a;
    of->b = of->placed[1] ? of->placed[1] : b;
    return status;
}

void diff_pair_clear(diff_pair *of)
{
    for (int i = 0; i < 2; i++)
        cpm_model_free(of->placed[i]);
    *of = (diff_pair){0};
}

/* ---- for others */

static char *text_of_verdict(const diff_pair *of, const cpm_diff_result *r)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    put_verdict(out, of, r, 0);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    text[strcspn(text, "\n")] = '\0';
    return text;
}

int diff_tell(const cpm_model *before, const cpm_model *after, diff_said *out, cpm_error *e)
{
    const cpm_diff_options o = CPM_DIFF_DEFAULT;
    cpm_diff_result r = {0};
    diff_pair of;
    *out = (diff_said){0};
    int status = diff_pair_make(before, after, &of, e);
    if (!status)
        status = cpm_diff_models(of.a, of.b, &o, &r, e);
    if (!status) {
        out->verdict = r.verdict;
        out->count = r.count;
        out->says = text_of_verdict(&of, &r);
        add_first_changes(&out->changes, &of, &r, false);
        status = out->says && !out->changes.failed ? CPM_OK : cpm_no_memory(e);
        cpm_diff_clear(&r);
    }
    diff_pair_clear(&of);
    return status;
}

void diff_said_clear(diff_said *said)
{
    free(said->says);
    table_clear(&said->changes);
    *said = (diff_said){0};
}

/* ---- the subcommand */

static int report(call *c, const diff_pair *of, cpm_error *e)
{
    cpm_diff_options o = CPM_DIFF_DEFAULT;
    cpm_diff_result r;
    o.alpha = diff_of(c)->alpha;
    o.least_effect = diff_of(c)->min_effect;
    o.confidence = c->set->how.precision.confidence;
    int status = cpm_diff_models(of->a, of->b, &o, &r, e);
    if (status)
        return status;
    status = c->set->out.format == CPM_FORMAT_TEXT
                 ? diff_print(of, &r, o.least_effect, diff_of(c)->full, &c->set->calls.sizes, e)
                 : print_report_tables(c, of, &r, e);
    static const outcome outcomes[] = {[CPM_DIFF_SAME] = OUTCOME_DONE,
                                       [CPM_DIFF_CHANGED] = OUTCOME_FOUND,
                                       [CPM_DIFF_CANNOT_TELL] = OUTCOME_CANNOT_TELL};
    if (!status)
        c->outcome = outcomes[r.verdict];
    cpm_diff_clear(&r);
    return status;
}

/* Says what was said when they were measured. */
static int read_one(const char *path, cpm_model **out, cpm_error *e)
{
    int status = cpm_model_read(path, out, e);
    if (!status)
        conditions_repeat(path, &(*out)->metadata);
    return status;
}

static int run(call *c, cpm_error *e)
{
    diff_pair of = {0};
    cpm_error why = {0};
    cpm_model *read[2] = {NULL, NULL};
    int status =
        c->set->calls.sizes.count ? CPM_OK : cpm_sizes_parse(DIFF_SIZES, &c->set->calls.sizes, e);
    for (int i = 0; i < 2 && !status; i++)
        status = read_one(c->operand[i], &read[i], e);
    if (!status)
        status = diff_pair_make(read[0], read[1], &of, e);
    if (!status && (status = report(c, &of, &why)))
        cpm_fail(e, status, "%s and %s: %s", c->operand[0], c->operand[1], why.text);
    diff_pair_clear(&of);
    for (int i = 0; i < 2; i++)
        cpm_model_free(read[i]);
    return status;
}

static void defaults(void *set)
{
    diff_settings *s = set;
    s->min_effect = CPM_DIFF_DEFAULT.least_effect;
    s->alpha = CPM_DIFF_DEFAULT.alpha;
}

/* clang-format off */
static const option own[] = {
    {"min-effect", 0, "X", "ignore changes by less than this share (default 0)",
     offsetof(diff_settings, min_effect), set_number},
    {"alpha", 0, "X", "probability of any false change between models of an unchanged cluster "
     "(default 0.01)", offsetof(diff_settings, alpha), set_share},
    {"confidence", 0, "X", "confidence level of the intervals of the models (default: what they "
                           "say, or 0.95)",
     offsetof(settings, how.precision.confidence), set_share},
    {"sizes", 'm', "SIZES", "message sizes whose times are compared (default 0,1K,64K,1M)",
     offsetof(settings, calls.sizes), set_sizes},
    {"full", 0, NULL, "print all changes, however many", offsetof(diff_settings, full), NULL},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_diff = {
    .name = "diff",
    .operands = "BEFORE.mod AFTER.mod",
    .summary = "find what changed between two models",
    .description =
        "Compares two models of the same kind, processes and hosts value by value. A value "
        "changed if errors alone cannot explain its two intervals (p: probability of any such "
        "change by errors alone, corrected for all values). Also finds values of a kind that "
        "moved together, even if no single one changed for sure, and messages whose times "
        "changed. If neither model has intervals, equal values are the same, and for others the "
        "verdict is \"cannot tell\". The verdict is \"the same\" only if a value three times as "
        "large, or a message half as long again, would have been seen. Models that know the "
        "inside of hosts are compared host by host, whatever processes run there. Exit code 0: "
        "the same; 3: something changed; 4: cannot tell. It cannot tell where values have no "
        "intervals, have too wide ones, or are known in one model only.",
    .example = "mpiexec -n 4 cpm model -o today.mod\ncpm diff cluster.mod today.mod",
    .min_operands = 2,
    .max_operands = 2,
    .settings = sizeof(diff_settings),
    .options = {own, format_options},
    .defaults = defaults,
    .run = run,
};
