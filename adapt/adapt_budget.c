/* Trying within a budget. Native runs first. A candidate and the incumbent run in turns, while what
 * that may lose fits into the ledger's room; candidates come in the order of prediction, as far as
 * the model may be off, which those that were tried tell. Calls are compared with their neighbours
 * (evidence.h), so that drift decides nothing. What was chosen is compared with fresh calls by
 * native from time to time, and when it changes: running native risks nothing. */
#include <math.h>

#include "adapt/adapt_budget.h"

static const double upsets = 1.5; /* times as long as before, or as short */

enum {
    MOST_CHECKED = 64, /* calls by native until a check is over, whatever it says, */
    MOST_AFTER_UPSET = 8,
    LAST_CALLS = 8,   /* by which it is seen that all is otherwise */
    FIRST_CHECK = 32, /* calls after a choice until native is asked again, later twice as many */
    LAST_CHECK = 512,
    SOON = 4, /* times as many calls until one that is out returns */
    LATE = 64,
    RETURN_OF_OTHERS =
        512, /* calls until others than what was learnt are tried, or as many as were learnt from */
    RETURN_OF_BAD = 4096 /* at most so many until what was learnt to be no better is tried */
};

/* ---- what was seen */

/* Seconds: what takes longer has timed out. */
static double limit(const cpm_adapt *a, const cpm_adapt_figures *f)
{
    double native = adapt_one(a, 0)->late.quarter,
           incumbent = adapt_one(a, a->incumbent)->late.quarter;
    if (native > 0 && incumbent > 0)
        return adapt_timed_out * fmin(native, incumbent);
    if (native > 0 || incumbent > 0)
        return adapt_timed_out * fmax(native, incumbent);
    adapt_late first = {.count = 0};
    adapt_late_add(&first, f, INFINITY);
    return adapt_timed_out * first.quarter;
}

/* Calls in turns, the last ones of both: each with its neighbour. */
static void compare(adapt_pairs *p, const cpm_adapt_figures *f, const cpm_adapt_figures *other,
                    double most)
{
    int count = f->kept < other->kept ? f->kept : other->kept;
    adapt_pairs_add(p, f->seconds + f->kept - count, other->seconds + other->kept - count, count,
                    most);
}

static void note_pairs(cpm_adapt *a, int who)
{
    const adapt_budget_state *b = adapt_budget_of(a);
    adapt_budget_one *o = adapt_one(a, who);
    double by = adapt_calm(a, a->incumbent);
    if (!o->pairs.count)
        return;
    o->known = by * o->pairs.ratio;
    o->error = by * adapt_pairs_error(&o->pairs, b->varying);
    o->least = o->known - by * adapt_pairs_bound(&o->pairs, b->varying);
}

static void see(cpm_adapt *a, const cpm_adapt_figures *f, int count)
{
    adapt_budget_state *b = adapt_budget_of(a);
    const cpm_adapt_figures *own = adapt_figures_of(f, count, a->incumbent);
    const int who = b->checking ? 0 : b->tried;
    const cpm_adapt_figures *other = who >= 0 ? adapt_figures_of(f, count, who) : NULL;
    double most = limit(a, &f[0]);
    for (int k = 0; k < count; k++) {
        adapt_late *l = &adapt_one(a, f[k].who)->late;
        double lost = l->lost, timeouts = l->timeouts;
        adapt_late_add(l, &f[k], most);
        b->lost += fmax(0, l->lost - lost);
        b->timeouts += fmax(0, l->timeouts - timeouts);
    }
    adapt_refresh(a);
    if (own && other) {
        compare(b->checking ? &b->check : &adapt_one(a, who)->pairs, other, own, most);
        if (!b->checking)
            note_pairs(a, who);
    }
    adapt_refresh(a);
}

/* ---- changes */

/* What was learnt is no longer true: nothing of it counts. */
static void forget_lesson(cpm_adapt *a)
{
    adapt_budget_of(a)->learnt = 0;
    for (int k = 1; k < a->count; k++)
        if (!adapt_one(a, k)->late.calls) {
            adapt_one(a, k)->known = 0;
            adapt_one(a, k)->returns = 0;
        }
}

