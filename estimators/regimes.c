/* Disjoint pairs (0,1), (2,3), ... make the same round trips at once; the mean over the pairs is a
 * straight line wherever each of theirs is, and scatters less. Where pairs slow each other, and it
 * is not known how, a few do so one by one. */
#include "estimators/regimes.h"

#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "base/vector.h"
#include "estimators/lmo2.h"

/* Times that differ by less, as a share, are the same: no curve is looked for in smaller things. */
static const double indifference = 0.002;

enum { LEAST_STEP = 64 }; /* bytes: the first size above 0 */
enum { PAIRS_ALONE = 3 };

typedef struct {
    double x, y, half; /* bytes; seconds and half width of its interval, means over the pairs */
} probe;

typedef struct {
    const cpm_measurements *so_far;
    int n;
    size_t largest;
    bool alone;       /* pairs were, or are to be, measured one by one */
    bool later;       /* cpm_regimes_come_later */
    cpm_design *next; /* NULL: only look */
    cpm_error *e;
    double
        spread; /* of a probe around the curve, as a share; seen, not computed from repetitions */
    probe *at;  /* [count] those that are there, ascending */
    int count, missing;
} probing;

/* Of so many pairs. */
static int pairs_of(const probing *p)
{
    return p->alone && p->n / 2 > PAIRS_ALONE ? PAIRS_ALONE : p->n / 2;
}

static cpm_experiment round_trip(const probing *p, int pair, size_t bytes)
{
    cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, 2 * pair, 2 * pair + 1, bytes, 0);
    x.count = p->alone ? CPM_ALONE : 1;
    return x;
}

/* The index of the round trip of processes 0 and 1; -1: it was not measured. */
static int first_trip(const cpm_measurements *m, size_t bytes, int count)
{
    cpm_experiment x = cpm_experiment_pair(CPM_ROUNDTRIP, 0, 1, bytes, 0);
    x.count = count;
    return cpm_measurements_find(m, &x);
}

bool cpm_regimes_come_later(const cpm_measurements *m, int n, size_t largest)
{
    int asked = first_trip(m, cpm_lmo2_asked(n, largest), 1);
    int in_company = first_trip(m, LEAST_STEP + 1, 1);
    int alone = first_trip(m, LEAST_STEP + 1, CPM_ALONE);
    return asked >= 0 && (in_company < 0 || asked < in_company) && (alone < 0 || asked < alone);
}

/* Those of what was asked before regimes were measured beside any others, and where that matters
 * again. */
static const cpm_measurement *find_trip(const probing *p, int pair, size_t bytes)
{
    cpm_experiment x = round_trip(p, pair, bytes);
    int at = cpm_measurements_find(p->so_far, &x);
    if (p->later && bytes == cpm_lmo2_asked(p->n, p->largest))
        return cpm_measurements_best(p->so_far, x);
    return at < 0 ? NULL : &p->so_far->at[at];
}

static int ask_for(probing *p, size_t bytes)
{
    int status = CPM_OK;
    p->missing++;
    for (int pair = 0; pair < pairs_of(p) && p->next && !status; pair++) {
        cpm_experiment x = round_trip(p, pair, bytes);
        status = cpm_design_add(p->next, &x, p->e);
        if (!status && p->alone)
            status = cpm_design_close_round(p->next, p->e);
    }
    return status || !p->next ? status : cpm_design_close_round(p->next, p->e);
}

/* False: a pair's round trip is missing. */
static bool look_up(const probing *p, size_t bytes, probe *out)
{
    *out = (probe){.x = (double)bytes};
    const int pairs = pairs_of(p);
    for (int pair = 0; pair < pairs; pair++) {
        const cpm_measurement *m = find_trip(p, pair, bytes);
        if (!m)
            return false;
        out->y += cpm_measurement_value(m, p->so_far->statistic) / pairs;
        out->half = hypot(out->half, cpm_measurement_half(m, p->so_far->statistic) / pairs);
    }
    return out->y > 0;
}

static int append(probing *p, const probe *x)
{
    if (!cpm_vector_extend(&p->at, p->count, sizeof *p->at))
        return cpm_no_memory(p->e);
    p->at[p->count++] = *x;
    return CPM_OK;
}

/* Standard deviation of a probe: what its repetitions say, but no less than what probes are seen to
 * scatter, because a machine may be faster today than a minute ago. */
