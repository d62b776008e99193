/* Disjoint pairs (0,1), (2,3), ... make the same round trips at once; the mean over the pairs is a
 * straight line wherever each of theirs is, and scatters less. */
#include "estimators/regimes.h"

#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>

/* A time that departs from a straight line by less is on it. */
static const double tolerance = 0.01;
/* And so is one that departs by less than this many half widths of its interval. */
static const double half_widths = 1.5;

enum { LEAST_STEP = 64 }; /* bytes: the first size above 0 */

typedef struct {
    double x, y, half; /* bytes; seconds and half width of its interval, means over the pairs */
} probe;

typedef struct {
    const cpm_measurements *so_far;
    int n;
    cpm_design *next; /* NULL: only look */
    cpm_error *e;
    probe *at; /* [count] those that are there, ascending */
    int count, capacity, missing;
} probing;

static cpm_experiment round_trip(int i, size_t bytes)
{
    return (cpm_experiment){.kind = &cpm_experiment_kinds[CPM_ROUNDTRIP],
                            .i = i,
                            .j = i + 1,
                            .k = -1,
                            .count = 1,
                            .send_bytes = bytes};
}

static int ask_for(probing *p, size_t bytes)
{
    int status = CPM_OK;
    p->missing++;
    for (int i = 0; i + 1 < p->n && p->next && !status; i += 2) {
        cpm_experiment x = round_trip(i, bytes);
        status = cpm_design_add(p->next, &x, p->e);
    }
    return status || !p->next ? status : cpm_design_close_round(p->next, p->e);
}

/* False: a pair's round trip is missing. */
static bool look_up(const probing *p, size_t bytes, probe *out)
{
    *out = (probe){.x = (double)bytes};
    double pairs = p->n / 2;
    for (int i = 0; i + 1 < p->n; i += 2) {
        cpm_experiment x = round_trip(i, bytes);
        int at = cpm_measurements_find(p->so_far, &x);
        if (at < 0)
            return false;
        const cpm_measurement *m = &p->so_far->at[at];
        out->y += cpm_measurement_value(m, p->so_far->statistic) / pairs;
        out->half = hypot(out->half, (m->summary.ci_high - m->summary.ci_low) / 2 / pairs);
    }
    return out->y > 0;
}

static int append(probing *p, const probe *x)
{
    if (p->count == p->capacity) {
        int capacity = p->capacity ? 2 * p->capacity : 64;
        probe *more = realloc(p->at, (size_t)capacity * sizeof *more);
        if (!more)
            return cpm_fail(p->e, CPM_ENOMEM, "no memory for %d probes", capacity);
        p->at = more;
        p->capacity = capacity;
    }
    p->at[p->count++] = *x;
    return CPM_OK;
}

static double tolerated(double y, double half)
{
    return tolerance * y + half_widths * half;
}

static bool departs(const probe *a, const probe *m, const probe *b)
{
    double share = (m->x - a->x) / (b->x - a->x);
    double line = a->y + share * (b->y - a->y);
    return fabs(m->y - line) > tolerated(m->y, m->half);
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
    bool bent = departs(a, &m, b);
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

/* First the powers of two, then between them. */
static int look(probing *p, size_t largest)
{
    probe last = {0}, x;
    int status = CPM_OK;
    for (size_t bytes = 0; bytes <= largest && !status; bytes = next_size(bytes, largest))
        status = look_up(p, bytes, &x) ? CPM_OK : ask_for(p, bytes);
    if (p->missing)
        return status;
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

int cpm_regimes_plan(const cpm_measurements *so_far, int n, size_t largest, cpm_design *next,
                     cpm_error *e)
{
    probing p = {.so_far = so_far, .n = n, .next = next, .e = e};
    int status = look(&p, largest);
    free(p.at);
    return status;
}

/* ---- regimes */

/* Neighbouring sizes with different times: no line is that steep. */
static bool leaps(const probe *a, const probe *b)
{
    return b->x - a->x <= 0.01 * b->x && fabs(b->y - a->y) > tolerated(b->y, b->half);
}

/* No probe is off by more than is tolerated, and all together by no more than half of that: a small
 * leap in the middle leaves both sides a little off. */
static bool straight(const probe *at, int count, double c0, double c1)
{
    double squares = 0;
    for (int q = 0; q < count; q++) {
        double off = (at[q].y - c0 - c1 * at[q].x) / tolerated(at[q].y, at[q].half);
        if (fabs(off) > 1)
            return false;
        squares += off * off;
    }
    return squares <= 0.25 * count;
}

/* Whether probes [begin, end) lie on one line, by relative errors. work[3 (end - begin)]. */
static bool on_a_line(const probe *at, int begin, int end, double *work)
{
    size_t count = (size_t)(end - begin);
    double *x = work, *y = work + count, *w = work + 2 * count, c0, c1, v00, v01, v11, squares;
    for (size_t q = 0; q < count; q++) {
        x[q] = at[begin + (int)q].x;
        y[q] = at[begin + (int)q].y;
        w[q] = 1 / (y[q] * y[q]);
    }
    if (count < 3)
        return count < 2 || !leaps(&at[begin], &at[begin + 1]);
    gsl_fit_wlinear(x, 1, w, 1, y, 1, count, &c0, &c1, &v00, &v01, &v11, &squares);
    return straight(at + begin, end - begin, c0, c1);
}

/* The longest run from begin on that is one line. */
static int end_of_run(const probing *p, int begin, double *work)
{
    int end = begin + 1;
    while (end < p->count && on_a_line(p->at, begin, end + 1, work))
        end++;
    return end;
}

/* Single probes, at which nothing but a leap is seen, go to the regime behind them. */
static int split(const probing *p, cpm_regime *at, double *work)
{
    int count = 0, begin = 0;
    for (int from = 0; from < p->count;) {
        int end = end_of_run(p, from, work);
        bool last = end == p->count;
        if (end - begin > 1 && (end - from > 1 || last)) {
            at[count++] = (cpm_regime){(size_t)p->at[begin].x, (size_t)p->at[end - 1].x};
            begin = end;
        } else if (last && count > 0) {
            at[count - 1].last = (size_t)p->at[end - 1].x;
        }
        from = end;
    }
    return count;
}

static int find(probing *p, size_t largest, cpm_regimes *out)
{
    int status = look(p, largest);
    if (status)
        return status;
    if (p->missing || p->count < 2)
        return cpm_fail(p->e, CPM_EDATA,
                        "round trips of processes 0 and 1 (2 and 3, ...) over message sizes up to "
                        "%zu bytes are missing: the regimes cannot be told apart",
                        largest);
    cpm_regime *at = malloc((size_t)p->count * sizeof *at);
    double *work = malloc(3 * (size_t)p->count * sizeof *work);
    if (!at || !work) {
        free(at);
        free(work);
        return cpm_fail(p->e, CPM_ENOMEM, "no memory for %d probes", p->count);
    }
    *out = (cpm_regimes){at, split(p, at, work)};
    free(work);
    return CPM_OK;
}

int cpm_regimes_find(const cpm_measurements *m, int n, size_t largest, cpm_regimes *out,
                     cpm_error *e)
{
    probing p = {.so_far = m, .n = n, .e = e};
    int status = find(&p, largest, out);
    free(p.at);
    return status;
}

void cpm_regimes_free(cpm_regimes *r)
{
    free(r->at);
    *r = (cpm_regimes){0};
}
