/* Communicators with like kinds of calls and the same outcome share a row. */
#include "tuned/report/adapt_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "selection/library_defaults.h"
#include "tuned/adapt/adapt.h"
#include "tuned/comm/selectors.h"
#include "tuned/report/ab_comparison.h"
#include "tuned/report/observed.h"
#include "tuned/report/summary.h"

/* Of one kind of calls; means are weighted by the calls of each communicator. */
typedef struct row {
    tuned_kind kind;
    const char *usual; /* what MPI's own routine is; NULL: not known */
    char chosen[TUNED_NAME];
    long calls;
    int communicators, tried;
    long chosen_after;                    /* calls, the most of a communicator */
    double judged;                        /* calls of which is known: */
    double native, seconds, ratio, error; /* sums of what a call takes times calls; NaN: unknown */
    tuned_saved_sum saved;
    struct row *next;
} row;

static row *rows;

/* Of all communicators that adapt, seconds. */
static struct {
    int opened, closed;
    bool bounded;          /* within a budget */
    double share;          /* of native's time, which may be lost, */
    double constant;       /* beside so much */
    double taken;          /* by calls of those that were opened */
    double closed_taken;   /* of the others */
    double needed;         /* for the cheapest of these to be opened; 0: none knows */
    tuned_saved_sum saved; /* of all rows */
    double costs;          /* of them: exchanges and everything else that is no call */
} total;

/* The whole program, seconds; NaN: not known. */
typedef struct {
    double native, taken, lost, costs, saved, half; /* half: of the interval of what is saved */
} program;

/* ---- counting ---- */

static const double errors = 1.96; /* half an interval of 95 % */

static bool is_of(const row *r, const tuned_context *x, const char *chosen)
{
    return r->kind.operation == x->kind.operation && r->kind.root == x->kind.root &&
           r->kind.least == x->kind.least && r->kind.most == x->kind.most &&
           r->kind.begun == x->kind.begun && strcmp(r->chosen, chosen) == 0;
}

/* By operation, then size; NULL: no memory. */
static row *row_of(const tuned_context *x, const char *chosen)
{
    row **at = &rows;
    while (*at && !is_of(*at, x, chosen) &&
           ((*at)->kind.operation < x->kind.operation ||
            ((*at)->kind.operation == x->kind.operation && (*at)->kind.least <= x->kind.least)))
        at = &(*at)->next;
    if (*at && is_of(*at, x, chosen))
        return *at;
    row *new = calloc(1, sizeof *new);
    if (!new)
        return NULL;
    new->kind = x->kind;
    snprintf(new->chosen, sizeof new->chosen, "%s", chosen);
    new->next = *at;
    return *at = new;
}

/* Unknown figures are 0 in the engine. */
static double known(double figure)
{
    return figure > 0 ? figure : NAN;
}

/* One that ended is MPI's own, of which nothing is known any more. */
static void count_engine(row *r, const tuned_context *x, int who)
{
    const cpm_adapt_seen native = cpm_adapt_look(x->engine, 0),
                         best = cpm_adapt_look(x->engine, who);
    const double calls = (double)x->calls;
    if (r->chosen_after < cpm_adapt_chosen_after(x->engine))
        r->chosen_after = cpm_adapt_chosen_after(x->engine);
    for (int k = 1; k < x->count; k++)
        r->tried += cpm_adapt_look(x->engine, k).tried;
    r->native += calls * known(native.mean);
    r->seconds += calls * known(best.mean);
    r->ratio += calls * (who ? known(best.ratio) : 1);
    r->error += calls * known(who ? best.ratio_error : 0);
    r->judged += calls;
}

/* As the operation is called: nonblocking ones "ialltoall". */
static const char *name_of(const tuned_kind *k, char name[TUNED_NAME])
{
    snprintf(name, TUNED_NAME, "%s%s", k->begun ? "i" : "", k->operation->name);
    return name;
}

/* What MPI's own routine is for these calls, where the library's decisions are known. */
static const char *usual_of(const tuned_kind *kind, int n)
{
    const cpm_request r = {.operation = kind->operation,
                           .n = n,
                           .root = kind->root,
                           .bytes = kind->most,
                           .ordered = kind->ordered};
    cpm_collective usual[CPM_MOST_USUAL];
    int count = cpm_library_default(tuned_selector_options().library, &r, usual);
    return count == 1 && usual[0].algorithm ? usual[0].algorithm->name : NULL;
}

