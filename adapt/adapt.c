/* Contexts and the ledger: what every policy of trying counts. */
#include "adapt/adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/adapt_inside.h"

/* ---- the ledger */

static const double errors = 2; /* so much less than it seems is taken to be certain */

cpm_ledger cpm_ledger_new(void)
{
    return (cpm_ledger){.share = 0.02, .constant = 1e-3};
}

void cpm_ledger_charge(cpm_ledger *l, double seconds)
{
    l->taken += seconds;
    l->charged += seconds;
}

double cpm_ledger_room(const cpm_ledger *l)
{
    double gained = l->native - l->taken;
    double certain = fmax(0, gained - errors * l->account.error);
    return l->share * (l->native + l->ahead) + l->constant + (gained > 0 ? certain / 2 : gained);
}

static void note_meeting(cpm_ledger *l, double seconds)
{
    cpm_ledger_charge(l, seconds);
    l->meeting = l->meeting > 0 ? l->meeting + (seconds - l->meeting) / 8 : seconds;
}

/* ---- whose turn it is to try */

/* Times that one is refused. There is more to gain where calls took so many times as long, in all.
 */
enum { PATIENCE = 64, MORE = 2 };

static bool has_more(const cpm_adapt *a, const cpm_adapt *than)
{
    return (double)a->calls * a->level > MORE * (double)than->calls * than->level;
}

bool adapt_take_turn(cpm_adapt *a)
{
    cpm_ledger *l = a->ledger;
    const bool tries = l->trying && l->trying != a && !has_more(a, l->trying);
    const bool saves = l->saving && l->saving != a && has_more(l->saving, a);
    if ((tries || saves) && ++l->refused < PATIENCE)
        return false;
    if (saves) /* who still does says so again */
        l->saving = NULL;
    l->trying = a;
    l->refused = 0;
    return true;
}

void adapt_save(cpm_adapt *a)
{
    cpm_ledger *l = a->ledger;
    if (!a->incumbent && (!l->saving || has_more(a, l->saving)))
        l->saving = a;
}

void adapt_save_no_more(cpm_adapt *a)
{
    if (a->ledger->saving == a)
        a->ledger->saving = NULL;
}

void adapt_leave_turn(cpm_adapt *a)
{
    if (a->ledger->trying != a)
        return;
    a->ledger->trying = NULL;
    a->ledger->refused = 0;
}

/* ---- tallies */

void adapt_tally_add(adapt_tally *t, double value)
{
    t->count++;
    t->sum += value;
    t->squares += value * value;
}

double adapt_tally_mean(const adapt_tally *t)
{
    return t->count ? t->sum / (double)t->count : 0;
}

double adapt_tally_spread(const adapt_tally *t)
{
    if (t->count < 2)
        return 0;
    double n = (double)t->count, squares = t->squares - t->sum * t->sum / n;
    return squares > 0 ? sqrt(squares / (n - 1)) : 0;
}

/* ---- contexts */

static const adapt_type *const types[] = {[CPM_ADAPT_BUDGET] = &adapt_budget,
                                          [CPM_ADAPT_STAR] = &adapt_star,
                                          [CPM_ADAPT_STAR_BASIC] = &adapt_star_basic,
                                          [CPM_ADAPT_THRESHOLD] = &adapt_threshold};

static bool allocate(cpm_adapt *a, size_t count)
{
    a->as = calloc(count, sizeof *a->as);
    a->seen = calloc(count, sizeof *a->seen);
    a->each = calloc(count, a->type->each);
    a->whole = calloc(1, a->type->whole);
    return a->as && a->seen && a->each && a->whole;
}

int cpm_adapt_create(cpm_adapt_policy p, const cpm_adapt_candidate *c, int count, cpm_ledger *l,
                     cpm_adapt **out, cpm_error *e)
{
    if (count < 1)
        return cpm_fail(e, CPM_EINVAL, "at least one way to run a call is needed, not %d", count);
    cpm_adapt *a = calloc(1, sizeof *a);
    if (a)
        a->type = types[p];
    if (!a || !allocate(a, (size_t)count)) {
        cpm_adapt_free(a);
        return cpm_no_memory(e);
    }
    a->ledger = l;
    a->count = count;
    memcpy(a->as, c, (size_t)count * sizeof *c);
    a->type->begin(a);
    *out = a;
    return CPM_OK;
}

static void leave(cpm_adapt *a)
{
    adapt_save_no_more(a);
    adapt_leave_turn(a);
    if (a->type->end)
        a->type->end(a);
}

void cpm_adapt_free(cpm_adapt *a)
{
    if (!a)
        return;
    if (a->ledger)
        leave(a);
    free(a->as);
    free(a->seen);
    free(a->each);
    free(a->whole);
    free(a);
}

const cpm_adapt_figures *adapt_figures_of(const cpm_adapt_figures *f, int count, int who)
{
    for (int k = 0; k < count; k++)
        if (f[k].who == who && f[k].calls > 0)
            return &f[k];
    return NULL;
}

static void count_calls(cpm_adapt *a, const cpm_adapt_figures *f)
{
    adapt_calls *seen = &a->seen[f->who];
    a->calls += f->calls;
    seen->calls += f->calls;
    seen->sum += f->sum;
    for (int k = 0; k < f->kept; k++)
        adapt_tally_add(&seen->kept, f->seconds[k]);
}

/* What is tried leaves ranks apart: calls that follow take longer, whoever runs them, by about as
 * much as ranks need to meet. Half of what was gained is left for that. */
