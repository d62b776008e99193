/* What candidates are worth, as far as their calls, those of others and the model say. */
#include <math.h>

#include "adapt/adapt_budget.h"

static const double doubt = 0.2;    /* how far predictions are off (logarithm) until it is seen */
static const double varies = 0.3;   /* how much single calls vary, likewise */
static const double unknown = 1.75; /* of native's time: a candidate without a prediction */

/* ---- conclusions */

bool adapt_is_predicted(const cpm_adapt *a, int who)
{
    return a->as[who].predicted > 0 && a->as[0].predicted > 0;
}

/* A mean of logarithms over those that were seen, of its own group above all; what is believed
 * before counts as two of them. */
static double guess_of_others(const cpm_adapt *a, int who)
{
    double sum = 2 * log(unknown), weight = 2;
    for (int k = 1; k < a->count; k++) {
        if (!(adapt_one(a, k)->known > 0))
            continue;
        double w = a->as[k].group == a->as[who].group ? 4 : 1;
        sum += w * adapt_one(a, k)->known_log;
        weight += w;
    }
    return exp(sum / weight);
}

double adapt_prediction(const cpm_adapt *a, int who)
{
    return a->as[who].predicted / a->as[0].predicted;
}

/* How far predictions are off: mean square of logarithms. What is believed before counts as four.
 */
static double squares_off(const cpm_adapt *a)
{
    double squares = 4 * doubt * doubt, count = 4;
    for (int k = 1; k < a->count; k++) {
        if (!(adapt_one(a, k)->known > 0) || !adapt_is_predicted(a, k))
            continue;
        double off = adapt_one(a, k)->known_log - log(adapt_prediction(a, k));
        squares += off * off;
        count++;
    }
    return squares / count;
}

/* Predictions that are off count the less beside what others took. */
static double guess(const cpm_adapt *a, int who, double off)
{
    if (!adapt_is_predicted(a, who))
        return guess_of_others(a, who);
    double weight = fmin(1, doubt * doubt / off);
    if (weight == 1)
        return adapt_prediction(a, who);
    return exp(weight * log(adapt_prediction(a, who)) +
               (1 - weight) * log(guess_of_others(a, who)));
}

/* Those that are not native, and half of native's as a guess before. */
static double pooled_rate(const cpm_adapt *a)
{
    const adapt_late *native = &adapt_one(a, 0)->late;
    double calls = 4, timeouts = native->calls > 0 ? 2 * native->timeouts / native->calls : 0;
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

static double calm(const cpm_adapt *a, int who)
{
    const adapt_budget_one *o = adapt_one(a, who);
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
    const adapt_late *l = &adapt_one(a, who)->late;
    bool known = who == 0 || who == a->incumbent || a->as[who].calm;
    double before = known ? 0 : adapt_times_out(a, 0) ? 2 : 20;
    double calls = l->calls + before;
    return calls > 0 ? (l->timeouts + before * adapt_budget_of(a)->pooled) / calls : 0;
}

/* Share of native's time without time-outs, with time-outs. */
double adapt_value(const cpm_adapt *a, int who)
{
    return calm(a, who) + rate(a, who) * adapt_budget_of(a)->timeout;
}

double adapt_calm_error(const cpm_adapt *a, int who)
{
    const adapt_budget_one *o = adapt_one(a, who);
    double usual = adapt_budget_of(a)->varying * calm(a, who);
    if (who == 0 || who == a->incumbent)
        return usual / sqrt(fmax(1, o->late.count));
    double spread = o->shares.count > 7 ? o->shares.spread : fmax(1.5 * usual, o->shares.spread);
    return spread / sqrt(fmax(1, o->shares.count));
}

static double timeout_error(const cpm_adapt *a, int who)
{
    const adapt_late *l = &adapt_one(a, who)->late;
    double unseen = a->as[who].calm ? 0 : 0.5;
    return adapt_budget_of(a)->timeout * sqrt(fmax(unseen, l->timeouts)) / fmax(1, l->calls);
}

double adapt_error_between(const cpm_adapt *a, int x, int y)
{
    double calm_one = hypot(adapt_calm_error(a, x), adapt_calm_error(a, y));
    return hypot(calm_one, hypot(timeout_error(a, x), timeout_error(a, y)));
}
