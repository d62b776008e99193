/* Trying within a budget. Native runs first. A candidate and the incumbent run in turns, while what
 * that may lose fits into the ledger's room; candidates come in the order of prediction, as far as
 * the model may be off, which those that were tried tell. Times are compared as shares of what the
 * incumbent takes meanwhile, so that drift decides nothing. What was chosen is compared with fresh
 * calls by native from time to time, and when it changes: running native risks nothing. */
#include <math.h>

#include "selection/adapt_inside.h"
#include "selection/adapt_late.h"

static const double gain = 0.05;      /* less is not worth a change */
static const double errors = 3;       /* so many apart is different: one looks often */
static const double timed_out = 20;   /* times the usual */
static const double doubt = 0.2;      /* how far predictions are off (logarithm) until it is seen */
static const double unknown = 1.75;   /* of native's time: a candidate without a prediction */
static const double cautious = 1.5;   /* times what a first estimate says */
static const double least_loss = 0.5; /* of native's time: the first call of a candidate */
static const double reserve = 0.25;   /* of what may be lost: for what trials cost above that */
static const double meeting_share = 0.002;        /* of the time, at most, when all is quiet */
static const double meeting_share_at_once = 0.02; /* when something has changed */
static const double first_meeting = 1e-4;         /* s: as long as none was seen */
static const double meetings_share = 0.005;       /* while native waits */

enum {
    LATER = 256,  /* the same where too many contexts have one */
    FIRST = 6,    /* calls of the first period */
    SHORTEST = 8, /* periods of the incumbent alone, when something has changed */
    QUIET = 16,   /* the least of the longest periods */
    LONGEST = 1 << 16,
    ENOUGH_PAIRS = 4, /* to decide about one that is better */
    MOST_PAIRS = 32,
    TOO_MANY = 256, /* pairs after which what is not better is not worth more */
    CHECK_PAIRS = 4,
    MOST_CHECKED = 64, /* calls by native until a check is over, whatever it says */
    FIRST_CHECK = 32, /* calls after a choice until native is asked again, later a quarter of all */
    LAST_CHECK = 512,
    SOON = 4, /* times as many calls until one that is out returns */
    LATE = 64,
    RETURN_OF_OTHERS = 512 /* calls until others than what was learnt are tried */
};

/* Of a candidate. Shares are of native's time, both without time-outs. */
typedef struct {
    adapt_late late;
    adapt_late shares; /* since it is being tried */
    double known;      /* share as it was last found; 0: never */
    double guess;      /* share that is expected: predicted, or as of others */
    long returns;      /* out until so many calls */
    int dropped;       /* how often */
} budget_one;

typedef struct {
    bool opening;          /* it has not met yet */
    int tried;             /* -1: none */
    bool checking;         /* native against the incumbent: */
    long checked;          /* calls by native */
    adapt_late check;      /* their time in shares of the incumbent's */
    long known_by;         /* calls by native that the incumbent's share is known by */
    int period;            /* calls of the incumbent alone */
    long since, interval;  /* calls since the last check; when to make the next */
    double lost, timeouts; /* seconds and number of time-outs of all */
    /* As refresh() found them: */
    double unit;    /* seconds of a call without time-outs by native */
    double timeout; /* what one loses, in units */
    double varying; /* how much single calls vary: a share */
    double trust;   /* how far the model may be off: a factor */
    double pooled;  /* time-outs for each call by one that is not known */
} budget;

static budget *state(const cpm_adapt *a)
{
    return a->whole;
}

static budget_one *one(const cpm_adapt *a, int who)
{
    return &((budget_one *)a->each)[who];
}

/* ---- what is known */

static bool is_predicted(const cpm_adapt *a, int who)
{
    return a->as[who].predicted > 0 && a->as[0].predicted > 0;
}

/* A mean of logarithms over those that were seen, of its own group above all; what is believed
 * before counts as two of them. */
