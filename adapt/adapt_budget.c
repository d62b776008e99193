/* Trying within a budget. Native runs first. A candidate and the incumbent run in turns, while what
 * that may lose fits into the ledger's room; candidates come in the order of prediction, as far as
 * the model may be off, which those that were tried tell. Times are compared as shares of what the
 * incumbent takes meanwhile, so that drift decides nothing. What was chosen is compared with fresh
 * calls by native from time to time, and when it changes: running native risks nothing. */
#include <math.h>

#include "adapt/adapt_budget.h"
#include "base/rank_tests.h"

static const double errors = 3;     /* so many apart is different: one looks often */
static const double timed_out = 20; /* times the usual */
static const double upsets = 1.5;   /* times as long as before, or as short */

enum {
    TOO_MANY = 256,    /* pairs after which what is not better is not worth more */
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
        return timed_out * fmin(native, incumbent);
    if (native > 0 || incumbent > 0)
        return timed_out * fmax(native, incumbent);
    adapt_late first = {.count = 0};
    adapt_late_add(&first, f, INFINITY);
    return timed_out * first.quarter;
}

/* Calls as shares of what the incumbent takes meanwhile: native's of its time, others' of native's.
 */
static void compare(cpm_adapt *a, const cpm_adapt_figures *f, double most)
{
    adapt_budget_one *o = adapt_one(a, f->who);
    double shares[CPM_ADAPT_KEPT],
        by = f->who ? adapt_budget_of(a)->unit : adapt_one(a, a->incumbent)->late.mean;
    cpm_adapt_figures calm = {.seconds = shares};
    for (int k = 0; k < f->kept; k++)
        if (f->seconds[k] <= most)
            shares[calm.kept++] = f->seconds[k] / by;
    calm.calls = calm.kept;
    adapt_late_add(f->who ? &o->shares : &adapt_budget_of(a)->check, &calm, INFINITY);
    if (f->who && o->shares.count)
        o->known = o->shares.mean;
}

static void see(cpm_adapt *a, const cpm_adapt_figures *f, int count)
{
    adapt_budget_state *b = adapt_budget_of(a);
    double most = limit(a, &f[0]);
    for (int k = 0; k < count; k++) {
        adapt_late *l = &adapt_one(a, f[k].who)->late;
        double lost = l->lost, timeouts = l->timeouts;
        adapt_late_add(l, &f[k], most);
        b->lost += fmax(0, l->lost - lost);
        b->timeouts += fmax(0, l->timeouts - timeouts);
    }
    adapt_refresh(a);
    for (int k = 0; k < count; k++)
        if (f[k].who != a->incumbent && b->unit > 0)
            compare(a, &f[k], most);
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
    adapt_budget_one *o = adapt_one(a, who);
    if (who == adapt_budget_of(a)->learnt)
        forget_lesson(a);
    bool well = o->shares.count > 2 || o->dropped > 0;
    o->returns = (a->calls + 16) * (well ? LATE : SOON);
    o->dropped++;
    o->shares = (adapt_late){.count = 0};
    adapt_budget_of(a)->tried = -1;
}

static void elect(cpm_adapt *a, int who)
{
    adapt_budget_state *b = adapt_budget_of(a);
    a->incumbent = who;
    adapt_note_choice(a);
    b->tried = -1;
    b->checking = false;
    b->upset = b->upset && who == 0;
    b->since = 0;
    b->interval = FIRST_CHECK;
    b->period = 0;
    adapt_one(a, who)->alone = (adapt_late){.count = 0};
    b->known_by = adapt_one(a, who)->shares.count;
}

static void begin_check(cpm_adapt *a)
{
    adapt_budget_state *b = adapt_budget_of(a);
    b->checking = true;
    b->checked = 0;
    b->tried = -1;
    b->check = (adapt_late){.count = 0};
    adapt_late_trim(&adapt_one(a, 0)->late, 0);
}

/* So far apart x and y are different. Where y times out, one error is enough: who seems better
 * costs less meanwhile. */
