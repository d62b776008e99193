/* Trying within a budget. Native runs first. A candidate and the incumbent run in turns, while what
 * that may lose fits into the ledger's room; candidates come in the order of prediction, as far as
 * the model may be off, which those that were tried tell. Times are compared as shares of what the
 * incumbent takes meanwhile, so that drift decides nothing. What was chosen is compared with fresh
 * calls by native from time to time, and when it changes: running native risks nothing. */
#include <math.h>

#include "selection/adapt_inside.h"
#include "selection/adapt_late.h"

static const double gain = 0.05;    /* less is not worth a change */
static const double errors = 3;     /* apart is different: one looks often */
static const double timed_out = 20; /* times the usual */
static const double doubt = 0.2;    /* how far predictions are off (logarithm) until it is seen */
static const double unknown = 1.75; /* of native's time: a candidate without a prediction */
static const double cautious = 1.5; /* times what a first estimate says */
static const double meeting_share = 0.002; /* of the time, at most, when all is quiet */

enum {
    FIRST = 6,    /* calls of the first period */
    SHORTEST = 8, /* periods of the incumbent alone, when something has changed */
    LONGEST = 1 << 16,
    MOST_PAIRS = 32,
    CHECK_PAIRS = 8,
    MOST_CHECKED = 64, /* pairs until a check is over, whatever it says */
    FIRST_CHECK = 32,  /* calls after a choice until native is asked again; doubles */
    LAST_CHECK = 1024,
    ENOUGH = 256, /* pairs after which what is not better is not worth more */
    SOON = 4,
    LATE = 64, /* times as many calls until one that is out returns */
};

/* Of a candidate. */
typedef struct {
    adapt_late late;
    adapt_tally ratio; /* of native's time without time-outs, since it is being tried */
    double known;      /* the same as it was last found; 0: never */
    long returns;      /* out until so many calls; 0: it is not out */
    int timed_out;     /* how often it was dropped for that */
} budget_one;