static double guess_of_others(const cpm_adapt *a, int who)
{
    double sum = 2 * log(unknown), weight = 2;
    for (int k = 1; k < a->count; k++) {
        double known = one(a, k)->known;
        if (k == who || !(known > 0))
            continue;
        double w = a->as[k].group == a->as[who].group ? 4 : 1;
        sum += w * log(known);
        weight += w;
    }
    return exp(sum / weight);
}

static double prediction(const cpm_adapt *a, int who)
{
    return a->as[who].predicted / a->as[0].predicted;
}

/* How far predictions are off: mean square of logarithms. What is believed before counts as four.
 */
static double squares_off(const cpm_adapt *a)
{
    double squares = 4 * doubt * doubt, count = 4;
    for (int k = 1; k < a->count; k++) {
        double known = one(a, k)->known;
        if (!(known > 0) || !is_predicted(a, k))
            continue;
        double off = log(known / prediction(a, k));
        squares += off * off;
        count++;
    }
    return squares / count;
}

/* Predictions that are off count the less beside what others took. */
static double guess(const cpm_adapt *a, int who, double off)
{
    if (!is_predicted(a, who))
        return guess_of_others(a, who);
    double weight = fmin(1, doubt * doubt / off);
    if (weight == 1)
        return prediction(a, who);
    return exp(weight * log(prediction(a, who)) + (1 - weight) * log(guess_of_others(a, who)));
}

/* Those that are not native, and half of native's as a guess before. */
static double pooled_rate(const cpm_adapt *a)
{
    const adapt_late *native = &one(a, 0)->late;
    double calls = 4, timeouts = native->calls > 0 ? 2 * native->timeouts / native->calls : 0;
    for (int k = 1; k < a->count; k++)
        if (k != a->incumbent) {
            calls += one(a, k)->late.calls;
            timeouts += one(a, k)->late.timeouts;
        }
    return timeouts / calls;
}

/* What follows from what was seen. */
static void refresh(cpm_adapt *a)
{
    budget *b = state(a);
    const budget_one *i = one(a, a->incumbent);
    if (!(i->late.mean > 0))
        return;
    b->unit = i->late.mean / (a->incumbent ? i->known : 1);
    b->timeout = b->timeouts > 0 ? b->lost / b->timeouts / b->unit : 0;
    b->varying = i->late.count > 3 ? i->late.spread / i->late.mean : 0.3;
    b->pooled = pooled_rate(a);
    double off = squares_off(a);
    for (int k = 1; k < a->count; k++)
        one(a, k)->guess = guess(a, k, off);
    b->trust = exp(2 * sqrt(off));
}

/* ---- estimates */

static bool times_out(const cpm_adapt *a, int who)
{
    return one(a, who)->late.timeouts > 0;
}

static double calm(const cpm_adapt *a, int who)
{
    const budget_one *o = one(a, who);
    if (who == 0)
        return 1;
    if (o->shares.count && who != a->incumbent)
        return o->shares.mean;
    return o->known > 0 ? o->known : o->guess;
}

/* Time-outs for each call. Of one that ran rarely what others show counts as well; where native is
 * calm that is doubted for longer. */
static double rate(const cpm_adapt *a, int who)
{
    const adapt_late *l = &one(a, who)->late;
    double before = who == 0 || who == a->incumbent ? 0 : times_out(a, 0) ? 2 : 20;
    double calls = l->calls + before;
    return calls > 0 ? (l->timeouts + before * state(a)->pooled) / calls : 0;
}

/* Share of native's time without time-outs, with time-outs. */
static double value(const cpm_adapt *a, int who)
{
    return calm(a, who) + rate(a, who) * state(a)->timeout;
}

static double calm_error(const cpm_adapt *a, int who)
{
    const budget_one *o = one(a, who);
    double usual = state(a)->varying * calm(a, who);
    if (who == 0 || who == a->incumbent)
        return usual / sqrt(fmax(1, o->late.count));
    double spread = o->shares.count > 7 ? o->shares.spread : fmax(1.5 * usual, o->shares.spread);
    return spread / sqrt(fmax(1, o->shares.count));
}

