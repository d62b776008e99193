/* What a context runs next: trials as far as there is room for them, checks, or the incumbent alone
 * for so long that meetings cost little. */
#include <math.h>

#include "adapt/adapt_budget.h"

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
    FIRST_PAIRS = 4,
    MOST_PAIRS = 32
};

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

/* How many pairs are worth a meeting: a few at first, more where a meeting costs more than these
 * lose; then as many again as there were, or what the next look at one that looks good needs. */
static double pairs_wanted(const cpm_adapt *a, int who, double loss)
{
    const adapt_pairs *p = &adapt_one(a, who)->pairs;
    const adapt_question q = adapt_question_of(a, who);
    double worth = loss > 0 ? a->ledger->meeting / (4 * loss) : 1;
    if (!p->count)
        return fmin(FIRST_PAIRS, fmax(1, worth));
    bool good = adapt_value(a, who) < adapt_value(a, a->incumbent);
    double most = good ? adapt_next_look(p, &q) - p->count : 0;
    return fmin(MOST_PAIRS, fmax(fmax(most, p->count), worth));
}

/* As far as the room goes; 0: not even for one. */
static int pairs_for(const cpm_adapt *a, int who, double room)
{
    double loss = adapt_expected_loss(a, who), most = pairs_wanted(a, who, loss);
    double left = room - a->ledger->meeting;
    if (adapt_is_promised(a, who))
        left += kept_back(a);
    if (loss > 0)
        most = fmin(most, floor(left / loss));
    else if (left < 0)
        most = 0;
    return most >= 1 ? (int)most : 0;
}

/* Calls of the incumbent until there is room for who, and for the meetings until then. */
static int until_room(const cpm_adapt *a, int who, double room)
{
    double need = adapt_expected_loss(a, who) + 2 * a->ledger->meeting - room;
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
    if (!pairs) {
        adapt_save(a);
        return wait(a, until_room(a, who, room));
    }
    if (!adapt_is_predicted_faster(a, who) && !adapt_take_turn(a))
        return wait(a, (int)fmin(LONGEST, fmax(SHORTEST, calls_for_meeting(a, share_waiting))));
    b->tried = who;
    b->planned = pairs * adapt_expected_loss(a, who);
    a->ledger->planned += b->planned;
    b->period = 0;
    return (cpm_adapt_period){a->incumbent, who, 2 * pairs};
}

/* Calls until there is room for the first trial, if what native takes is expected. */
static int until_first_trial(const cpm_adapt *a)
{
    int who = adapt_most_promising(a);
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
    who = adapt_most_promising(a);
    return who > 0 && adapt_is_predicted_faster(a, who) && pairs_for(a, who, room_of(a)) > 0;
}

cpm_adapt_period adapt_next_period(cpm_adapt *a)
{
    adapt_budget_state *b = adapt_budget_of(a);
    if (b->checking)
        return (cpm_adapt_period){a->incumbent, 0, 2 * ADAPT_CHECK_PAIRS};
    if (!adapt_one(a, a->incumbent)->late.count && !can_begin(a))
        return first(a);
    int known = adapt_one(a, a->incumbent)->alone.count;
    if (a->incumbent && known < ADAPT_ENOUGH_ALONE && !b->doubted)
        return alone(a, ADAPT_ENOUGH_ALONE - known);
    adapt_save_no_more(a);
    int who = adapt_most_promising(a);
    return who < 0 ? wait(a, (int)longest(a)) : try(a, who);
}