static void drop(cpm_adapt *a, int who)
{
    const adapt_budget_state *b = adapt_budget_of(a);
    adapt_budget_one *o = adapt_one(a, who);
    if (who == adapt_budget_of(a)->learnt)
        forget_lesson(a);
    bool well = o->late.calls > 2 || o->dropped > 0;
    o->returns = b->since_change + (a->calls - b->since_change + 16) * (well ? LATE : SOON);
    o->dropped++;
    o->pairs = (adapt_pairs){.count = 0};
    adapt_budget_of(a)->tried = -1;
}

static void elect(cpm_adapt *a, int who)
{
    adapt_budget_state *b = adapt_budget_of(a);
    a->incumbent = who;
    adapt_note_choice(a);
    b->tried = -1;
    b->checking = b->doubted = false;
    b->upset = b->upset && who == 0;
    b->since = 0;
    b->interval = FIRST_CHECK;
    b->period = 0;
    adapt_one(a, who)->alone = (adapt_late){.count = 0};
    b->known_by = adapt_one(a, who)->pairs.count;
    for (int k = 0; k < a->count; k++) /* they were with another */
        adapt_one(a, k)->pairs = (adapt_pairs){.count = 0};
}

static void begin_check(cpm_adapt *a, bool doubted)
{
    adapt_budget_state *b = adapt_budget_of(a);
    b->doubted = doubted;
    b->checking = true;
    b->checked = 0;
    b->tried = -1;
    b->check = (adapt_pairs){.count = 0};
    adapt_late_trim(&adapt_one(a, 0)->late, 0);
}

/* ---- a trial is judged */

/* Looks come when they are due, whatever else is true. */
static bool is_better(cpm_adapt *a, int who, double better)
{
    adapt_pairs *p = &adapt_one(a, who)->pairs;
    const adapt_question q = adapt_question_of(a, who);
    const bool is_sure = adapt_look_at(p, &q);
    if (!a->incumbent && !p->trial && p->looks + p->looks_at_rates > 0)
        p->trial = ++adapt_budget_of(a)->trials;
    return is_sure && better > adapt_gain * adapt_value(a, a->incumbent) &&
           better > (p->raw - p->ratio) * adapt_calm(a, a->incumbent);
}

static void judge_trial(cpm_adapt *a, double timeouts)
{
    int who = adapt_budget_of(a)->tried, incumbent = a->incumbent;
    adapt_budget_one *o = adapt_one(a, who);
    double better = adapt_value(a, incumbent) - adapt_value(a, who);
    adapt_budget_of(a)->tried = -1; /* who comes next is asked anew */
    bool fails = o->late.timeouts > timeouts && !adapt_times_out(a, incumbent);
    if (who == adapt_budget_of(a)->learnt && better <= 0)
        forget_lesson(a);
    if (fails || !adapt_has_chance(a, who) || o->pairs.count >= ADAPT_PAIRS)
        drop(a, who);
    else if (is_better(a, who, better))
        elect(a, who);
    if (adapt_budget_of(a)->doubted && a->incumbent == incumbent && better <= 0)
        begin_check(a, true);
}

/* ---- what was chosen is judged */

/* What was seen is no longer true: those that took less than that share of native's time may be
 * the fastest now, whatever they were compared with; if the chosen one has changed, all that may
 * have taken less. */
static void let_return(cpm_adapt *a, double share)
{
    for (int k = 1; k < a->count; k++) {
        adapt_budget_one *o = adapt_one(a, k);
        o->pairs = (adapt_pairs){.count = 0};
        if (k != a->incumbent && o->known > 0 && (a->incumbent ? o->least : o->known) < share)
            o->returns = 0;
        o->least = 0;
    }
}

static void back_to_native(cpm_adapt *a)
{
    int who = a->incumbent;
    adapt_one(a, who)->late = (adapt_late){.count = 0};
    let_return(a, 1 - adapt_gain);
    elect(a, 0);
    drop(a, who);
}

static void passed(cpm_adapt *a)
{
    adapt_budget_state *b = adapt_budget_of(a);
    b->checking = b->doubted = false;
    b->since = 0;
    b->interval = b->interval < LAST_CHECK ? 2 * b->interval : LAST_CHECK;
}

