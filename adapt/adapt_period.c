/* What a context runs next: trials as far as there is room for them, checks, or the incumbent alone
 * for so long that meetings cost little. */
#include <math.h>

#include "adapt/adapt_budget.h"

static const double cautious = 1.5;         /* times what a first estimate says */
static const double least_loss = 0.5;       /* of native's time: the first call of a candidate, */
static const double least_predicted = 0.05; /* and of one that is predicted to be faster */
static const double reserve = 0.25;       /* of what may be lost: for what trials cost above that */
static const double first_meeting = 1e-4; /* seconds, as long as none was seen */

/* Shares of the time that meetings may take: when all is quiet, while native waits until something
 * can be tried, and after a change. */
static const double share_quiet = 0.002, share_waiting = 0.005, share_changed = 0.02;

enum {
    FIRST = 6,    /* calls of the first period */
    LATER = 256,  /* at most, where there is no room for the meeting */
    SHORTEST = 8, /* periods of the incumbent alone, when something has changed */
    QUIET = 16,   /* the least of the longest periods */
    LONGEST = 1 << 16,
    MOST_PAIRS = 32
};

/* ---- who */

bool adapt_is_out(const cpm_adapt *a, int who)
{
    return adapt_one(a, who)->returns > a->calls;
}

/* It may be faster than the incumbent. */
static bool is_open(const cpm_adapt *a, int who)
{
    if (who == 0 || who == a->incumbent || adapt_is_out(a, who))
        return false;
    double least =
        adapt_one(a, who)->shares.count ? adapt_value(a, who) - 2 * adapt_calm_error(a, who)
        : adapt_is_predicted(a, who)
            ? fmin(adapt_prediction(a, who), adapt_value(a, who)) / adapt_budget_of(a)->trust
            : 0;
    return least < adapt_value(a, a->incumbent) * (1 - adapt_gain);
}

/* Nothing is known of it since all may be otherwise, unlike of the other, which is not much faster
 * than the incumbent. */
static bool is_to_be_seen(const cpm_adapt *a, int who, int other)
{
    const double much = 0.8;
    return adapt_budget_of(a)->upset && !adapt_one(a, who)->shares.count &&
           adapt_one(a, other)->shares.count &&
           adapt_value(a, other) > much * adapt_value(a, a->incumbent);
}

static bool is_before(const cpm_adapt *a, int x, int y)
{
    if (a->as[x].at_risk != a->as[y].at_risk)
        return a->as[y].at_risk;
    if (is_to_be_seen(a, x, y) || is_to_be_seen(a, y, x))
        return is_to_be_seen(a, x, y);
    return adapt_value(a, x) < adapt_value(a, y);
}

static int most_promising(const cpm_adapt *a)
{
    int best = -1;
    for (int k = 1; k < a->count; k++)
        if (is_open(a, k) && (best < 0 || is_before(a, k, best)))
            best = k;
    return best;
}

/* ---- how often */

/* Not from what is predicted to be faster: that may bring more than it costs. */
static double kept_back(const cpm_adapt *a)
{
    const cpm_ledger *l = a->ledger;
    return reserve * (l->share * l->native + l->constant);
}

/* Seconds that may be lost on purpose, but for what other contexts are about to lose. Where native
 * times out that is no more certain than how often it does so. */
static double room_of(const cpm_adapt *a)
{
    const cpm_ledger *l = a->ledger;
    double varies = sqrt(adapt_one(a, 0)->late.timeouts) * adapt_budget_of(a)->timeout *
                    adapt_budget_of(a)->unit;
    double others = l->planned - adapt_budget_of(a)->planned;
    return cpm_ledger_room(l) - others - kept_back(a) + varies;
}

/* As far as the model and calls say: it disturbs nobody. */
static bool is_predicted_faster(const cpm_adapt *a, int who)
{
    return adapt_is_predicted(a, who) &&
           adapt_value(a, who) < (1 - adapt_gain) * adapt_value(a, a->incumbent);
}

/* The same, where it was seen before what native takes, and while nothing was ever chosen. */
static bool is_promised(const cpm_adapt *a, int who)
{
    return adapt_budget_of(a)->expected > 0 && a->chosen_after == 0 && is_predicted_faster(a, who);
}

/* Seconds that a call by who is expected to lose, one unknown somewhat more, and something always.
 */
static double expected_loss(const cpm_adapt *a, int who)
{
    const adapt_budget_state *b = adapt_budget_of(a);
    double loss = adapt_value(a, who) + adapt_calm_error(a, who) - adapt_value(a, a->incumbent);
    if (!adapt_one(a, who)->shares.count)
        loss = fmax(is_promised(a, who) ? least_predicted : least_loss,
                    adapt_value(a, who) * fmin(b->trust, cautious) - adapt_value(a, a->incumbent));
    return fmax(0, loss) * b->full;
}

/* How many pairs are worth a meeting: one at first, more where a meeting costs more than these
 * lose; then as many again as there were, or what is missing to decide about one that looks good.
 */
static double pairs_wanted(const cpm_adapt *a, int who, double loss)
{
    int seen = adapt_one(a, who)->shares.count;
    if (!seen)
        return fmin(ADAPT_ENOUGH_PAIRS, fmax(1, a->ledger->meeting / (4 * loss)));
    double most = adapt_value(a, who) < adapt_value(a, a->incumbent)
                      ? fmax(seen, ADAPT_ENOUGH_PAIRS - seen)
                      : seen;
    return fmin(MOST_PAIRS, fmax(most, loss > 0 ? a->ledger->meeting / (4 * loss) : 1));
}

