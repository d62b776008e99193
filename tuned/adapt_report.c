/* Communicators with like kinds of calls and the same outcome share a row. */
#include "tuned/adapt_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuned/adapt.h"
#include "tuned/observed.h"
#include "tuned/turns.h"

/* Of one kind of calls; means are weighted by the calls of each communicator. */
typedef struct row {
    tuned_kind kind;
    char chosen[TUNED_NAME];
    long calls;
    int communicators, tried;
    long chosen_after;                    /* calls, the most of a communicator */
    double native, seconds, ratio, error; /* sums of what a call takes times calls; NaN: unknown */
    struct row *next;
} row;

static row *rows;
static cpm_ledger total; /* of all communicators with a budget */
static int opened;       /* communicators with one */

/* ---- counting ---- */

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
}

static void count_budget(const cpm_ledger *l)
{
    opened++;
    total.constant = fmax(total.constant, l->constant); /* one has that of the program */
    total.share = l->share;
    total.native += l->native;
    total.taken += l->taken;
}

void tuned_adapt_report_count(const tuned_state *t)
{
    const tuned_adapt *a = t->adapt;
    if (!a || !a->open)
        return;
    count_contexts(a);
    if (a->policy == CPM_ADAPT_BUDGET)
        count_budget(&a->ledger);
}

/* ---- the tables ---- */

static void add_kinds(cpm_sheets *all)
{
    static const cpm_sheet_column columns[] = {
        {"operation", 0},     {"from", 0},      {"to", 0},        {"root", 0},
        {"communicators", 0}, {"calls", 0},     {"tried", 0},     {"chosen", 0},
        {"native_us", 2},     {"chosen_us", 2}, {"of_native", 3}, {"interval", 3},
        {"chosen_after", 0},  {NULL, 0}};
    static const cpm_sheet kinds = {
        "adapted",
        "what the calls decided: mean times over processes; of_native: the chosen one's time as a "
        "share of that of MPI's own in turns with it, and half its 95 % interval; chosen_after: "
        "so many of these calls",
        columns};
    cpm_sheets_begin(all, &kinds);
    for (const row *r = rows; r; r = r->next) {
        double calls = (double)r->calls;
        cpm_sheets_row(all, "snnnnnnsrrrrn", r->kind.operation->name, (long)r->kind.least,
                       (long)r->kind.most, (long)r->kind.root, (long)r->communicators, r->calls,
                       (long)r->tried, r->chosen, r->native / calls * 1e6, r->seconds / calls * 1e6,
                       r->ratio / calls, 1.96 * r->error / calls, r->chosen_after);
    }
}

static void add_budget(cpm_sheets *all)
{
    static const cpm_sheet_column columns[] = {{"opened", 0},   {"native_ms", 3},  {"taken_ms", 3},
                                               {"saved_ms", 3}, {"allowed_ms", 3}, {NULL, 0}};
    static const cpm_sheet budget = {
        "budget",
        "collectives of opened communicators: what MPI's own would have taken, what they took with "
        "all trying and deciding, what that saved (below 0: lost), what may be lost",
        columns};
    cpm_sheets_begin(all, &budget);
    cpm_sheets_row(all, "nrrrr", (long)opened, total.native * 1e3, total.taken * 1e3,
                   (total.native - total.taken) * 1e3,
                   (total.share * total.native + total.constant) * 1e3);
}

void tuned_adapt_report_add(cpm_sheets *all)
{
    if (rows)
        add_kinds(all);
    if (opened)
        add_budget(all);
}

void tuned_adapt_report_clear(void)
{
    for (row *r = rows, *next; r; r = next) {
        next = r->next;
        free(r);
    }
    rows = NULL;
    total = (cpm_ledger){0};
    opened = 0;
}