static void count_context(const tuned_context *x, int n)
{
    const tuned_saved_sum own = tuned_context_saved(x);
    int who = x->engine && !x->ended ? cpm_adapt_incumbent(x->engine) : 0;
    char chosen[TUNED_NAME] = "native";
    tuned_saved_join(&total.saved, &own);
    if (who)
        tuned_choice_print(&x->candidates[who]->choice, chosen, sizeof chosen);
    row *r = row_of(x, chosen);
    if (!r)
        return;
    r->usual = x->kind.begun ? NULL : usual_of(&x->kind, n);
    tuned_saved_join(&r->saved, &own);
    r->calls += x->calls_before + x->calls;
    r->communicators++;
    if (x->engine)
        count_engine(r, x, who);
}

static void count_opened(const tuned_adapt *a)
{
    const tuned_told outside = tuned_adapt_outside(a);
    total.opened++;
    total.taken += outside.outside;
    total.costs += outside.costs;
    for (const tuned_context *x = a->contexts.all; x; x = x->next)
        if (x->engine || x->calls_before)
            count_context(x, a->n);
}

/* As this process has seen it. */
static double seconds_of(const tuned_count *c)
{
    double sum = 0;
    for (; c; c = c->next)
        sum += c->spent;
    return sum;
}

static void count_closed(const tuned_state *t)
{
    double needed = t->adapt->heard.needed;
    total.closed++;
    for (const tuned_decision *d = t->decisions.all; d; d = d->next)
        total.closed_taken += seconds_of(d->counts);
    for (int op = 0; op < CPM_OPERATIONS; op++)
        total.closed_taken += seconds_of(t->decisions.undecided[op].counts);
    if (needed > 0 && !(total.needed > 0 && total.needed < needed))
        total.needed = needed;
}

static bool is_used(const tuned_state *t)
{
    const tuned_adapt *a = t->adapt;
    return t->call != a->origin || a->stretches.untried || a->stretches.passed;
}

void tuned_adapt_report_count(const tuned_state *t)
{
    const tuned_adapt *a = t->adapt;
    if (!a || (!a->open && !is_used(t)))
        return;
    total.bounded = a->policy == CPM_ADAPT_BUDGET;
    total.share = a->ledger.share;
    total.constant = fmax(total.constant, a->ledger.constant + a->lent); /* one has that of the program */
    if (!a->open) {
        total.costs += tuned_adapt_outside(a).costs;
        count_closed(t);
        return;
    }
    count_opened(a);
}

/* ---- the tables ---- */

/* A figure, or NaN where nothing is known. */
static double if_known(const tuned_saved_sum *s, double figure)
{
    return isnan(tuned_saved_interval(s)) ? NAN : figure;
}

static void add_kinds(cpm_report_tables *all)
{
    static const cpm_report_table_column columns[] = {
        {"operation", 0},     {"from", 0},      {"to", 0},          {"root", 0},
        {"communicators", 0}, {"calls", 0},     {"tried", 0},       {"chosen", 0},
        {"native_us", 2},     {"chosen_us", 2}, {"of_native", 3},   {"interval", 3},
        {"chosen_after", 0},  {"trying_ms", 3}, {"deciding_ms", 3}, {"saved_ms", 3},
        {"interval_ms", 3},   {NULL, 0}};
    static const cpm_report_table kinds = {
        "adapted",
        "what the calls decided: mean times over processes. of_native: the chosen one's time over "
        "that of MPI's own, in turns with it. interval: half its 95 % interval. "
        "chosen_after: so many of these calls. Then come the losses by calls that were slower "
        "than MPI's own, and by meetings. Then comes what all calls saved nevertheless (below 0: "
        "lost), with half its interval. All compare with MPI's own calls in turns with them. -: "
        "not known, as too few ran in turns",
        columns};
    cpm_report_tables_begin(all, &kinds);
    for (const row *r = rows; r; r = r->next) {
        const tuned_saved_sum *s = &r->saved;
        char name[TUNED_NAME];
        cpm_report_tables_row(
            all, "snnnnnnsrrrrnrrrr", name_of(&r->kind, name), (long)r->kind.least,
            (long)r->kind.most, (long)r->kind.root, (long)r->communicators, r->calls,
            (long)r->tried, r->chosen, r->native / r->judged * 1e6, r->seconds / r->judged * 1e6,
            r->ratio / r->judged, errors * r->error / r->judged, r->chosen_after,
            if_known(s, s->lost * 1e3), s->met * 1e3,
            if_known(s, (s->gained - s->lost - s->met) * 1e3), tuned_saved_interval(s) * 1e3);
    }
}

static program program_of(void)
{
    tuned_saved_sum s = total.saved;
    s.spent += total.taken + total.closed_taken;
    program p = {.costs = total.costs, .taken = s.spent + total.costs, .lost = s.lost};
    p.half = tuned_saved_interval(&s);
    p.saved = isnan(p.half) ? NAN : s.gained - s.lost - total.costs;
    p.lost = isnan(p.half) ? NAN : s.lost;
    p.native = p.taken + p.saved;
    return p;
}