/* The incumbent's share by the check, and by those before if these agree. */
static void note_share(cpm_adapt *a)
{
    adapt_budget_state *b = adapt_budget_of(a);
    adapt_budget_one *i = adapt_one(a, a->incumbent);
    double now = b->check.ratio, n = b->check.count;
    double before = 1 / i->known, old = fmin((double)b->known_by, MOST_CHECKED);
    bool agree =
        fabs(now - before) < adapt_changed * b->varying * now * sqrt(1 / n + 1 / fmax(1, old));
    i->known = 1 / (agree ? (n * now + old * before) / (n + old) : now);
    b->known_by = agree ? b->known_by + b->check.count : b->check.count;
}

/* So far the chosen one's share may be off, by the check. */
static double error_of_check(const cpm_adapt *a)
{
    const adapt_budget_state *b = adapt_budget_of(a);
    double calm = adapt_pairs_bound(&b->check, b->varying) / (b->check.ratio * b->check.ratio);
    return hypot(calm, hypot(adapt_timeout_error(a, 0), adapt_timeout_error(a, a->incumbent)));
}

static bool native_is_faster(cpm_adapt *a)
{
    const adapt_question q = {
        .level = adapt_level, .own = adapt_rate_of(a, 0), .other = adapt_rate_of(a, a->incumbent)};
    return adapt_look_at(&adapt_budget_of(a)->check, &q);
}

/* Fresh calls by native in turns with what was chosen. */
static void judge_check(cpm_adapt *a, const cpm_adapt_figures *native)
{
    adapt_budget_state *b = adapt_budget_of(a);
    b->checked += native ? native->calls : 0;
    if (b->checked < ADAPT_CHECK_PAIRS || !b->check.count)
        return;
    double known = adapt_one(a, a->incumbent)->known;
    adapt_one(a, a->incumbent)->known = 1 / b->check.ratio;
    double better = adapt_value(a, 0) - adapt_value(a, a->incumbent);
    double e = error_of_check(a);
    bool over = b->checked >= (b->upset ? MOST_AFTER_UPSET : MOST_CHECKED) ||
                adapt_times_out(a, a->incumbent);
    adapt_one(a, a->incumbent)->known = known;
    bool lost = b->doubted && better + e < adapt_gain;
    if (native_is_faster(a) || lost || (over && better < adapt_gain / 2))
        back_to_native(a);
    else if (better > e || over) {
        note_share(a);
        passed(a);
    }
}

/* Whether the medians of x and y are so far apart that they are different. */
static bool differ(const adapt_late *x, const adapt_late *y, double calls)
{
    double e = adapt_changed * 1.25 * x->spread / sqrt(fmax(1, calls));
    return fabs(y->median - x->median) > fmax(adapt_gain * x->median, e);
}

static void forget_alone(cpm_adapt *a)
{
    for (int k = 0; k < a->count; k++)
        adapt_one(a, k)->alone = (adapt_late){.count = 0};
}

/* How many times as long as alone before the incumbent's last calls took, so many at most; 1: about
 * as long, or not so much longer or shorter. */
static double changed_by(const cpm_adapt *a, const cpm_adapt_figures *f, int last, double much)
{
    const adapt_late *before = &adapt_one(a, a->incumbent)->alone;
    const int kept = f->kept < last ? f->kept : last;
    const cpm_adapt_figures end = {
        .calls = kept, .kept = kept, .seconds = f->seconds + f->kept - kept};
    adapt_late now = {.count = 0};
    adapt_late_add(&now, &end, INFINITY);
    double times = now.median / before->median;
    bool known = now.count >= 4 && before->count >= ADAPT_ENOUGH_ALONE;
    return known && fmax(times, 1 / times) > much && differ(before, &now, now.count) ? times : 1;
}

/* The last of them may be in turns with others, and too few to be compared more closely. */
static double upset_by(const cpm_adapt *a, const cpm_adapt_figures *f)
{
    return changed_by(a, f, LAST_CALLS, upsets);
}