/* So many at least: one, or what is missing to decide about one that looks good. */
static double pairs_needed(const cpm_adapt *a, int who)
{
    int seen = adapt_one(a, who)->shares.count;
    bool good = seen && adapt_value(a, who) < adapt_value(a, a->incumbent);
    return good ? fmax(1, ADAPT_ENOUGH_PAIRS - seen) : 1;
}

/* As far as the room goes; 0: not even for those that are needed. */
static int pairs_for(const cpm_adapt *a, int who, double room)
{
    double loss = expected_loss(a, who), most = pairs_wanted(a, who, loss);
    double left = room - a->ledger->meeting;
    if (is_promised(a, who))
        left += kept_back(a);
    if (loss > 0)
        most = fmin(most, floor(left / loss));
    else if (left < 0)
        most = 0;
    return most >= pairs_needed(a, who) ? (int)most : 0;
}

/* Calls of the incumbent until there is room for who, and for the meetings until then. */
static int until_room(const cpm_adapt *a, int who, double room)
{
    double need = pairs_needed(a, who) * expected_loss(a, who) + 2 * a->ledger->meeting - room;
    double ahead = adapt_value(a, 0) - adapt_value(a, a->incumbent);
    double share = (1 - reserve) * a->ledger->share;
    double each = (share * adapt_value(a, 0) + fmax(0, ahead) / 2) * adapt_budget_of(a)->unit;
    return (int)fmin(LONGEST, fmax(SHORTEST, ceil(1.1 * need / each)));
}

/* ---- how long */

/* So many calls of the incumbent that a meeting costs that share of their time. */
static double calls_for_meeting(const cpm_adapt *a, double share)
{
    return a->ledger->meeting / (share * adapt_value(a, a->incumbent) * adapt_budget_of(a)->unit);
}

/* The same after a change, when all is not yet quiet. */
static double shortest(const cpm_adapt *a)
{
    return fmax(SHORTEST, calls_for_meeting(a, share_changed));
}

/* Calls of a period by the incumbent when all is quiet. Should the chosen one become twice as slow,
 * that fits into what was gained. */
static double longest(const cpm_adapt *a)
{
    double quiet = fmax(QUIET, calls_for_meeting(a, share_quiet));
    double gained =
        cpm_ledger_room(a->ledger) / (adapt_value(a, a->incumbent) * adapt_budget_of(a)->unit);
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
    adapt_budget_state *b = adapt_budget_of(a);
    adapt_leave_turn(a);
    b->period = (int)fmin(longest(a), fmax(shortest(a), 2.0 * b->period));
    double most = fmax(fmax(QUIET, (double)a->calls), calls_for_meeting(a, share_waiting));
    return alone(a, (int)fmin(calls, a->incumbent ? b->period : most));
}

/* ---- periods */

static cpm_adapt_period try(cpm_adapt *a, int who)
{
    adapt_budget_state *b = adapt_budget_of(a);
    double room = room_of(a);
    int pairs = pairs_for(a, who, room);
    if (!pairs)
        return wait(a, until_room(a, who, room));
    if (!is_predicted_faster(a, who) && !adapt_take_turn(a))
        return wait(a, (int)fmin(LONGEST, fmax(SHORTEST, calls_for_meeting(a, share_waiting))));
    b->tried = who;
    b->planned = pairs * expected_loss(a, who);
    a->ledger->planned += b->planned;
    b->period = 0;
    return (cpm_adapt_period){a->incumbent, who, 2 * pairs};
}

/* Calls until there is room for the first trial, if what native takes is expected. */
static int until_first_trial(const cpm_adapt *a)
{
    int who = most_promising(a);
    if (!(adapt_budget_of(a)->expected > 0) || who < 0)
        return LATER;
    return (int)fmin(LATER, fmax(FIRST, until_room(a, who, room_of(a))));
}

/* Nothing was fed; other contexts may be waiting for their first meeting, too. */
static cpm_adapt_period first(cpm_adapt *a)
{
    cpm_ledger *l = a->ledger;
    double meeting = fmax(l->meeting, first_meeting);
    if (!adapt_budget_of(a)->opening)
        l->opening++;
    adapt_budget_of(a)->opening = true;
    return alone(a, room_of(a) > l->opening * meeting ? FIRST : until_first_trial(a));
}

void adapt_met(cpm_adapt *a)
{
    adapt_budget_state *b = adapt_budget_of(a);
    a->ledger->opening -= b->opening;
    a->ledger->planned -= b->planned;
    b->opening = false;
    b->planned = 0;
}

/* Nothing was fed, but what native takes is known: what is predicted to be faster is tried. */
static bool can_begin(cpm_adapt *a)
{
    adapt_budget_state *b = adapt_budget_of(a);
    int who;
    if (!(b->expected > 0))
        return false;
    adapt_expect(a, b->expected);
    who = most_promising(a);
    return who > 0 && is_predicted_faster(a, who) && pairs_for(a, who, room_of(a)) > 0;
}

cpm_adapt_period adapt_next_period(cpm_adapt *a)
{
    adapt_budget_state *b = adapt_budget_of(a);
    if (b->checking)
        return (cpm_adapt_period){a->incumbent, 0, 2 * ADAPT_CHECK_PAIRS};
    if (!adapt_one(a, a->incumbent)->late.count && !can_begin(a))
        return first(a);
    int known = adapt_one(a, a->incumbent)->alone.count;
    if (a->incumbent && known < ADAPT_ENOUGH_ALONE)
        return alone(a, ADAPT_ENOUGH_ALONE - known);
    int who = most_promising(a);
    return who < 0 ? wait(a, (int)longest(a)) : try(a, who);
}