static double deviation(const probing *p, const probe *x)
{
    double least = fmax(indifference, p->spread) * x->y;
    return fmax(least, x->half / 2);
}

static double departure(const probe *a, const probe *m, const probe *b)
{
    double share = (m->x - a->x) / (b->x - a->x);
    return fabs(m->y - a->y - share * (b->y - a->y));
}

/* The departure of three equally wrong probes has 1.2 times their deviation. */
static bool departs(const probing *p, const probe *a, const probe *m, const probe *b)
{
    return departure(a, m, b) > 4 * deviation(p, m);
}

/* Appends what lies between a and b in ascending order. */
static int refine(probing *p, const probe *a, const probe *b)
{
    if (b->x - a->x < 2)
        return CPM_OK;
    size_t middle = (size_t)((a->x + b->x) / 2);
    probe m;
    if (!look_up(p, middle, &m))
        return ask_for(p, middle);
    bool bent = departs(p, a, &m, b);
    int status = bent ? refine(p, a, &m) : CPM_OK;
    if (!status)
        status = append(p, &m);
    return status || !bent ? status : refine(p, &m, b);
}

static size_t next_size(size_t bytes, size_t largest)
{
    size_t next = bytes ? 2 * bytes : LEAST_STEP;
    return bytes < largest && next > largest ? largest : next;
}

static int ask_unless_there(probing *p, size_t bytes)
{
    probe x;
    return look_up(p, bytes, &x) ? CPM_OK : ask_for(p, bytes);
}

/* Powers of two and their middles; then, some time later, the neighbours of the powers of two. */
static int ask_for_grid(probing *p, size_t largest)
{
    int status = CPM_OK;
    for (size_t bytes = 0; bytes <= largest && !status; bytes = next_size(bytes, largest)) {
        size_t next = next_size(bytes, largest);
        status = ask_unless_there(p, bytes);
        if (!status && bytes < largest && next - bytes >= 2)
            status = ask_unless_there(p, (bytes + next) / 2);
    }
    for (size_t bytes = LEAST_STEP; bytes <= largest && !status; bytes = next_size(bytes, largest))
        status = ask_unless_there(p, bytes + 1);
    return status;
}

/* How much probes scatter: one byte more takes the same time, but for a leap that happens to be
 * there, so the median difference of neighbours shows it. For normal errors it is 0.674 times the
 * square root of 2 times their deviation. */
static double see_spread(const probing *p, size_t largest)
{
    enum { MOST = 64 };
    double differences[MOST];
    int count = 0;
    for (size_t bytes = LEAST_STEP; bytes <= largest && count < MOST;
         bytes = next_size(bytes, largest)) {
        probe a, b;
        if (look_up(p, bytes, &a) && look_up(p, bytes + 1, &b))
            differences[count++] = fabs(a.y - b.y) / a.y;
    }
    return count ? cpm_median(differences, count) / (0.674 * sqrt(2)) : 0;
}

static int look(probing *p, size_t largest)
{
    probe last = {0}, x;
    int status = ask_for_grid(p, largest);
    if (status || p->missing)
        return status;
    p->spread = see_spread(p, largest);
    for (size_t bytes = 0; bytes <= largest && !status; bytes = next_size(bytes, largest)) {
        look_up(p, bytes, &x);
        if (bytes)
            status = refine(p, &last, &x);
        if (!status)
            status = append(p, &x);
        last = x;
    }
    return status;
}

int cpm_regimes_plan(const cpm_measurements *so_far, int n, size_t largest, bool alone,
                     cpm_design *next, cpm_error *e)
{
    probing p = {
        .so_far = so_far, .n = n, .largest = largest, .alone = alone, .next = next, .e = e};
    p.later = cpm_regimes_come_later(so_far, n, largest);
    int status = look(&p, largest);
    free(p.at);
    return status;
}

/* ---- regimes */

/* What another regime must explain: its two parameters and its place, by Schwarz's criterion,
 * twice, because deviations are only estimated. */
static double price_of_regime(int probes)
{
    return 2 * 3 * log(probes);
}

/* Misfit of probes [begin, end) to the line through them: squares in units of their deviations,
 * none above 3 of these, so that a single outlier makes no regime. work[3 (end - begin)]. */