static double errors_apart(const cpm_adapt *a, int x, int y)
{
    double e = adapt_error_between(a, x, y);
    return adapt_times_out(a, y) ? e : errors * e;
}

/* ---- a trial is judged */

/* Copies the last calls of l; how many these are: all of many, which go by a normal approximation,
 * else so few that their exact distribution takes no time. */
static int last_of(const adapt_late *l, double out[ADAPT_LATE])
{
    enum { FEW = 16 };
    int count = l->count == ADAPT_LATE || l->count < FEW ? l->count : FEW;
    for (int k = 0; k < count; k++)
        out[k] = l->at[(l->next + ADAPT_LATE - 1 - k) % ADAPT_LATE];
    return count;
}

/* Whether native may be left for it: its calls are shorter whatever their distribution, by
 * Wilcoxon's rank-sum test, corrected for all that were tried (Bonferroni), as means and their
 * errors may be those of a few odd calls. Where one of them times out ranks say nothing of what
 * that costs. */
static bool ranks_agree(const cpm_adapt *a, int who)
{
    const double level = 0.05;
    double x[ADAPT_LATE], y[ADAPT_LATE];
    int m = last_of(&adapt_one(a, who)->late, x), tried = 0;
    int n = last_of(&adapt_one(a, 0)->late, y);
    cpm_rank_test t;
    if (a->incumbent || adapt_times_out(a, who) || adapt_times_out(a, 0))
        return true;
    for (int k = 1; k < a->count; k++)
        tried += adapt_one(a, k)->late.count > 0;
    bool known = cpm_rank_sum_test(x, m, y, n, 1 - level, &t, NULL) == CPM_OK;
    return !known || (t.shift < 0 && t.p <= level / tried);
}

static bool is_better(const cpm_adapt *a, int who, double better, double e)
{
    const adapt_budget_one *o = adapt_one(a, who), *i = adapt_one(a, a->incumbent);
    double raw = o->shares.raw - o->shares.mean;
    double incumbent_raw = (i->late.raw - i->late.mean) / adapt_budget_of(a)->unit;
    return o->shares.count >= ADAPT_ENOUGH_PAIRS && better > e &&
           better > adapt_gain * adapt_value(a, a->incumbent) && better > raw - incumbent_raw &&
           ranks_agree(a, who);
}

static void judge_trial(cpm_adapt *a, double timeouts)
{
    int who = adapt_budget_of(a)->tried, incumbent = a->incumbent;
    adapt_budget_one *o = adapt_one(a, who);
    double better = adapt_value(a, incumbent) - adapt_value(a, who);
    double e = errors_apart(a, who, incumbent);
    adapt_budget_of(a)->tried = -1; /* who comes next is asked anew */
    bool fails = o->late.timeouts > timeouts && !adapt_times_out(a, incumbent);
    if (who == adapt_budget_of(a)->learnt && better <= 0)
        forget_lesson(a);
    if (fails || better < -e || o->shares.calls > TOO_MANY)
        drop(a, who);
    else if (is_better(a, who, better, e))
        elect(a, who);
}

/* ---- what was chosen is judged */

/* What was seen is no longer true: those that took less than that share of native's time may be
 * the fastest now, whatever they were compared with. */