static double timeout_error(const cpm_adapt *a, int who)
{
    const adapt_late *l = &one(a, who)->late;
    return state(a)->timeout * sqrt(fmax(0.5, l->timeouts)) / fmax(1, l->calls);
}

/* So far apart x and y are different. Where y times out, one error is enough: who seems better
 * costs less meanwhile. */
static double errors_apart(const cpm_adapt *a, int x, int y)
{
    double calm_one = hypot(calm_error(a, x), calm_error(a, y));
    double e = hypot(calm_one, hypot(timeout_error(a, x), timeout_error(a, y)));
    return times_out(a, y) ? e : errors * e;
}

/* ---- what was seen */

/* Seconds: what takes longer has timed out. */
static double limit(const cpm_adapt *a, const cpm_adapt_figures *f)
{
    double native = one(a, 0)->late.quarter, incumbent = one(a, a->incumbent)->late.quarter;
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
    budget_one *o = one(a, f->who);
    double shares[CPM_ADAPT_KEPT], by = f->who ? state(a)->unit : one(a, a->incumbent)->late.mean;
    cpm_adapt_figures calm = {.seconds = shares};
    for (int k = 0; k < f->kept; k++)
        if (f->seconds[k] <= most)
            shares[calm.kept++] = f->seconds[k] / by;
    calm.calls = calm.kept;
    adapt_late_add(f->who ? &o->shares : &state(a)->check, &calm, INFINITY);
    if (f->who && o->shares.count)
        o->known = o->shares.mean;
}

static void see(cpm_adapt *a, const cpm_adapt_figures *f, int count)
{
    budget *b = state(a);
    double most = limit(a, &f[0]);
    for (int k = 0; k < count; k++) {
        adapt_late *l = &one(a, f[k].who)->late;
        double lost = l->lost, timeouts = l->timeouts;
        adapt_late_add(l, &f[k], most);
        b->lost += fmax(0, l->lost - lost);
        b->timeouts += fmax(0, l->timeouts - timeouts);
    }
    refresh(a);
    for (int k = 0; k < count; k++)
        if (f[k].who != a->incumbent && b->unit > 0)
            compare(a, &f[k], most);
    refresh(a);
}

/* ---- changes */

static void drop(cpm_adapt *a, int who)
{
    budget_one *o = one(a, who);
    bool well = o->shares.count > 2 || o->dropped > 0;
    o->returns = (a->calls + 16) * (well ? LATE : SOON);
    o->dropped++;
    o->shares = (adapt_late){.count = 0};
    state(a)->tried = -1;
}

static void elect(cpm_adapt *a, int who)
{
    budget *b = state(a);
    a->incumbent = who;
    b->tried = -1;
    b->checking = false;
    b->since = 0;
    b->interval = FIRST_CHECK;
    b->period = 0;
    b->known_by = one(a, who)->shares.count;
}

static void begin_check(cpm_adapt *a)
{
    budget *b = state(a);
    b->checking = true;
    b->checked = 0;
    b->tried = -1;
    b->check = (adapt_late){.count = 0};
    adapt_late_empty(&one(a, 0)->late);
}

/* ---- a trial is judged */

static bool is_better(const cpm_adapt *a, int who, double better, double e)
{
    const budget_one *o = one(a, who), *i = one(a, a->incumbent);
    double raw = o->shares.raw - o->shares.mean;
    double incumbent_raw = (i->late.raw - i->late.mean) / state(a)->unit;
    return o->shares.count >= ENOUGH_PAIRS && better > e &&
           better > gain * value(a, a->incumbent) && better > raw - incumbent_raw;
}

static void judge_trial(cpm_adapt *a, double timeouts)
{
    int who = state(a)->tried, incumbent = a->incumbent;
    budget_one *o = one(a, who);
    double better = value(a, incumbent) - value(a, who);
    double e = errors_apart(a, who, incumbent);
    state(a)->tried = -1; /* who comes next is asked anew */
    bool fails = o->late.timeouts > timeouts && !times_out(a, incumbent);
    if (fails || better < -e || o->shares.calls > TOO_MANY)
        drop(a, who);
    else if (is_better(a, who, better, e))
        elect(a, who);
}