static double disturbed(const cpm_adapt *a, const cpm_adapt_figures *f)
{
    const cpm_ledger *l = a->ledger;
    bool tried = a->type->bounded && f->who != 0 && f->who != a->incumbent;
    return tried && l->native <= l->taken ? l->meeting * (double)f->calls : 0;
}

static void account_for(cpm_adapt_account *to, const cpm_adapt_account *more)
{
    to->gained += more->gained;
    to->tried += more->tried;
    to->met += more->met;
    to->error += more->error; /* one wrong figure makes all calls wrong alike */
}

/* Seconds of a call by native while something was tried, in turns with what was chosen: by the
 * calls of that period, which drift and odd calls met alike. */
static double level_meanwhile(const cpm_adapt *a, const cpm_adapt_figures *f, int count, int chosen)
{
    const cpm_adapt_figures *beside = adapt_figures_of(f, count, chosen);
    const double ratio = chosen ? cpm_adapt_look(a, chosen).ratio : 1;
    return beside && ratio > 0 && a->level > 0 ? beside->sum / (double)beside->calls / ratio
                                               : a->level;
}

/* What the last calls show says it better than the few of one period, unless these took less than
 * a quarter of that: then times have changed. */
static double agreed_level(const cpm_adapt *a, double meanwhile)
{
    return a->level > 4 * meanwhile ? meanwhile : a->level;
}

/* Calls by native are their own measure; others are compared with what native takes: now, or while
 * they were tried. Where it never ran (STAR) nothing is known of what they gain. */
static void enter(cpm_adapt *a, const cpm_adapt_figures *f, int chosen, double meanwhile)
{
    bool is_measure = f->who == 0 || a->level == 0;
    double calls = (double)f->calls, level = agreed_level(a, meanwhile);
    double saved = is_measure ? 0 : level * calls - f->sum;
    double spent = f->spent > 0 ? f->spent : f->sum, more = disturbed(a, f);
    cpm_adapt_account now = {.error = is_measure ? 0 : a->level_error * calls};
    if (f->who && is_measure)
        now.gained = now.tried = NAN;
    else if (f->who == chosen)
        now.gained = saved;
    else
        now.tried = more - saved;
    account_for(&a->ledger->account, &now);
    a->ledger->taken += spent + more;
    a->ledger->native += spent + saved;
}

void cpm_adapt_feed(cpm_adapt *a, const cpm_adapt_figures *f, int count, double meeting)
{
    const cpm_adapt_account met = {.met = meeting};
    int chosen = a->incumbent;
    if (a->ledger->trying == a)
        a->ledger->refused = 0;
    note_meeting(a->ledger, meeting);
    account_for(&a->ledger->account, &met);
    a->met += meeting;
    for (int k = 0; k < count; k++)
        count_calls(a, &f[k]);
    a->type->judge(a, f, count);
    const double meanwhile = level_meanwhile(a, f, count, chosen);
    for (int k = 0; k < count; k++)
        enter(a, &f[k], chosen, f[k].who == chosen ? a->level : meanwhile);
    a->all_told = false;
}

void cpm_adapt_tell_all(cpm_adapt *a)
{
    a->all_told = true;
}

void cpm_adapt_expect(cpm_adapt *a, double native)
{
    if (native > 0 && a->type->expect)
        a->type->expect(a, native);
}

void cpm_adapt_recall(cpm_adapt *a, const cpm_adapt_figures *native)
{
    if (a->type->recall)
        a->type->recall(a, native);
}

static double mean_of(const adapt_calls *c)
{
    return c->calls ? c->sum / (double)c->calls : 0;
}

static double error_of(const adapt_calls *c)
{
    return c->kept.count ? adapt_tally_spread(&c->kept) / sqrt((double)c->kept.count) : 0;
}

void adapt_note_native(cpm_adapt *a)
{
    a->level = mean_of(&a->seen[0]);
    a->level_error = error_of(&a->seen[0]);
}

/* While the ranks met calls were made that nobody has told yet. */
void adapt_note_choice(cpm_adapt *a)
{
    int meanwhile = a->all_told ? 0 : CPM_ADAPT_MEANWHILE;
    a->chosen_after = a->calls ? a->calls + meanwhile : 0;
}

cpm_adapt_period cpm_adapt_next(cpm_adapt *a)
{
    return a->type->next(a);
}

int cpm_adapt_turn(const cpm_adapt_period *p, int made, long calls)
{
    bool second = made % 2;
    if (p->first == p->second)
        return p->first;
    for (long pair = (calls - second) / 2; pair; pair &= pair - 1)
        second = !second;
    return second ? p->second : p->first;
}

int cpm_adapt_incumbent(const cpm_adapt *a)
{
    return a->incumbent;
}

long cpm_adapt_chosen_after(const cpm_adapt *a)
{
    return a->chosen_after;
}

cpm_adapt_seen cpm_adapt_look(const cpm_adapt *a, int who)
{
    const adapt_calls *c = &a->seen[who];
    cpm_adapt_seen seen = {
        .calls = c->calls, .mean = mean_of(c), .error = error_of(c), .tried = c->calls > 0};
    a->type->look(a, who, &seen);
    return seen;
}

double cpm_adapt_met(const cpm_adapt *a)
{
    return a->met;
}

void cpm_adapt_start_from(cpm_adapt *a, int who, double ratio, long calls)
{
    if (who > 0 && who < a->count && ratio > 0 && ratio < 1 && a->type->start_from)
        a->type->start_from(a, who, ratio, calls);
}

void cpm_adapt_start_without(cpm_adapt *a, int who, double ratio, long calls)
{
    if (who > 0 && who < a->count && ratio > 0 && a->type->start_without)
        a->type->start_without(a, who, ratio, calls);
}
