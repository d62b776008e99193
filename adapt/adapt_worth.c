/* What candidates are worth, as far as their calls, those of others and the model say, what a call
 * by one may lose, and who is next. What is not known is a guess that is drawn to what others show,
 * as B. Efron and C. Morris do (J. Am. Stat. Assoc. 68, 1973): what is believed before counts as so
 * many observations. */
#include <math.h>

#include "adapt/adapt_budget.h"

static const double doubt = 0.2;    /* how far predictions are off (logarithm) until it is seen */
static const double varies = 0.3;   /* how much single calls vary, likewise */
static const double unknown = 1.75; /* of native's time: a candidate without a prediction */

/* What counts as so many observations: that, doubt, one of the same group; calls without time-outs
 * of those that are not known together, and of each where native times out or does not. */
static const double as_unknown = 2, as_doubt = 4, as_group = 4;
static const double as_pooled = 4, as_noisy = 2, as_calm = 20;

static const double cautious = 1.5;         /* times what a first estimate says */
static const double least_loss = 0.5;       /* of native's time: the first call of a candidate, */
static const double least_predicted = 0.05; /* and of one that is predicted to be faster */
static const double much = 0.8; /* of the incumbent's time: others need not be seen before */

/* ---- conclusions */

static bool is_predicted(const cpm_adapt *a, int who)
{
    return a->as[who].predicted > 0 && a->as[0].predicted > 0;
}

/* A mean of logarithms over those that were seen, of its own group above all. */
static double guess_of_others(const cpm_adapt *a, int who)
{
    double sum = as_unknown * log(unknown), weight = as_unknown;
    for (int k = 1; k < a->count; k++) {
        if (!(adapt_one(a, k)->known > 0))
            continue;
        double w = a->as[k].group == a->as[who].group ? as_group : 1;
        sum += w * adapt_one(a, k)->known_log;
        weight += w;
    }
    return exp(sum / weight);
}

/* Share of what is predicted for native. */
static double prediction(const cpm_adapt *a, int who)
{
    return a->as[who].predicted / a->as[0].predicted;
}