/* The incumbent's calls of a period of its own against those of periods before. */
static double change(cpm_adapt *a, const cpm_adapt_figures *f)
{
    double times = changed_by(a, f, CPM_ADAPT_KEPT, 1);
    cpm_adapt_figures kept = *f;
    if (times == 1)
        times = upset_by(a, f);
    if (times != 1)
        forget_alone(a);
    kept.calls = f->kept;
    adapt_late_add(&adapt_one(a, a->incumbent)->alone, &kept, INFINITY);
    return times;
}

/* Who ran alone before in less time than the incumbent does, which seemed better in turns with it:
 * calls of two ways that follow each other may both take another time than alone. -1: none. */
static int better_alone(const cpm_adapt *a)
{
    const adapt_late *own = &adapt_one(a, a->incumbent)->alone;
    int best = -1;
    for (int k = 1; k < a->count && own->count >= ADAPT_ENOUGH_ALONE; k++) {
        const adapt_late *other = &adapt_one(a, k)->alone;
        bool better = k != a->incumbent && other->count >= ADAPT_ENOUGH_ALONE &&
                      other->median < own->median && !adapt_is_out(a, k) &&
                      differ(own, other, fmin(own->count, other->count));
        if (better && (best < 0 || other->median < adapt_one(a, best)->alone.median))
            best = k;
    }
    return best;
}

/* Its share of native's time is not what it was in turns with the other. */
static void back_to(cpm_adapt *a, int who)
{
    int left = a->incumbent;
    double times = adapt_one(a, left)->alone.median / adapt_one(a, who)->alone.median;
    elect(a, who);
    drop(a, left);
    adapt_one(a, left)->known = times * adapt_one(a, who)->known;
    adapt_one(a, left)->least = (1 - adapt_gain) * adapt_one(a, left)->known;
}

/* Native takes another share of what others took: those return that would win if only native has
 * changed. */
static void native_changed(cpm_adapt *a, double by)
{
    for (int k = 1; k < a->count; k++)
        adapt_one(a, k)->known /= by;
    let_return(a, 1 - adapt_gain);
}

/* What was chosen takes so many times as long: those return that would win if only that has
 * changed. */
static void chosen_changed(cpm_adapt *a, double by)
{
    if (by > 1)
        let_return(a, by * adapt_one(a, a->incumbent)->known * (1 - adapt_gain));
}

static void all_changed(cpm_adapt *a, double by)
{
    adapt_budget_state *b = adapt_budget_of(a);
    b->since_change = a->incumbent ? a->calls : b->since_change;
    b->upset = b->upset || by > upsets || by < 1 / upsets;
    b->period = 0;
    adapt_late_trim(&adapt_one(a, a->incumbent)->late, LAST_CALLS);
    (a->incumbent ? chosen_changed : native_changed)(a, by);
}

/* The incumbent's calls in turns with native. */
static void look_for_upset(cpm_adapt *a, const cpm_adapt_figures *f)
{
    double by = adapt_budget_of(a)->upset ? 1 : upset_by(a, f);
    if (by == 1)
        return;
    forget_alone(a);
    all_changed(a, by);
}

/* The chosen one takes so many times as long: who was seen to take less than that, and than native,
 * is tried at once. */
static bool has_challenger(const cpm_adapt *a, double by)
{
    int who = adapt_most_promising(a);
    double known = who > 0 ? adapt_one(a, who)->known : 0;
    return known > 0 && known < (1 - adapt_gain) * fmin(1, by * adapt_one(a, a->incumbent)->known);
}

static void monitor(cpm_adapt *a, const cpm_adapt_figures *f, double timeouts)
{
    adapt_budget_state *b = adapt_budget_of(a);
    double by = change(a, f);
    bool fails = adapt_one(a, a->incumbent)->late.timeouts > timeouts && !adapt_times_out(a, 0);
    b->since += f->calls;
    if (by != 1)
        all_changed(a, by);
    int better = a->incumbent ? better_alone(a) : -1;
    if (better > 0) {
        back_to(a, better);
        return;
    }
    bool is_due = by != 1 || fails || b->since >= b->interval;
    if (!a->incumbent || !is_due)
        return;
    b->doubted = by > 1 && has_challenger(a, by);
    if (b->doubted)
        b->since = b->interval;
    else
        begin_check(a, by != 1);
}