/* ---- what was chosen is judged */

static void back_to_native(cpm_adapt *a)
{
    int who = a->incumbent;
    one(a, who)->late = (adapt_late){.count = 0};
    for (int k = 1; k < a->count; k++) /* what was seen is no longer true */
        one(a, k)->shares = (adapt_late){.count = 0};
    elect(a, 0);
    drop(a, who);
}

static void passed(cpm_adapt *a)
{
    budget *b = state(a);
    b->checking = false;
    b->since = 0;
    b->interval = (long)fmin(LAST_CHECK, fmax(FIRST_CHECK, (double)a->calls / 4));
}

/* The incumbent's share by the check, and by those before if these agree. */
static void note_share(cpm_adapt *a)
{
    budget *b = state(a);
    budget_one *i = one(a, a->incumbent);
    double now = b->check.mean, n = b->check.count;
    double before = 1 / i->known, old = fmin((double)b->known_by, MOST_CHECKED);
    bool agree = fabs(now - before) < 2 * b->varying * now * sqrt(1 / n + 1 / fmax(1, old));
    i->known = 1 / (agree ? (n * now + old * before) / (n + old) : now);
    b->known_by = agree ? b->known_by + b->check.count : b->check.count;
}

/* Fresh calls by native in turns with what was chosen. */
static void judge_check(cpm_adapt *a, const cpm_adapt_figures *native)
{
    budget *b = state(a);
    b->checked += native ? native->calls : 0;
    if (b->checked < CHECK_PAIRS || !b->check.count)
        return;
    double known = one(a, a->incumbent)->known;
    one(a, a->incumbent)->known = 1 / b->check.mean;
    double better = value(a, 0) - value(a, a->incumbent);
    double e = errors_apart(a, a->incumbent, 0);
    bool over = b->checked >= MOST_CHECKED || times_out(a, a->incumbent);
    one(a, a->incumbent)->known = known;
    if (better < -e || (over && better < gain / 2))
        back_to_native(a);
    else if (better > e || over) {
        note_share(a);
        passed(a);
    }
}

/* The incumbent's calls of a period against those before, by medians; and time-outs. */
static double change(const cpm_adapt_figures *f, const adapt_late *before)
{
    adapt_late now = {.count = 0};
    cpm_adapt_figures kept = *f;
    kept.calls = f->kept;
    adapt_late_add(&now, &kept, INFINITY);
    if (now.count < 4 || before->count < 8)
        return 1;
    double e = errors * 1.25 * before->spread / sqrt(now.count), by = now.median - before->median;
    return fabs(by) > fmax(gain * before->median, e) ? now.median / before->median : 1;
}

/* Native takes another share of what others took: those return that would win if only native has
 * changed. */
static void native_changed(cpm_adapt *a, double by)
{
    for (int k = 1; k < a->count; k++) {
        budget_one *o = one(a, k);
        o->shares = (adapt_late){.count = 0};
        o->known /= by;
        if (o->known > 0 && o->known < 1 - gain)
            o->returns = 0;
    }
}

static void monitor(cpm_adapt *a, const cpm_adapt_figures *f, const adapt_late *before)
{
    budget *b = state(a);
    double by = change(f, before);
    bool fails = one(a, a->incumbent)->late.timeouts > before->timeouts && !times_out(a, 0);
    b->since += f->calls;
    if (by != 1) {
        b->period = 0;
        if (!a->incumbent)
            native_changed(a, by);
        else
            adapt_late_empty(&one(a, a->incumbent)->late);
    }
    if (a->incumbent && (by != 1 || fails || b->since >= b->interval))
        begin_check(a);
}

/* Seconds of a call by native now, with time-outs. */
static void note_level(cpm_adapt *a)
{
    const budget *b = state(a);
    const adapt_late *i = &one(a, a->incumbent)->late;
    if (b->unit > 0 && i->mean > 0)
        a->level = b->unit * (value(a, 0) * i->raw / i->mean);
}