/* How far predictions are off: mean square of logarithms. */
static double squares_off(const cpm_adapt *a)
{
    double squares = as_doubt * doubt * doubt, count = as_doubt;
    for (int k = 1; k < a->count; k++) {
        if (!(adapt_one(a, k)->known > 0) || !is_predicted(a, k))
            continue;
        double off = adapt_one(a, k)->known_log - log(prediction(a, k));
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
    const adapt_late *native = &adapt_one(a, 0)->late;
    double before = native->calls > 0 ? native->timeouts / native->calls / 2 : 0;
    double calls = as_pooled, timeouts = as_pooled * before;
    for (int k = 1; k < a->count; k++)
        if (k != a->incumbent) {
            calls += adapt_one(a, k)->late.calls;
            timeouts += adapt_one(a, k)->late.timeouts;
        }
    return timeouts / calls;
}

static void take_logarithms(cpm_adapt *a)
{
    for (int k = 1; k < a->count; k++)
        if (adapt_one(a, k)->known > 0)
            adapt_one(a, k)->known_log = log(adapt_one(a, k)->known);
}

/* Guesses, and how far predictions may be off. */
static void guess_all(cpm_adapt *a)
{
    double off = squares_off(a);
    for (int k = 1; k < a->count; k++)
        if (!(adapt_one(a, k)->known > 0))
            adapt_one(a, k)->guess = guess(a, k, off);
    adapt_budget_of(a)->trust = exp(2 * sqrt(off));
}

void adapt_expect(cpm_adapt *a, double native)
{
    adapt_budget_state *b = adapt_budget_of(a);
    b->unit = b->full = a->level = native;
    b->varying = varies;
    take_logarithms(a);
    guess_all(a);
}

void adapt_refresh(cpm_adapt *a)
{
    adapt_budget_state *b = adapt_budget_of(a);
    const adapt_budget_one *i = adapt_one(a, a->incumbent);
    if (!(i->late.mean > 0))
        return;
    b->unit = i->late.mean / (a->incumbent ? i->known : 1);
    b->full = b->unit * i->late.raw / i->late.mean;
    b->timeout = b->timeouts > 0 ? b->lost / b->timeouts / b->unit : 0;
    b->varying = i->late.count > 3 ? i->late.spread / i->late.mean : varies;
    b->pooled = pooled_rate(a);
    take_logarithms(a);
    guess_all(a);
}

/* ---- estimates */

bool adapt_times_out(const cpm_adapt *a, int who)
{
    return adapt_one(a, who)->late.timeouts > 0;
}

double adapt_calm(const cpm_adapt *a, int who)
{
    const adapt_budget_one *o = adapt_one(a, who);
    if (who == 0)
        return 1;
    return o->known > 0 ? o->known : o->guess;
}

/* Time-outs for each call. Of one that ran rarely what others show counts as well; where native is
 * calm that is doubted for longer. */
static double rate(const cpm_adapt *a, int who)
{
    const adapt_late *l = &adapt_one(a, who)->late;
    bool known = who == 0 || who == a->incumbent || a->as[who].calm;
    double before = known ? 0 : adapt_times_out(a, 0) ? as_noisy : as_calm;
    double calls = l->calls + before;
    return calls > 0 ? (l->timeouts + before * adapt_budget_of(a)->pooled) / calls : 0;
}

double adapt_value(const cpm_adapt *a, int who)
{
    return adapt_calm(a, who) + rate(a, who) * adapt_budget_of(a)->timeout;
}

double adapt_calm_error(const cpm_adapt *a, int who)
{
    const adapt_budget_one *o = adapt_one(a, who);
    const double usual = adapt_budget_of(a)->varying * adapt_calm(a, who);
    if (who == 0 || who == a->incumbent)
        return usual / sqrt(fmax(1, o->late.count));
    return o->error > 0 ? o->error : M_SQRT2 * usual;
}

double adapt_timeout_error(const cpm_adapt *a, int who)
{
    const adapt_late *l = &adapt_one(a, who)->late;
    double unseen = a->as[who].calm ? 0 : 0.5;
    return adapt_budget_of(a)->timeout * sqrt(fmax(unseen, l->timeouts)) / fmax(1, l->calls);
}

/* By its calls, as far as these say anything; else as far as the model may be off. Time-outs only
 * add to that. */
static double least(const cpm_adapt *a, int who)
{
    const adapt_budget_one *o = adapt_one(a, who);
    if (o->known > 0 && o->least > 0)
        return o->least;
    return is_predicted(a, who)
               ? fmin(prediction(a, who), adapt_value(a, who)) / adapt_budget_of(a)->trust
               : 0;
}

adapt_rate adapt_rate_of(const cpm_adapt *a, int who)
{
    const adapt_late *l = &adapt_one(a, who)->late;
    return (adapt_rate){l->calls, l->timeouts};
}

bool adapt_has_chance(const cpm_adapt *a, int who)
{
    const adapt_question q = adapt_question_of(a, who);
    bool by_rates = adapt_rates_can_decide(&q);
    double incumbent = by_rates ? adapt_value(a, a->incumbent) : adapt_calm(a, a->incumbent);
    return least(a, who) < incumbent * (1 - adapt_gain);
}

adapt_question adapt_question_of(const cpm_adapt *a, int who)
{
    const adapt_budget_state *b = adapt_budget_of(a);
    const adapt_rate incumbent = adapt_rate_of(a, a->incumbent);
    const int trial = adapt_one(a, who)->pairs.trial;
    double more = adapt_calm(a, who) + adapt_calm_error(a, who) - adapt_calm(a, a->incumbent);
    return (adapt_question){.level = a->incumbent
                                         ? adapt_level_of_one
                                         : adapt_level_of_trial(trial ? trial : b->trials + 1),
                            .own = adapt_rate_of(a, who),
                            .other = incumbent,
                            .calm = a->as[who].calm,
                            .worth = incumbent.timeouts > 0 ? more / b->timeout : 0};
}

/* ---- what a call may lose */

/* As far as the model and calls say: it disturbs nobody. */
bool adapt_is_predicted_faster(const cpm_adapt *a, int who)
{
    return is_predicted(a, who) &&
           adapt_value(a, who) < (1 - adapt_gain) * adapt_value(a, a->incumbent);
}

/* The same, where it was seen before what native takes, and while nothing was ever chosen. */
bool adapt_is_promised(const cpm_adapt *a, int who)
{
    return adapt_budget_of(a)->expected > 0 && a->chosen_after == 0 &&
           adapt_is_predicted_faster(a, who);
}

/* Seconds that a call by who is expected to lose, one unknown somewhat more, and something always.
 */
double adapt_expected_loss(const cpm_adapt *a, int who)
{
    const adapt_budget_state *b = adapt_budget_of(a);
    double loss = adapt_value(a, who) + adapt_calm_error(a, who) - adapt_value(a, a->incumbent);
    if (!adapt_one(a, who)->pairs.count)
        loss = fmax(adapt_is_promised(a, who) ? least_predicted : least_loss,
                    adapt_value(a, who) * fmin(b->trust, cautious) - adapt_value(a, a->incumbent));
    return fmax(0, loss) * b->full;
}

/* ---- who is next */

bool adapt_is_out(const cpm_adapt *a, int who)
{
    return adapt_one(a, who)->returns > a->calls;
}

/* It may be faster than the incumbent. */
static bool is_open(const cpm_adapt *a, int who)
{
    if (who == 0 || who == a->incumbent || adapt_is_out(a, who))
        return false;
    return adapt_has_chance(a, who);
}

/* Nothing is known of it since all may be otherwise, unlike of the other, which is not much faster
 * than the incumbent. */
static bool is_to_be_seen(const cpm_adapt *a, int who, int other)
{
    return adapt_budget_of(a)->upset && !adapt_one(a, who)->pairs.count &&
           adapt_one(a, other)->pairs.count &&
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

int adapt_most_promising(const cpm_adapt *a)
{
    int best = -1;
    for (int k = 1; k < a->count; k++)
        if (is_open(a, k) && (best < 0 || is_before(a, k, best)))
            best = k;
    return best;
}
