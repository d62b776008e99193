/* Small random changes of contacts, judged by the walk, where a worse one is taken now and then at
 * first, and ever less (S. Kirkpatrick et al., Optimization by simulated annealing, Science 1983).
 */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mapping/synthesis_parts.h"

/* ---- changes */

static int below(synthesis *s, int64_t count)
{
    return (int)gsl_rng_uniform_int(s->random, (unsigned long)count);
}

/* A place near another one, mostly. */
static int64_t near(synthesis *s, int64_t place, int64_t count)
{
    if (below(s, 4) == 0)
        return below(s, count);
    int64_t far = 1 + below(s, below(s, 2) ? 4 : 24);
    int64_t to = below(s, 2) ? place + far : place - far;
    return to < 0 ? 0 : to >= count ? count - 1 : to;
}

static void move(synthesis *s, contacts *c)
{
    int64_t k = below(s, c->count), to = near(s, k, c->count);
    contact x = c->at[k];
    if (to > k)
        memmove(&c->at[k], &c->at[k + 1], (size_t)(to - k) * sizeof x);
    else
        memmove(&c->at[to + 1], &c->at[to], (size_t)(k - to) * sizeof x);
    c->at[to] = x;
}

static void turn_round(synthesis *s, contacts *c)
{
    bool *fresh = &c->at[below(s, c->count)].fresh[below(s, 2)];
    *fresh = !*fresh;
}

static void change_sender(synthesis *s, contacts *c, int n)
{
    c->at[below(s, c->count)].from = below(s, n);
}

static void change_receiver(synthesis *s, contacts *c, int n)
{
    c->at[below(s, c->count)].to = below(s, n);
}

static void exchange_receivers(synthesis *s, contacts *c)
{
    int64_t k = below(s, c->count), j = near(s, k, c->count);
    int to = c->at[k].to;
    c->at[k].to = c->at[j].to;
    c->at[j].to = to;
}

static void exchange_senders(synthesis *s, contacts *c)
{
    int64_t k = below(s, c->count), j = near(s, k, c->count);
    int from = c->at[k].from;
    c->at[k].from = c->at[j].from;
    c->at[j].from = from;
}

static void exchange_streams(synthesis *s, contacts *c)
{
    int64_t k = below(s, c->count), j = near(s, k, c->count);
    int what = c->at[k].what;
    c->at[k].what = c->at[j].what;
    c->at[j].what = what;
}

/* Two processes from some contact on. */
static void exchange_processes(synthesis *s, contacts *c, int n)
{
    int one = below(s, n), other = below(s, n);
    for (int64_t k = below(s, 2) ? 0 : below(s, c->count); k < c->count; k++)
        for (int side = 0; side < 2; side++) {
            int *process = side ? &c->at[k].to : &c->at[k].from;
            *process = *process == one ? other : *process == other ? one : *process;
        }
}

static void leave_out(synthesis *s, contacts *c)
{
    int64_t k = below(s, c->count--);
    memmove(&c->at[k], &c->at[k + 1], (size_t)(c->count - k) * sizeof *c->at);
}

static int insert(synthesis *s, contacts *c, int n, cpm_error *e)
{
    contact x = {below(s, n), below(s, n), CONTACT_ALL, {below(s, 2), below(s, 2)}};
    int status = contacts_add(c, x, e);
    if (status)
        return status;
    int64_t k = below(s, c->count);
    memmove(&c->at[k + 1], &c->at[k], (size_t)(c->count - 1 - k) * sizeof x);
    c->at[k] = x;
    return CPM_OK;
}

static int change(synthesis *s, contacts *c, int n, cpm_error *e)
{
    if (c->count == 0)
        return insert(s, c, n, e);
    switch (below(s, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
        move(s, c);
        break;
    case 4:
    case 5:
    case 6:
        turn_round(s, c);
        break;
    case 7:
    case 8:
        change_sender(s, c, n);
        break;
    case 9:
        change_receiver(s, c, n);
        break;
    case 10:
        exchange_receivers(s, c);
        break;
    case 11:
        exchange_senders(s, c);
        break;
    case 12:
        exchange_streams(s, c);
        break;
    case 13:
        exchange_processes(s, c, n);
        break;
    case 14:
        leave_out(s, c);
        break;
    default:
        return insert(s, c, n, e);
    }
    return CPM_OK;
}

/* ---- runs */

/* One run from a start. */
typedef struct {
    contacts at, trial;
    double goal;
    int64_t steps;
    double heat; /* share of the goal by which a step may be worse at first, about */
} run;

static int step(synthesis *s, synthesis_start *x, run *r, double heat, cpm_error *e)
{
    const cpm_messages *list;
    synthesis_score score;
    int status = contacts_copy(&r->at, &r->trial, e);
    for (int k = 1 + (below(s, 3) == 0); k > 0 && !status; k--)
        status = change(s, &r->trial, x->form.n, e);
    if (!status)
        status = contacts_make(x->maker, &r->trial, &list, e);
    if (status || !list)
        return status;
    status = synthesis_judge(s, list, x->way, &score, e);
    if (status || score.goal > r->goal - heat * r->goal * log(gsl_rng_uniform_pos(s->random)))
        return status;
    if (score.seconds < x->score.seconds ||
        (score.seconds == x->score.seconds && score.goal < x->score.goal)) {
        x->score = score;
        status = contacts_copy(&r->trial, &x->at, e);
    }
    contacts swap = r->at;
    r->at = r->trial;
    r->trial = swap;
    r->goal = score.goal;
    return status;
}

static int run_from(synthesis *s, synthesis_start *x, double heat, cpm_error *e)
{
    run r = {.goal = x->score.goal, .heat = heat};
    r.steps = 400000 / (x->at.count + 1);
    r.steps = r.steps < 200 ? 200 : r.steps > 6000 ? 6000 : r.steps;
    int status = contacts_copy(&x->at, &r.at, e);
    for (int64_t k = 0; k < r.steps && !status && !synthesis_out_of_time(s); k++) {
        double left = 1 - (double)k / (double)r.steps;
        status = step(s, x, &r, r.heat * left * left, e);
    }
    contacts_clear(&r.at);
    contacts_clear(&r.trial);
    return status;
}

static int by_seconds(const void *a, const void *b)
{
    const synthesis_start *x = a, *y = b;
    return (x->score.seconds > y->score.seconds) - (x->score.seconds < y->score.seconds);
}

/* The best more often than others. */
static int choose(synthesis *s, const synthesis_starts *all, int number)
{
    enum { FIRST = 6 };
    int first = all->count < FIRST ? all->count : FIRST;
    if (number < first)
        return number;
    return below(s, below(s, first) + 1);
}

int synthesis_improve(synthesis *s, synthesis_starts *all, cpm_error *e)
{
    static const double heats[] = {0.02, 0.005, 0.01, 0.002};
    int status = CPM_OK, idle = 0;
    if (all->count == 0)
        return CPM_OK;
    qsort(all->at, (size_t)all->count, sizeof *all->at, by_seconds);
    for (int k = 0; idle < s->effort->attempts && !status; k++) {
        if (synthesis_out_of_time(s))
            break;
        if (k % 6 == 0)
            qsort(all->at, (size_t)all->count, sizeof *all->at, by_seconds);
        double before = s->best_seconds;
        status = run_from(s, &all->at[choose(s, all, k)], heats[k / 6 % 4], e);
        idle = s->best_seconds < before ? 0 : idle + 1;
    }
    return status;
}