static void opened(cpm_adapt *a)
{
    a->ledger->opening -= state(a)->opening;
    state(a)->opening = false;
}

static void judge(cpm_adapt *a, const cpm_adapt_figures *f, int count)
{
    budget *b = state(a);
    const cpm_adapt_figures *own = adapt_figures_of(f, count, a->incumbent);
    adapt_late before = one(a, a->incumbent)->late;
    double timeouts = b->tried >= 0 ? one(a, b->tried)->late.timeouts : 0;
    if (count < 1)
        return;
    opened(a);
    see(a, f, count);
    note_level(a);
    if (b->checking)
        judge_check(a, adapt_figures_of(f, count, 0));
    else if (b->tried >= 0)
        judge_trial(a, timeouts);
    else if (own)
        monitor(a, own, &before);
    refresh(a);
}

/* ---- what next */

static bool is_out(const cpm_adapt *a, int who)
{
    return one(a, who)->returns > a->calls;
}

/* It may be faster than the incumbent. */
static bool is_open(const cpm_adapt *a, int who)
{
    if (who == 0 || who == a->incumbent || is_out(a, who))
        return false;
    double least = one(a, who)->shares.count ? value(a, who) - 2 * calm_error(a, who)
                   : is_predicted(a, who)
                       ? fmin(prediction(a, who), value(a, who)) / state(a)->trust
                       : 0;
    return least < value(a, a->incumbent) * (1 - gain);
}

static bool is_before(const cpm_adapt *a, int x, int y)
{
    if (a->as[x].at_risk != a->as[y].at_risk)
        return a->as[y].at_risk;
    return value(a, x) < value(a, y);
}

static int most_promising(const cpm_adapt *a)
{
    int best = -1;
    for (int k = 1; k < a->count; k++)
        if (is_open(a, k) && (best < 0 || is_before(a, k, best)))
            best = k;
    return best;
}

/* Seconds that may be lost on purpose. Where native times out that is no more certain than how
 * often it does so. */
static double room_of(const cpm_adapt *a)
{
    const cpm_ledger *l = a->ledger;
    double varies = sqrt(one(a, 0)->late.timeouts) * state(a)->timeout * state(a)->unit;
    return cpm_ledger_room(l) - reserve * (l->share * l->native + l->constant) + varies;
}

/* Seconds that a call by who is expected to lose, one unknown somewhat more, and something always.
 */
static double expected_loss(const cpm_adapt *a, int who)
{
    const budget *b = state(a);
    double loss = value(a, who) - value(a, a->incumbent);
    if (!one(a, who)->shares.count)
        loss = fmax(least_loss, value(a, who) * fmin(b->trust, cautious) - value(a, a->incumbent));
    return fmax(0, loss) * b->unit;
}

/* How many pairs are worth a meeting: one at first, more where a meeting costs more than these
 * lose; then as many again as there were, or enough to decide about one that looks good. */
static double pairs_wanted(const cpm_adapt *a, int who, double loss)
{
    int seen = one(a, who)->shares.count;
    if (!seen)
        return fmin(ENOUGH_PAIRS, fmax(1, a->ledger->meeting / (4 * loss)));
    double most = value(a, who) < value(a, a->incumbent) ? fmax(seen, ENOUGH_PAIRS) : seen;
    return fmin(MOST_PAIRS, fmax(most, loss > 0 ? a->ledger->meeting / (4 * loss) : 1));
}

/* As far as the room goes; 0: not even for one. */
static int pairs_for(const cpm_adapt *a, int who, double room)
{
    double loss = expected_loss(a, who), most = pairs_wanted(a, who, loss);
    double left = room - a->ledger->meeting;
    if (loss > 0)
        most = fmin(most, floor(left / loss));
    else if (left < 0)
        most = 0;
    return most >= 1 ? (int)most : 0;
}