static void add_budget(cpm_report_tables *all)
{
    static const cpm_report_table_column columns[] = {
        {"opened", 0},        {"unopened", 0},    {"native_ms", 3},  {"taken_ms", 3},
        {"trying_ms", 3},     {"deciding_ms", 3}, {"saved_ms", 3},   {"interval_ms", 3},
        {"saved_percent", 2}, {"allowed_ms", 3},  {"opening_ms", 3}, {NULL, 0}};
    static const cpm_report_table budget = {
        "budget",
        "all collectives: what MPI's own would have taken, what they took with all trying and "
        "deciding, and what these two cost. Then comes what was saved (below 0: lost), with half "
        "its 95 % interval and as a share of MPI's own. Then comes what may be lost, and what "
        "opening takes where it was not paid yet. -: not known",
        columns};
    const program p = program_of();
    double allowed = total.bounded ? total.share * p.native + total.constant : NAN;
    cpm_report_tables_begin(all, &budget);
    cpm_report_tables_row(all, "nnrrrrrrrrr", (long)total.opened, (long)total.closed,
                          p.native * 1e3, p.taken * 1e3, p.lost * 1e3, p.costs * 1e3, p.saved * 1e3,
                          p.half * 1e3, p.native > 0 ? p.saved / p.native * 100 : NAN,
                          allowed * 1e3, total.needed > 0 ? total.needed * 1e3 : NAN);
}

/* Why there is nothing to see, where that is so. */
static void add_reason(cpm_report_tables *all)
{
    char text[300] = "";
    double native = total.closed_taken * 1e3, may = total.share * native + total.constant * 1e3;
    int n = snprintf(text, sizeof text,
                     "no communicator was opened, so all calls were MPI's own: collectives took "
                     "%.3g ms, of which %.3g ms may be lost",
                     native, may);
    if (total.needed > 0)
        snprintf(text + n, sizeof text - (size_t)n, ", and opening takes %.3g ms",
                 total.needed * 1e3);
    cpm_report_tables_notes(all, total.opened ? NULL : text);
}

/* ---- the summary ---- */

static double saved_by(const row *r)
{
    return r->saved.gained - r->saved.lost - r->saved.met;
}

/* A choice whose gain is known; behind: that which saves next to it. */
static const row *best_row(const row *behind)
{
    const row *best = NULL;
    for (const row *r = rows; r; r = r->next)
        if (strcmp(r->chosen, "native") != 0 && r->ratio > 0 && r != behind &&
            saved_by(r) > tuned_saved_interval(&r->saved) &&
            (!behind || saved_by(r) <= saved_by(behind)) && (!best || saved_by(r) > saved_by(best)))
            best = r;
    return best;
}

static void add_choice(cpm_report_tables *all, const row *r)
{
    char name[TUNED_NAME];
    tuned_summary_line(all, "%s of %zu B: MPI's own%s%s -> %s, %.3g times as fast, saves %.3g ms",
                       name_of(&r->kind, name), r->kind.most, r->usual ? " " : "",
                       r->usual ? r->usual : "", r->chosen, r->judged / r->ratio,
                       saved_by(r) * 1e3);
}

static void add_saved(cpm_report_tables *all, const program *p)
{
    char text[160];
    double costs = p->costs + (isnan(p->lost) ? 0 : p->lost);
    double of = isnan(p->native) ? p->taken : p->native;
    const cpm_ratio share = {p->saved / of, (p->saved - p->half) / of,
                             fmin(1, (p->saved + p->half) / of)};
    if (p->half == 0)
        snprintf(text, sizeof text, "MPI's own routines ran all collectives");
    else
        tuned_summary_saved(&share, "the time in collectives", text, sizeof text);
    tuned_summary_line(all, "%s; %s cost %.2g %%", text,
                       p->half == 0 ? "watching" : "trying and deciding",
                       of > 0 ? 100 * costs / of : 0);
}

bool tuned_adapt_report_summary(cpm_report_tables *all)
{
    if (!total.opened && !total.closed)
        return false;
    const program p = program_of();
    const row *first = best_row(NULL), *second = first ? best_row(first) : NULL;
    add_saved(all, &p);
    if (first)
        add_choice(all, first);
    if (second)
        add_choice(all, second);
    return true;
}

void tuned_adapt_report_add(cpm_report_tables *all)
{
    if (!total.opened && !total.closed)
        return;
    add_kinds(all);
    add_budget(all);
    add_reason(all);
}

void tuned_adapt_report_clear(void)
{
    for (row *r = rows, *next; r; r = next) {
        next = r->next;
        free(r);
    }
    rows = NULL;
    memset(&total, 0, sizeof total);
}