/* Of the share of native's time: of the chosen one by as many calls as it is known by. */
static double ratio_error(const cpm_adapt *a, int who)
{
    const adapt_budget_state *b = adapt_budget_of(a);
    double calm = who != a->incumbent
                      ? adapt_calm_error(a, who)
                      : b->varying * adapt_calm(a, who) * sqrt(2 / fmax(1, (double)b->known_by));
    double timeouts = hypot(adapt_timeout_error(a, who), adapt_timeout_error(a, 0));
    return (b->timeout > 0 ? hypot(calm, timeouts) : calm) / adapt_value(a, 0);
}

/* Seconds of a call by native now, with time-outs: by its own calls, or by the chosen one's. */
static void note_level(cpm_adapt *a)
{
    const adapt_budget_state *b = adapt_budget_of(a);
    const adapt_late *i = &adapt_one(a, a->incumbent)->late;
    int who = a->incumbent;
    if (!(b->unit > 0 && i->mean > 0))
        return;
    double native = adapt_value(a, 0), own = adapt_value(a, who);
    double error = who ? ratio_error(a, who) * native / own : adapt_calm_error(a, 0);
    a->level = b->unit * (native * i->raw / i->mean);
    a->level_error = a->level * error;
}

static void judge(cpm_adapt *a, const cpm_adapt_figures *f, int count)
{
    adapt_budget_state *b = adapt_budget_of(a);
    const cpm_adapt_figures *own = adapt_figures_of(f, count, a->incumbent);
    double own_timeouts = adapt_one(a, a->incumbent)->late.timeouts;
    double timeouts = b->tried >= 0 ? adapt_one(a, b->tried)->late.timeouts : 0;
    if (count < 1)
        return;
    adapt_met(a);
    see(a, f, count);
    note_level(a);
    if (b->checking && own)
        look_for_upset(a, own);
    if (b->checking)
        judge_check(a, adapt_figures_of(f, count, 0));
    else if (b->tried >= 0)
        judge_trial(a, timeouts);
    else if (own)
        monitor(a, own, own_timeouts);
    adapt_refresh(a);
}

/* ---- the policy */

static void begin(cpm_adapt *a)
{
    elect(a, 0);
}

static void start_from(cpm_adapt *a, int who, double ratio, long calls)
{
    adapt_budget_of(a)->learnt = who;
    adapt_one(a, who)->known = ratio;
    adapt_one(a, who)->returns = 0;
    for (int k = 1; k < a->count; k++)
        if (k != who)
            adapt_one(a, k)->returns = calls > RETURN_OF_OTHERS ? calls : RETURN_OF_OTHERS;
}

static void start_without(cpm_adapt *a, int who, double ratio, long calls)
{
    adapt_one(a, who)->known = ratio;
    adapt_one(a, who)->returns = calls < RETURN_OF_BAD ? calls : RETURN_OF_BAD;
}

static void recall(cpm_adapt *a, const cpm_adapt_figures *native)
{
    see(a, native, 1);
    note_level(a);
}

static void expect(cpm_adapt *a, double native)
{
    adapt_budget_of(a)->expected = native;
}

static void look(const cpm_adapt *a, int who, cpm_adapt_seen *seen)
{
    const adapt_budget_one *o = adapt_one(a, who);
    seen->out = adapt_is_out(a, who);
    if (!(o->known > 0) || !o->late.calls)
        return;
    seen->ratio = adapt_value(a, who) / adapt_value(a, 0);
    seen->ratio_error = ratio_error(a, who);
}

const adapt_type adapt_budget = {.each = sizeof(adapt_budget_one),
                                 .whole = sizeof(adapt_budget_state),
                                 .bounded = true,
                                 .begin = begin,
                                 .judge = judge,
                                 .next = adapt_next_period,
                                 .look = look,
                                 .start_from = start_from,
                                 .start_without = start_without,
                                 .end = adapt_met,
                                 .expect = expect,
                                 .recall = recall};