typedef struct {
    int tried;             /* -1: none */
    bool checking;         /* native against the incumbent */
    long checked;          /* calls by native for that */
    adapt_tally check;     /* native's time in shares of the incumbent's */
    int period;            /* calls of the incumbent alone */
    long since, interval;  /* calls since the last check; when to make the next */
    double lost, timeouts; /* seconds and number of time-outs of all */
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

/* How much single calls vary, as a share. */
static double relative_spread(const cpm_adapt *a)
{
    const adapt_late *l = &one(a, a->incumbent)->late;
    return l->count > 3 ? adapt_late_spread(l) / adapt_late_mean(l) : 0.3;
}

/* Seconds of a call without time-outs by native now. */
static double unit(const cpm_adapt *a)
{
    const budget_one *i = one(a, a->incumbent);
    return adapt_late_mean(&i->late) / (a->incumbent ? i->known : 1);
}

/* A time-out's, in units. */
static double loss_of_timeout(const cpm_adapt *a)
{
    const budget *b = state(a);
    return b->timeouts > 0 ? b->lost / b->timeouts / unit(a) : 0;
}

/* Means over those without predictions, logarithms; the prior counts as two of them. */
static double unpredicted(const cpm_adapt *a, int who)
{
    double sum = 2 * log(unknown), weight = 2;
    for (int k = 1; k < a->count; k++) {
        double known = one(a, k)->known;
        if (k == who || !(known > 0) || !isnan(a->as[k].predicted))
            continue;
        double w = a->as[k].group == a->as[who].group ? 4 : 1;
        sum += w * log(known);
        weight += w;
    }
    return exp(sum / weight);
}

static bool is_predicted(const cpm_adapt *a, int who)
{
    return a->as[who].predicted > 0 && a->as[0].predicted > 0;
}

static double predicted(const cpm_adapt *a, int who)
{
    return is_predicted(a, who) ? a->as[who].predicted / a->as[0].predicted : unpredicted(a, who);
}

/* How far the model is off here: a factor. */
static double trust(const cpm_adapt *a)
{
    double squares = 4 * doubt * doubt, count = 4;
    for (int k = 1; k < a->count; k++) {
        double known = one(a, k)->known;
        if (!(known > 0) || !is_predicted(a, k))
            continue;
        double off = log(known / predicted(a, k));
        squares += off * off;
        count++;
    }
    return exp(2 * sqrt(squares / count));
}

/* Share of native's time without time-outs. */
static double calm(const cpm_adapt *a, int who)
{
    const budget_one *o = one(a, who);
    if (who == 0)
        return 1;
    if (who == a->incumbent)
        return o->known;
    if (o->ratio.count)
        return adapt_tally_mean(&o->ratio);
    return o->known > 0 ? o->known : predicted(a, who);
}

/* Of a candidate that ran rarely: as half of native's. */
static double rate(const cpm_adapt *a, int who)
{
    const adapt_late *l = &one(a, who)->late;
    double before = who == 0 || who == a->incumbent ? 0 : 2;
    double native = adapt_late_rate(&one(a, 0)->late);
    return l->calls + before > 0 ? (l->timeouts + before * native / 2) / (l->calls + before) : 0;
}

/* Share of native's time without time-outs, with time-outs. */
static double value(const cpm_adapt *a, int who)
{
    return calm(a, who) + rate(a, who) * loss_of_timeout(a);
}

static double calm_error(const cpm_adapt *a, int who)
{
    const budget_one *o = one(a, who);
    double usual = relative_spread(a) * calm(a, who);
    if (who == 0 || who == a->incumbent)
        return usual / sqrt(fmax(1, o->late.count));
    double n = (double)o->ratio.count, spread = adapt_tally_spread(&o->ratio);
    return (n > 7 ? spread : fmax(1.5 * usual, spread)) / sqrt(fmax(1, n));
}

static double timeout_error(const cpm_adapt *a, int who)
{
    const adapt_late *l = &one(a, who)->late;
    return loss_of_timeout(a) * sqrt(fmax(0.5, l->timeouts)) / fmax(1, l->calls);
}

static bool times_out(const cpm_adapt *a, int who)
{
    return one(a, who)->late.timeouts > 0;
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

static double limit(const cpm_adapt *a, const cpm_adapt_figures *f, int count)
{
    double usual = INFINITY, native = adapt_late_quarter(&one(a, 0)->late);
    double incumbent = adapt_late_quarter(&one(a, a->incumbent)->late);
    if (native > 0)
        usual = native;
    if (incumbent > 0)
        usual = fmin(usual, incumbent);
    for (int k = 0; k < count && isinf(usual); k++) { /* the first figures of all */
        adapt_late first = {.count = 0};
        adapt_late_add(&first, &f[k], INFINITY);
        usual = first.count ? adapt_late_quarter(&first) : usual;
    }
    return timed_out * usual;
}

/* Calls of a candidate, as shares of what the incumbent takes meanwhile. */
static void compare(cpm_adapt *a, const cpm_adapt_figures *f, double most)
{
    budget *b = state(a);
    double base = adapt_late_mean(&one(a, a->incumbent)->late);
    if (!(base > 0))
        return;
    for (int k = 0; k < f->kept; k++)
        if (f->seconds[k] <= most) {
            if (f->who == 0)
                adapt_tally_add(&b->check, f->seconds[k] / base);
            else
                adapt_tally_add(&one(a, f->who)->ratio, f->seconds[k] / unit(a));
        }
    if (f->who && one(a, f->who)->ratio.count)
        one(a, f->who)->known = adapt_tally_mean(&one(a, f->who)->ratio);
}

static void see(cpm_adapt *a, const cpm_adapt_figures *f, int count)
{
    budget *b = state(a);
    double most = limit(a, f, count);
    for (int k = 0; k < count; k++) {
        adapt_late *l = &one(a, f[k].who)->late;
        double lost = l->lost, timeouts = l->timeouts;
        adapt_late_add(l, &f[k], most);
        b->lost += fmax(0, l->lost - lost);
        b->timeouts += fmax(0, l->timeouts - timeouts);
    }
    for (int k = 0; k < count; k++)
        if (f[k].who != a->incumbent)
            compare(a, &f[k], most);
}

/* ---- changes */

static void drop(cpm_adapt *a, int who, int times)
{
    budget_one *o = one(a, who);
    o->returns = (a->calls + 16) * times;
    o->ratio = (adapt_tally){0};
    if (state(a)->tried == who)
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
    b->period = SHORTEST;
}

/* What was seen of others is no longer true. */
static void forget(cpm_adapt *a)
{
    for (int k = 1; k < a->count; k++)
        one(a, k)->ratio = (adapt_tally){0};
}

static void begin_check(cpm_adapt *a)
{
    budget *b = state(a);
    b->checking = true;
    b->tried = -1;
    b->check = (adapt_tally){0};
    b->checked = 0;
    one(a, 0)->late.count = one(a, 0)->late.next = 0;
}

/* ---- judging */

static void judge_trial(cpm_adapt *a, double timeouts)
{
    int who = state(a)->tried, incumbent = a->incumbent;
    budget_one *o = one(a, who);
    double better = value(a, incumbent) - value(a, who);
    double e = errors_apart(a, who, incumbent);
    long pairs = o->ratio.count;
    if (o->late.timeouts > timeouts && !times_out(a, incumbent))
        drop(a, who, ++o->timed_out > 1 ? LATE : SOON);
    else if (better < -e || pairs > ENOUGH)
        drop(a, who, pairs > 2 ? LATE : SOON);
    else if (pairs >= 4 && better > e && better > gain * value(a, incumbent))
        elect(a, who);
    else
        state(a)->tried = -1; /* who comes next is asked anew */
}

static void back_to_native(cpm_adapt *a)
{
    int who = a->incumbent;
    one(a, who)->late = (adapt_late){.count = 0};
    forget(a);
    elect(a, 0);
    drop(a, who, SOON);
}

static void passed(cpm_adapt *a)
{
    budget *b = state(a);
    b->checking = false;
    b->since = 0;
    b->interval = b->interval < LAST_CHECK ? 2 * b->interval : LAST_CHECK;
}

/* Fresh calls by native in turns with what was chosen. */
static void judge_check(cpm_adapt *a, const cpm_adapt_figures *own)
{
    budget *b = state(a);
    b->checked += own ? own->calls : 0;
    if (b->checked < CHECK_PAIRS || !b->check.count)
        return;
    one(a, a->incumbent)->known = 1 / adapt_tally_mean(&b->check);
    double better = value(a, 0) - value(a, a->incumbent);
    double e = errors_apart(a, a->incumbent, 0);
    bool over = b->checked >= MOST_CHECKED || times_out(a, a->incumbent);
    if (better < -e || (over && better < gain / 2))
        back_to_native(a);
    else if (better > e || over)
        passed(a);
}

/* The chosen one's calls of a period, against those before. */
static bool has_changed(const cpm_adapt *a, const cpm_adapt_figures *f, const adapt_late *before)
{
    adapt_late now = {.count = 0};
    cpm_adapt_figures kept = *f;
    kept.calls = f->kept;
    adapt_late_add(&now, &kept, timed_out * adapt_late_quarter(before));
    if (now.count < 4 || before->count < 8)
        return now.timeouts > 1;
    double old = adapt_late_median(before), fresh = adapt_late_median(&now);
    double e = 1.25 * adapt_late_spread(before) / sqrt(now.count);
    return fresh - old > fmax(gain * old, e) || (now.timeouts > 0 && !times_out(a, 0));
}

static void monitor(cpm_adapt *a, const cpm_adapt_figures *f, const adapt_late *before)
{
    budget *b = state(a);
    b->since += f->calls;
    if (has_changed(a, f, before)) {
        b->period = SHORTEST;
        adapt_late *l = &one(a, a->incumbent)->late;
        l->count = l->next = 0; /* before it changed */
        begin_check(a);
    } else if (b->since >= b->interval)
        begin_check(a);
}

/* Seconds of a call by native now, with time-outs. */
static void note_level(cpm_adapt *a)
{
    if (unit(a) > 0)
        a->level = unit(a) * value(a, 0);
}

static void judge(cpm_adapt *a, const cpm_adapt_figures *f, int count)
{
    budget *b = state(a);
    const cpm_adapt_figures *own = adapt_figures_of(f, count, a->incumbent);
    adapt_late before = one(a, a->incumbent)->late;
    double timeouts = b->tried >= 0 ? one(a, b->tried)->late.timeouts : 0;
    see(a, f, count);
    if (b->checking)
        judge_check(a, adapt_figures_of(f, count, 0));
    else if (b->tried >= 0)
        judge_trial(a, timeouts);
    else if (a->incumbent && own)
        monitor(a, own, &before);
    note_level(a);
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
    double least = one(a, who)->ratio.count ? value(a, who) - 2 * calm_error(a, who)
                   : is_predicted(a, who)   ? value(a, who) / trust(a)
                                            : 0;
    return least < value(a, a->incumbent) * (1 - gain);
}

/* a's candidate x rather than y. */
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

/* Seconds that a call by who is expected to lose, those unknown somewhat more. */
static double expected_loss(const cpm_adapt *a, int who)
{
    double doubled = one(a, who)->ratio.count ? 1 : fmin(trust(a), cautious);
    return fmax(0, value(a, who) * doubled - value(a, a->incumbent)) * unit(a);
}

/* How many pairs: one at first, then as many again as there were, as far as the room goes. */
static int pairs_for(const cpm_adapt *a, int who, double room)
{
    long seen = one(a, who)->ratio.count;
    double loss = expected_loss(a, who), most = seen < 2 ? 1 : fmin((double)seen, MOST_PAIRS);
    if (loss > 0)
        most = fmin(most, floor((room - a->ledger->meeting) / loss));
    else if (room < a->ledger->meeting)
        most = 0;
    return most >= 1 ? (int)most : 0;
}

/* Calls of the incumbent until there is room for who. */
static int until_room(const cpm_adapt *a, int who, double room)
{
    double need = expected_loss(a, who) + a->ledger->meeting - room;
    double ahead = value(a, 0) - value(a, a->incumbent);
    double each = (a->ledger->share * value(a, 0) + fmax(0, ahead) / 2) * unit(a);
    return need > 0 ? (int)fmin(LONGEST, ceil(need / each)) : 1;
}

static int longest(const cpm_adapt *a)
{
    double quiet = a->ledger->meeting / (meeting_share * value(a, a->incumbent) * unit(a));
    return (int)fmin(LONGEST, fmax(SHORTEST, quiet));
}

static cpm_adapt_period alone(cpm_adapt *a, int calls)
{
    budget *b = state(a);
    adapt_leave_turn(a);
    b->period = 2 * b->period < longest(a) ? 2 * b->period : longest(a);
    return (cpm_adapt_period){a->incumbent, a->incumbent, calls < b->period ? calls : b->period};
}

static cpm_adapt_period try(cpm_adapt *a, int who)
{
    budget *b = state(a);
    double room = cpm_ledger_room(a->ledger);
    int pairs = pairs_for(a, who, room);
    if (!pairs)
        return alone(a, until_room(a, who, room));
    if (!adapt_take_turn(a))
        return alone(a, LONGEST);
    b->tried = who;
    b->period = SHORTEST;
    one(a, who)->returns = 0;
    return (cpm_adapt_period){a->incumbent, who, 2 * pairs};
}

static cpm_adapt_period next(cpm_adapt *a)
{
    budget *b = state(a);
    if (!one(a, a->incumbent)->late.count)
        return (cpm_adapt_period){a->incumbent, b->checking ? 0 : a->incumbent, FIRST};
    if (b->checking)
        return (cpm_adapt_period){a->incumbent, 0, 2 * CHECK_PAIRS};
    int who = most_promising(a);
    return who < 0 ? alone(a, LONGEST) : try(a, who);
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
            drop(a, k, LATE);
}

const adapt_type adapt_budget = {sizeof(budget_one), sizeof(budget), begin, judge, next, is_out,
                                 start_from};