static void let_return(cpm_adapt *a, double share)
{
    for (int k = 1; k < a->count; k++) {
        adapt_budget_one *o = adapt_one(a, k);
        o->shares = (adapt_late){.count = 0};
        if (k != a->incumbent && o->known > 0 && o->known < share)
            o->returns = 0;
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
    b->checking = false;
    b->since = 0;
    b->interval = b->interval < LAST_CHECK ? 2 * b->interval : LAST_CHECK;
}

/* The incumbent's share by the check, and by those before if these agree. */
static void note_share(cpm_adapt *a)
{
    adapt_budget_state *b = adapt_budget_of(a);
    adapt_budget_one *i = adapt_one(a, a->incumbent);
    double now = b->check.mean, n = b->check.count;
    double before = 1 / i->known, old = fmin((double)b->known_by, MOST_CHECKED);
    bool agree = fabs(now - before) < 2 * b->varying * now * sqrt(1 / n + 1 / fmax(1, old));
    i->known = 1 / (agree ? (n * now + old * before) / (n + old) : now);
    b->known_by = agree ? b->known_by + b->check.count : b->check.count;
}

/* Fresh calls by native in turns with what was chosen. */
static void judge_check(cpm_adapt *a, const cpm_adapt_figures *native)
{
    adapt_budget_state *b = adapt_budget_of(a);
    b->checked += native ? native->calls : 0;
    if (b->checked < ADAPT_CHECK_PAIRS || !(b->check.mean > 0))
        return;
    double known = adapt_one(a, a->incumbent)->known;
    adapt_one(a, a->incumbent)->known = 1 / b->check.mean;
    double better = adapt_value(a, 0) - adapt_value(a, a->incumbent);
    double e = errors_apart(a, a->incumbent, 0);
    bool over = b->checked >= (b->upset ? MOST_AFTER_UPSET : MOST_CHECKED) ||
                adapt_times_out(a, a->incumbent);
    adapt_one(a, a->incumbent)->known = known;
    if (better < -e || (over && better < adapt_gain / 2))
        back_to_native(a);
    else if (better > e || over) {
        note_share(a);
        passed(a);
    }
}

/* Whether the medians of x and y are so far apart that they are different. */
static bool differ(const adapt_late *x, const adapt_late *y, double calls)
{
    double e = errors * 1.25 * x->spread / sqrt(fmax(1, calls));
    return fabs(y->median - x->median) > fmax(adapt_gain * x->median, e);
}

static void forget_alone(cpm_adapt *a)
{
    for (int k = 0; k < a->count; k++)
        adapt_one(a, k)->alone = (adapt_late){.count = 0};
}

/* How many times as long as alone before the incumbent's last calls took; 1: about as long. They
 * may be too few, or in turns with others, to be compared more closely. */
static double upset_by(const cpm_adapt *a, const cpm_adapt_figures *f)
{
    const adapt_late *before = &adapt_one(a, a->incumbent)->alone;
    adapt_late now = {.count = 0};
    cpm_adapt_figures last = {.kept = f->kept < LAST_CALLS ? f->kept : LAST_CALLS};
    last.seconds = f->seconds + f->kept - last.kept;
    last.calls = last.kept;
    adapt_late_add(&now, &last, INFINITY);
    double times = now.median / before->median;
    bool known = now.count >= 4 && before->count >= ADAPT_ENOUGH_ALONE;
    bool much = times > upsets || times < 1 / upsets;
    return known && much && differ(before, &now, now.count) ? times : 1;
}

/* The incumbent's calls of a period of its own against those of periods before, by medians. */
static double change(cpm_adapt *a, const cpm_adapt_figures *f)
{
    adapt_late now = {.count = 0}, *before = &adapt_one(a, a->incumbent)->alone;
    cpm_adapt_figures kept = *f;
    kept.calls = f->kept;
    adapt_late_add(&now, &kept, INFINITY);
    bool known = now.count >= 4 && before->count >= ADAPT_ENOUGH_ALONE;
    bool changed = known && differ(before, &now, now.count);
    double times = changed ? now.median / before->median : upset_by(a, f);
    if (times != 1)
        forget_alone(a);
    adapt_late_add(before, &kept, INFINITY);
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
    if (a->incumbent && (by != 1 || fails || b->since >= b->interval))
        begin_check(a);
}

/* Of the share of native's time: of the chosen one by as many calls as it is known by. */
static double ratio_error(const cpm_adapt *a, int who)
{
    const adapt_budget_state *b = adapt_budget_of(a);
    if (who != a->incumbent || adapt_times_out(a, 0))
        return adapt_error_between(a, who, 0) / adapt_value(a, 0);
    return b->varying * adapt_value(a, who) * sqrt(2 / fmax(1, (double)b->known_by));
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