static double misfit(const probing *p, int begin, int end, double *work)
{
    size_t count = (size_t)(end - begin);
    double *x = work, *y = work + count, *w = work + 2 * count, c0, c1, v00, v01, v11, squares;
    for (size_t q = 0; q < count; q++) {
        x[q] = p->at[begin + (int)q].x;
        y[q] = p->at[begin + (int)q].y;
        w[q] = 1 / (y[q] * y[q]);
    }
    gsl_fit_wlinear(x, 1, w, 1, y, 1, count, &c0, &c1, &v00, &v01, &v11, &squares);
    double sum = 0;
    for (size_t q = 0; q < count; q++) {
        double off = (y[q] - c0 - c1 * x[q]) / deviation(p, &p->at[begin + (int)q]);
        sum += fmin(off * off, 9);
    }
    return sum;
}

/* The cheapest cut of all probes into regimes of at least two (Bellman 1961): best[e] is the price
 * of the first e probes, from[e] where their last regime begins. */
static void cut(const probing *p, double *best, int *from, double *work)
{
    best[0] = 0;
    best[1] = INFINITY;
    for (int e = 2; e <= p->count; e++) {
        best[e] = INFINITY;
        for (int b = 0; b <= e - 2; b++) {
            double price = best[b] + price_of_regime(p->count);
            if (price >= best[e])
                continue;
            price += misfit(p, b, e, work);
            if (price < best[e]) {
                best[e] = price;
                from[e] = b;
            }
        }
    }
}

/* Cuts the regime that the size is in; a cut that is there already, but for some per cent of the
 * size, is moved, of two the nearer one. at has room for one more. */
static int cut_at(cpm_regime *at, int count, size_t size)
{
    int k = count - 1;
    while (k > 0 && at[k].first > size)
        k--;
    bool near_next = k + 1 < count && at[k + 1].first - size <= size / 20;
    bool near_own = k > 0 && size - at[k].first <= size / 20;
    if (near_own && near_next)
        near_next = at[k + 1].first - size < size - at[k].first;
    if (near_next || near_own) {
        at[near_next ? k + 1 : k].first = size;
        at[near_next ? k : k - 1].last = size - 1;
        return count;
    }
    for (int r = count; r > k + 1; r--)
        at[r] = at[r - 1];
    at[k + 1] = (cpm_regime){size, at[k].last > size ? at[k].last : size};
    at[k].last = size - 1;
    return count + 1;
}

static int split(const probing *p, cpm_regime *at, const int *from)
{
    int count = 0, place = 0;
    for (int e = p->count; e > 0; e = from[e])
        count++;
    place = count;
    for (int e = p->count; e > 0; e = from[e])
        at[--place] = (cpm_regime){(size_t)p->at[from[e]].x, (size_t)p->at[e - 1].x};
    return count;
}

static int cut_and_split(const probing *p, size_t rendezvous, cpm_regimes *out)
{
    size_t room = (size_t)p->count + 2;
    cpm_regime *at = malloc(room * sizeof *at);
    double *best = malloc(room * sizeof *best), *work = malloc(3 * room * sizeof *work);
    int *from = malloc(room * sizeof *from), status = CPM_OK;
    if (at && best && work && from) {
        cut(p, best, from, work);
        int count = split(p, at, from);
        *out = (cpm_regimes){at, rendezvous ? cut_at(at, count, rendezvous) : count};
    } else {
        free(at);
        status = cpm_no_memory(p->e);
    }
    free(best);
    free(work);
    free(from);
    return status;
}

static int find(probing *p, size_t largest, size_t rendezvous, cpm_regimes *out)
{
    int status = look(p, largest);
    if (status)
        return status;
    if (p->missing || p->count < 2)
        return cpm_fail(p->e, CPM_EDATA,
                        "round trips of processes 0 and 1 (2 and 3, ...) over message sizes up to "
                        "%zu bytes are missing: the regimes cannot be told apart",
                        largest);
    return cut_and_split(p, rendezvous, out);
}

int cpm_regimes_find(const cpm_measurements *m, int n, size_t largest, size_t rendezvous,
                     cpm_regimes *out, cpm_error *e)
{
    probing p = {.so_far = m, .n = n, .largest = largest, .alone = true, .e = e};
    p.alone = first_trip(m, LEAST_STEP + 1, CPM_ALONE) >= 0;
    p.later = cpm_regimes_come_later(m, n, largest);
    int status = find(&p, largest, rendezvous, out);
    free(p.at);
    return status;
}

void cpm_regimes_free(cpm_regimes *r)
{
    free(r->at);
    *r = (cpm_regimes){0};
}