/* Calls of the incumbent until there is room for who, and for the meetings until then. */
static int until_room(const cpm_adapt *a, int who, double room)
{
    double need = expected_loss(a, who) + 2 * a->ledger->meeting - room;
    double ahead = value(a, 0) - value(a, a->incumbent);
    double share = (1 - reserve) * a->ledger->share;
    double each = (share * value(a, 0) + fmax(0, ahead) / 2) * state(a)->unit;
    return (int)fmin(LONGEST, fmax(SHORTEST, ceil(1.1 * need / each)));
}

/* So many calls of the incumbent that a meeting costs that share of their time. */
static double calls_for_meeting(const cpm_adapt *a, double share)
{
    return a->ledger->meeting / (share * value(a, a->incumbent) * state(a)->unit);
}

/* The same after a change, when all is not yet quiet. */
static double shortest(const cpm_adapt *a)
{
    return fmax(SHORTEST, calls_for_meeting(a, meeting_share_at_once));
}

/* Calls of a period by the incumbent when all is quiet. Should the chosen one become twice as slow,
 * that fits into what was gained. */
static double longest(const cpm_adapt *a)
{
    double quiet = fmax(QUIET, calls_for_meeting(a, meeting_share));
    double gained = cpm_ledger_room(a->ledger) / (value(a, a->incumbent) * state(a)->unit);
    return fmin(LONGEST, a->incumbent ? fmin(quiet, fmax(shortest(a), gained)) : quiet);
}

static cpm_adapt_period alone(const cpm_adapt *a, int calls)
{
    return (cpm_adapt_period){a->incumbent, a->incumbent, calls};
}

/* Nothing is tried for a while. Native may wait for long, but a time-out should be heard of early.
 */
static cpm_adapt_period wait(cpm_adapt *a, int calls)
{
    budget *b = state(a);
    adapt_leave_turn(a);
    b->period = (int)fmin(longest(a), fmax(shortest(a), 2.0 * b->period));
    double most = fmax(fmax(QUIET, (double)a->calls), calls_for_meeting(a, meetings_share));
    return alone(a, (int)fmin(calls, a->incumbent ? b->period : most));
}

static cpm_adapt_period try(cpm_adapt *a, int who)
{
    budget *b = state(a);
    double room = room_of(a);
    int pairs = pairs_for(a, who, room);
    if (!pairs)
        return wait(a, until_room(a, who, room));
    if (!adapt_take_turn(a))
        return wait(a, (int)fmin(LONGEST, fmax(SHORTEST, calls_for_meeting(a, meetings_share))));
    b->tried = who;
    b->period = 0;
    return (cpm_adapt_period){a->incumbent, who, 2 * pairs};
}

/* Nothing is known of these calls; other contexts may be waiting for their first meeting, too. */
static cpm_adapt_period first(cpm_adapt *a)
{
    cpm_ledger *l = a->ledger;
    double meeting = fmax(l->meeting, first_meeting);
    if (!state(a)->opening)
        l->opening++;
    state(a)->opening = true;
    return alone(a, room_of(a) > l->opening * meeting ? FIRST : LATER);
}

static cpm_adapt_period next(cpm_adapt *a)
{
    budget *b = state(a);
    if (b->checking)
        return (cpm_adapt_period){a->incumbent, 0, 2 * CHECK_PAIRS};
    if (!one(a, a->incumbent)->late.count)
        return first(a);
    int who = most_promising(a);
    return who < 0 ? wait(a, (int)longest(a)) : try(a, who);
}

/* ---- the policy */

static void begin(cpm_adapt *a)
{
    elect(a, 0);
}

static void start_from(cpm_adapt *a, int who, double ratio, long calls)
{
    (void)calls;
    one(a, who)->known = ratio;
    for (int k = 1; k < a->count; k++)
        if (k != who)
            one(a, k)->returns = RETURN_OF_OTHERS;
}

const adapt_type adapt_budget = {sizeof(budget_one), sizeof(budget), begin, judge, next, is_out,
                                 start_from,         opened};
