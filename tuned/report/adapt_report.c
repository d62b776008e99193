/* Communicators with like kinds of calls and the same outcome share a row. */
#include "tuned/report/adapt_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuned/adapt/adapt.h"
#include "tuned/report/ab_comparison.h"
#include "tuned/report/observed.h"

/* What calls by others than MPI's own gained and lost against it, seconds. That is known where they
 * ran in turns with it: what it took at another time says nothing. NaN: not known. */
typedef struct {
    double gained, lost, error; /* none below 0; error: of the first two */
    double met;                 /* what exchanges of statistics took */
} worth;

/* Of one kind of calls; means are weighted by the calls of each communicator. */
typedef struct row {
    tuned_kind kind;
    char chosen[TUNED_NAME];
    long calls;
    int communicators, tried;
    long chosen_after;                    /* calls, the most of a communicator */
    double native, seconds, ratio, error; /* sums of what a call takes times calls; NaN: unknown */
    worth worth;
    struct row *next;
} row;

static row *rows;

/* Of all communicators that adapt, seconds. */
static struct {
    int opened, closed;
    bool bounded;        /* within a budget */
    double share;        /* of native's time, which may be lost, */
    double constant;     /* beside so much */
    double taken;        /* by those that were opened */
    double closed_taken; /* of the others */
    double needed;       /* for the cheapest of these to be opened; 0: none knows */
    worth worth;         /* of all rows */
    double deciding;     /* exchanges and everything else that is no call */
} total;

/* ---- counting ---- */

static const double errors = 1.96; /* half an interval of 95 % */

static bool is_of(const row *r, const tuned_context *x, const char *chosen)
{
    return r->kind.operation == x->kind.operation && r->kind.root == x->kind.root &&
           r->kind.least == x->kind.least && r->kind.most == x->kind.most &&
           strcmp(r->chosen, chosen) == 0;
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

static void add_worth(worth *to, const worth *more)
{
    to->gained += more->gained;
    to->lost += more->lost;
    to->error += more->error; /* one wrong figure makes all calls wrong alike */
    to->met += more->met;
}

/* Of calls by one candidate. */
static worth worth_of(const cpm_adapt_seen *s)
{
    if (isnan(s->saved))
        return (worth){NAN, NAN, NAN, 0};
    return (worth){
        .gained = fmax(0, s->saved), .lost = fmax(0, -s->saved), .error = s->saved_error};
}

/* Nothing is known of what is as uncertain as all that MPI's own would have taken, nor of what is
 * more than that, by its calls: then times have changed meanwhile. */
static bool is_known(const tuned_context *x, const worth *w, double native)
{
    const double all = native * (double)x->calls;
    return errors * w->error < all && w->gained < all;
}

static worth worth_of_context(const tuned_context *x)
{
    const double native = cpm_adapt_look(x->engine, 0).mean;
    worth all = {0};
    for (int k = 1; k < x->count; k++) {
        const cpm_adapt_seen seen = cpm_adapt_look(x->engine, k);
        const worth one = worth_of(&seen);
        add_worth(&all, &one);
    }
    if (!(all.gained + all.lost == 0) && !is_known(x, &all, native))
        all.gained = all.lost = all.error = NAN;
    all.met = cpm_adapt_met(x->engine);
    return all;
}

static void count_context(const tuned_context *x)
{
    int who = x->ended ? 0 : cpm_adapt_incumbent(x->engine);
    cpm_adapt_seen native = cpm_adapt_look(x->engine, 0), best = cpm_adapt_look(x->engine, who);
    char chosen[TUNED_NAME];
    tuned_choice_print(&x->candidates[who]->choice, chosen, sizeof chosen);
    row *r = row_of(x, chosen);
    if (!r)
        return;
    double calls = (double)x->calls;
    const worth own = worth_of_context(x);
    add_worth(&r->worth, &own);
    add_worth(&total.worth, &own);
    r->calls += x->calls;
    r->communicators++;
    if (r->chosen_after < cpm_adapt_chosen_after(x->engine))
        r->chosen_after = cpm_adapt_chosen_after(x->engine);
    for (int k = 1; k < x->count; k++)
        r->tried += cpm_adapt_look(x->engine, k).tried;
    r->native += calls * known(native.mean);
    r->seconds += calls * known(best.mean);
    r->ratio += calls * (who ? known(best.ratio) : 1);
    r->error += calls * known(who ? best.ratio_error : 0);
}

static void count_contexts(const tuned_adapt *a)
{
    for (const tuned_context *x = a->contexts.all; x; x = x->next)
        if (x->engine)
            count_context(x);
        else if (x->calls) /* it ended, with what it knew */
            total.worth.gained = total.worth.lost = NAN;
}

static void count_opened(const tuned_adapt *a)
{
    total.opened++;
    total.taken += a->ledger.taken;
    total.deciding += fmax(0, a->ledger.charged);
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

void tuned_adapt_report_count(const tuned_state *t)
{
    const tuned_adapt *a = t->adapt;
    if (!a)
        return;
    total.bounded = a->policy == CPM_ADAPT_BUDGET;
    total.share = a->ledger.share;
    total.constant = fmax(total.constant, a->ledger.constant); /* one has that of the program */
    if (!a->open) {
        count_closed(t);
        return;
    }
    count_contexts(a);
    count_opened(a);
}

/* ---- the tables ---- */

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
        "not known, as none ran in turns, or times have changed meanwhile",
        columns};
    cpm_report_tables_begin(all, &kinds);
    for (const row *r = rows; r; r = r->next) {
        double calls = (double)r->calls;
        const worth *w = &r->worth;
        cpm_report_tables_row(
            all, "snnnnnnsrrrrnrrrr", r->kind.operation->name, (long)r->kind.least,
            (long)r->kind.most, (long)r->kind.root, (long)r->communicators, r->calls,
            (long)r->tried, r->chosen, r->native / calls * 1e6, r->seconds / calls * 1e6,
            r->ratio / calls, errors * r->error / calls, r->chosen_after, w->lost * 1e3,
            w->met * 1e3, (w->gained - w->lost - w->met) * 1e3, errors * w->error * 1e3);
    }
}

/* The whole program: where nothing was opened nothing was lost. */
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
    const worth *w = &total.worth;
    double taken = total.taken + total.closed_taken;
    double saved = w->gained - w->lost - total.deciding, native = taken + saved;
    double allowed = total.bounded ? total.share * native + total.constant : NAN;
    cpm_report_tables_begin(all, &budget);
    cpm_report_tables_row(all, "nnrrrrrrrrr", (long)total.opened, (long)total.closed, native * 1e3,
                          taken * 1e3, w->lost * 1e3, total.deciding * 1e3, saved * 1e3,
                          isnan(saved) ? NAN : errors * w->error * 1e3,
                          native > 0 ? saved / native * 100 : NAN, allowed * 1e3,
                          total.needed > 0 ? total.needed * 1e3 : NAN);
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
