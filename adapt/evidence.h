/* When is A better than B: the statistics of the policy with a budget, and their constants.
 *
 * Pairs. Calls of two ways alternate, and each is compared with its neighbour only: logarithms of
 * ratios. Where A is no faster than B these are as often above as below 0, by as much, whatever the
 * distribution of times: machines that drift, have two states, or long tails change nothing. That
 * they are lower is told by Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945).
 *
 * Means. Of calls that vary more the median is less, though their mean may not be. Student's test
 * of means must agree, by Cox's estimate for skewed values (X. Zhou, S. Gao: Confidence intervals
 * for the log-normal mean, Statistics in Medicine 16, 1997).
 *
 * Looks. Who looks often finds something at last. The level is therefore spent (K. Lan, D. DeMets:
 * Discrete sequential boundaries for clinical trials, Biometrika 70, 1983): trial j of a context
 * gets the part 6 / (pi^2 j^2) of it, look k of that trial the part 6 / (pi^2 k^2) of this. The sum
 * of all is the level, however long the program runs: as the stitched bounds of S. Howard, A.
 * Ramdas, J. McAuliffe, J. Sekhon: Time-uniform, nonparametric, nonasymptotic confidence sequences
 * (Ann. Statist. 49, 2021), the looks come at numbers of pairs that grow in proportion, by half.
 * The first comes when pairs that all agree suffice: log2(1 / part).
 *
 * Time-outs are rare and long, so neither ranks nor spreads say what they cost. Who times out less
 * is told by Fisher's exact test of both rates. It comes when calls that do not time out at all
 * suffice, and shares the level with the other tests.
 *
 * Elimination. Who cannot be faster by the gain is out: by Student's bound of the ratio, in which
 * what others' calls vary by counts as four pairs, and by Wilson's bounds of rates (J. Am. Stat.
 * Assoc. 22, 1927). */
#ifndef CPM_ADAPT_EVIDENCE_H
#define CPM_ADAPT_EVIDENCE_H

#include <stdbool.h>

/* Of a context: the probability that MPI's own routine is ever left for what is not faster. */
static const double adapt_level = 0.01;

/* Of each bound of what one takes, and each trial of another against what was chosen: nothing but a
 * gain is lost by that. */
static const double adapt_level_of_one = 0.05;

/* Share of the incumbent's time: less is not worth a change. */
static const double adapt_gain = 0.05;

/* So many standard errors apart, times have changed: W. Shewhart's control charts (1931). */
static const double adapt_changed = 3;

/* Times the usual: what takes longer has timed out. TCP waits for 200 ms at least. */
static const double adapt_timed_out = 20;

enum { ADAPT_PAIRS = 256 }; /* what is not better by then is not worth more */

/* Calls of one and, next to each, of another. */
typedef struct {
    float own[ADAPT_PAIRS], other[ADAPT_PAIRS]; /* [count] seconds */
    int count;
    int trial;                 /* of the context, from 1 on; 0: no look yet */
    int looks, looks_at_rates; /* that were taken */
    double ratio;  /* own's share of other's time. Odd calls, above twice the median, count as twice
                      the median, or one of them would decide */
    double raw;    /* the same, odd calls in full */
    double spread; /* standard deviation of logarithms of single ratios */
} adapt_pairs;

/* So many calls in turns, those left out of which one took more than most seconds: it has timed
 * out. Nothing is kept of what took no time, or where there is no room. */
void adapt_pairs_add(adapt_pairs *p, const double *own, const double *other, int count,
                     double most);

/* Standard error of the ratio, and how many of these bound it at the level; varying: how much
 * single calls vary, which counts as what a few pairs show. Infinite of no pairs. */
double adapt_pairs_error(const adapt_pairs *p, double varying);
double adapt_pairs_bound(const adapt_pairs *p, double varying);

/* Calls, and how many of them timed out. */
typedef struct {
    double calls, timeouts;
} adapt_rate;

/* Of which a look is taken. */
typedef struct {
    double level;          /* what all looks may spend */
    adapt_rate own, other; /* their time-outs */
    bool calm; /* own is known not to time out, so that few pairs suffice where the other does: */
    double worth; /* the other's rate if both took the same time */
} adapt_question;

/* What trial j of a context may spend. */
double adapt_level_of_trial(int j);

/* How many pairs the next look needs. */
int adapt_next_look(const adapt_pairs *p, const adapt_question *q);

/* Looks, if it is time: whether own is faster, or times out less than the other. */
bool adapt_look_at(adapt_pairs *p, const adapt_question *q);

/* Whether so many pairs as may be could tell that own times out less. */
bool adapt_rates_can_decide(const adapt_question *q);

#endif
