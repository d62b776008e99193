/* The tuner of alltoallv's threshold (Fagg, Bosilca, Pjesivac-Grbovic, Angskun, Dongarra: Flexible
 * collective communication tuning architecture applied to Open MPI, EuroPVM/MPI 2006, section 6).
 * Candidates are the library's own routine and thresholds in ascending order. The best one runs;
 * from time to time one other is tried, and is kept if it is faster. What differs from the paper:
 * ranks judge by the mean over ranks, which all know, and not by what rank 0 saw; the best one's
 * time is that of its calls beside the one that tries, not the least there ever was; what seems to
 * be faster is tried again before it is kept; and when all have been tried it is done more rarely.
 */
#include <math.h>

#include "adapt/adapt_inside.h"

enum {
    NATIVE = 0,
    ENOUGH = 3,    /* trials of what is kept */
    MOST = 1 << 10 /* calls between two trials, at most */
};

static const double gain = 0.01; /* share of the best one's time: less is not worth a change */

/* Of a candidate. */
typedef struct {
    long tried;         /* number of its last trial; 0: never */
    adapt_tally shares; /* its calls of this trial, in the time of the best one's beside them */
} threshold_one;

typedef struct {
    int tried;   /* -1: the best one runs alone */
    int wait;    /* calls that it does so before the next trial */
    long trials; /* so far */
} threshold_state;

static threshold_one *ones(const cpm_adapt *a)
{
    return a->each;
}

/* ---- which one is next */

static bool is_new(const cpm_adapt *a, int who)
{
    return !ones(a)[who].tried && who != a->incumbent;
}

/* The first that is known, from who on in steps; past the end if none is. */
static int known_from(const cpm_adapt *a, int who, int step)
{
    while (who > NATIVE && who < a->count && is_new(a, who))
        who += step;
    return who;
}

/* The middle of the longest row of new ones that begins behind after and ends before before; -1:
 * there are none. */
static int middle_of_longest(const cpm_adapt *a, int after, int before)
{
    int longest = 0, middle = -1;
    for (int from = after + 1; from < before; from++) {
        int to = known_from(a, from, 1) < before ? known_from(a, from, 1) : before;
        if (to - from > longest) {
            longest = to - from;
            middle = from + longest / 2;
        }
        from = to;
    }
    return middle;
}

static int longest_ago(const cpm_adapt *a)
{
    int oldest = -1;
    for (int k = 0; k < a->count; k++)
        if (k != a->incumbent && (oldest < 0 || ones(a)[k].tried < ones(a)[oldest].tried))
            oldest = k;
    return oldest;
}

/* Halves what is not known on both sides of the best one, then anywhere; then all again. */
static int next_tried(const cpm_adapt *a)
{
    int who = -1, best = a->incumbent;
    if (best != NATIVE)
        who = middle_of_longest(a, known_from(a, best - 1, -1), known_from(a, best + 1, 1));
    if (who < 0)
        who = middle_of_longest(a, NATIVE, a->count);
    return who < 0 ? longest_ago(a) : who;
}

/* ---- judging */

static bool all_are_known(const cpm_adapt *a)
{
    for (int k = 1; k < a->count; k++)
        if (is_new(a, k))
            return false;
    return true;
}

static void try_next(cpm_adapt *a)
{
    threshold_state *s = a->whole;
    s->tried = next_tried(a);
    if (s->tried >= 0)
        ones(a)[s->tried] = (threshold_one){.tried = ++s->trials};
}

static void keep(cpm_adapt *a, int who)
{
    threshold_state *s = a->whole;
    a->incumbent = who;
    adapt_note_choice(a);
    s->wait = 0;
    try_next(a);
}

/* Where nothing is new the next trial comes later than this one did. */
static void reject(cpm_adapt *a)
{
    threshold_state *s = a->whole;
    s->tried = -1;
    if (all_are_known(a))
        s->wait = s->wait < MOST / 2 ? 2 * s->wait + 1 : MOST;
    else
        try_next(a);
}

static void judge_trial(cpm_adapt *a, const cpm_adapt_figures *best, const cpm_adapt_figures *other)
{
    adapt_tally *shares = &ones(a)[other->who].shares;
    adapt_tally_add(shares, other->sum / (double)other->calls / (best->sum / (double)best->calls));
    double error = adapt_tally_spread(shares) / sqrt((double)shares->count);
    if (!(adapt_tally_mean(shares) + error < 1 - gain))
        reject(a);
    else if (shares->count == ENOUGH)
        keep(a, other->who);
}

static void judge(cpm_adapt *a, const cpm_adapt_figures *f, int count)
{
    const threshold_state *s = a->whole;
    const cpm_adapt_figures *best = adapt_figures_of(f, count, a->incumbent);
    const cpm_adapt_figures *other = s->tried < 0 ? NULL : adapt_figures_of(f, count, s->tried);
    adapt_note_native(a);
    if (s->tried < 0)
        try_next(a);
    else if (best && other)
        judge_trial(a, best, other);
}

/* ---- the policy */

static void begin(cpm_adapt *a)
{
    try_next(a);
}

/* A trial is one call of the best one, one of the other, and those while ranks meet. */
static cpm_adapt_period next(cpm_adapt *a)
{
    const threshold_state *s = a->whole;
    if (s->tried >= 0)
        return (cpm_adapt_period){a->incumbent, s->tried, 2};
    return (cpm_adapt_period){a->incumbent, a->incumbent, a->count > 1 ? s->wait : MOST};
}

static void look(const cpm_adapt *a, int who, cpm_adapt_seen *seen)
{
    seen->out = ones(a)[who].tried && who != a->incumbent;
}

const adapt_type adapt_threshold = {.each = sizeof(threshold_one),
                                    .whole = sizeof(threshold_state),
                                    .begin = begin,
                                    .judge = judge,
                                    .next = next,
                                    .look = look};
