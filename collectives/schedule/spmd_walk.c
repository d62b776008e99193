/* The steps of rank 0 are those of all, with other peers. So nothing is kept for a rank but its
 * clocks, nobody waits to be woken, and what a rank receives in a round lies in a row of its own,
 * each message at the place of its receive. */
#include "collectives/schedule/spmd_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "collectives/schedule/arrivals.h"
#include "collectives/schedule/clocks.h"
#include "collectives/schedule/symmetry.h"

typedef struct {
    int peer;  /* of rank 0 */
    int place; /* in its receiver's row */
    size_t bytes;
} departure;

typedef struct {
    const cpm_schedule *s;
    const cpm_block_sizes *sizes;
    cpm_cost_function *cost;
    const void *model;
    const cpm_plain_walking *how;
    departure *send;
    int *count;        /* of a round: messages that each rank sends, and receives */
    size_t *combined;  /* bytes of what each rank combines, of all rounds, in the order of steps */
    int *combined_end; /* of a round: behind its last one there */
    int rounds;
    int width;          /* the largest of them */
    cpm_clocks *clocks; /* [n] */
    cpm_incoming *row;  /* [n][width] */
    cpm_arrivals arrivals;
} walk;

/* ---- the steps of rank 0 */

static bool is_exchange(const cpm_step *step, int count)
{
    int receives = 0;
    for (int k = 0; k < count; k++) {
        if (step[k].deferred || !cpm_step_is_message(&step[k]))
            return false;
        receives += cpm_step_receives(&step[k]);
    }
    return 2 * receives == count;
}

static void keep_combined(walk *w, const cpm_steps *steps, int at, int count)
{
    int end = w->rounds ? w->combined_end[w->rounds - 1] : 0;
    for (int k = at; k < at + count; k++)
        if (steps->at[k].kind == CPM_COMBINE)
            w->combined[end++] = cpm_step_bytes(w->s, steps, &steps->at[k], w->sizes);
    w->combined_end[w->rounds] = end;
}

/* Messages of a pair are received in the order in which they are sent: first[] of each peer is its
 * first receive that is not matched yet, -1 before and after, and next[] of each receive the one
 * behind it. False: a message is received in another round. */
static bool match_round(walk *w, const cpm_steps *steps, int at, int count, int *first, int *next)
{
    const cpm_step *step = &steps->at[at];
    if (!is_exchange(step, count))
        return false;
    int messages = count / 2, place = messages;
    for (int k = count - 1; k >= 0; k--)
        if (cpm_step_receives(&step[k])) {
            next[--place] = first[step[k].peer];
            first[step[k].peer] = place;
        }
    departure *send = &w->send[at / 2];
    for (int k = 0; k < count; k++) {
        if (step[k].kind != CPM_SEND)
            continue;
        /* what rank 0 sends to a peer is to that one what rank 0 receives from this one */
        int *from = &first[cpm_symmetry_move(&w->s->symmetry, w->s->n, step[k].peer, 0)];
        if (*from < 0)
            return false;
        *send++ = (departure){step[k].peer, *from, cpm_step_bytes(w->s, steps, &step[k], w->sizes)};
        *from = next[*from];
    }
    keep_combined(w, steps, at, count);
    w->count[w->rounds++] = messages;
    w->width = messages > w->width ? messages : w->width;
    return true;
}

static bool match_all(walk *w, const cpm_steps *steps, int *first, int *next)
{
    for (int r = 0; r < w->s->n; r++)
        first[r] = -1;
    int end;
    for (int at = 0; at < steps->count; at = end) {
        for (end = at; end < steps->count && steps->at[end].round == steps->at[at].round; end++)
            ;
        if (!match_round(w, steps, at, end - at, first, next))
            return false;
    }
    return true;
}

static int match(walk *w, bool *matched, cpm_error *e)
{
    cpm_steps steps = {0};
    int status = cpm_schedule_rank(w->s, 0, &steps, e), *first = NULL, *next = NULL;
    *matched = false;
    if (!status) {
        size_t count = (size_t)steps.count + 1;
        first = malloc((size_t)w->s->n * sizeof *first);
        next = malloc(count * sizeof *next);
        w->send = malloc(count * sizeof *w->send);
        w->count = malloc(count * sizeof *w->count);
        w->combined = malloc(count * sizeof *w->combined);
        w->combined_end = malloc(count * sizeof *w->combined_end);
        *matched = first && next && w->send && w->count && w->combined && w->combined_end &&
                   match_all(w, &steps, first, next);
    }
    free(first);
    free(next);
    cpm_steps_free(&steps);
    return status;
}

/* ---- rounds */

/* Of some ranks at a time, so that what neighbours send to one rank is written together. */
static void send(walk *w, const departure *first, int count)
{
    enum { RANKS = 32 };
    const int n = w->s->n;
    cpm_cost cost;
    for (int begin = 0, end; begin < n; begin = end) {
        end = begin < n - RANKS ? begin + RANKS : n;
        for (const departure *d = first; d < first + count; d++)
            for (int rank = begin; rank < end; rank++) {
                int to = cpm_symmetry_back(&w->s->symmetry, n, rank, d->peer);
                w->cost(w->model, rank, to, d->bytes, &cost);
                w->row[(size_t)to * (size_t)w->width + (size_t)d->place] =
                    cpm_clocks_send(&w->clocks[rank], &cost, false);
            }
    }
}

/* In the order of arrival. */
static void receive_row(cpm_clocks *c, const cpm_incoming *row, int count, cpm_arrivals *a)
{
    for (int k = 0; k < count; k++)
        a->at[k] = (cpm_arrival){.time = row[k].arrival, .message = k};
    a->count = count;
    cpm_arrivals_sort(a);
    for (int k = 0; k < count; k++)
        cpm_clocks_receive(c, &row[a->at[k].message]);
}

static double combine(const walk *w, int rank, int round)
{
    double seconds = 0;
    if (w->how->combine)
        for (int k = round ? w->combined_end[round - 1] : 0; k < w->combined_end[round]; k++)
            seconds += w->how->combine(w->model, rank, w->combined[k]);
    return seconds;
}

/* False: a rank has come to the time from which on nobody wants to know more. */
static bool receive(walk *w, int round)
{
    bool before = true;
    int count = w->count[round];
    for (int rank = 0; rank < w->s->n; rank++) {
        const cpm_incoming *row = &w->row[(size_t)rank * (size_t)w->width];
        cpm_clocks *c = &w->clocks[rank];
        if (count == 1)
            cpm_clocks_receive(c, row);
        else
            receive_row(c, row, count, &w->arrivals);
        cpm_clocks_wait_for_sends(c);
        c->processor += combine(w, rank, round);
        before = before && !(w->how->until > 0 && c->processor >= w->how->until);
    }
    return before;
}

/* ---- the whole */

static bool open_clocks(walk *w)
{
    size_t n = (size_t)w->s->n, bytes = n * (size_t)w->width * sizeof *w->row;
    if (!cpm_memory_suffices(bytes) || !cpm_arrivals_reserve(&w->arrivals, w->width))
        return false;
    w->clocks = malloc(n * sizeof *w->clocks);
    w->row = cpm_memory_in_large_pages(bytes + 1);
    for (size_t r = 0; w->clocks && r < n; r++)
        w->clocks[r] = cpm_clocks_at_zero;
    return w->clocks && w->row;
}

static double last_finish(const walk *w, double *finish)
{
    double last = 0;
    for (int r = 0; r < w->s->n; r++) {
        double processor = w->clocks[r].processor;
        if (finish)
            finish[r] = processor;
        last = processor > last ? processor : last;
    }
    return last;
}

static double run(walk *w, double *finish)
{
    const departure *next = w->send;
    for (int k = 0; k < w->rounds; next += w->count[k++]) {
        send(w, next, w->count[k]);
        if (!receive(w, k))
            return w->how->until;
    }
    return last_finish(w, finish);
}

double cpm_walk_spmd(const cpm_schedule *s, const cpm_block_sizes *sizes, cpm_cost_function *cost,
                     const void *model, const cpm_plain_walking *how, double *finish, bool *walked,
                     cpm_error *e)
{
    walk w = {.s = s, .sizes = sizes, .cost = cost, .model = model, .how = how};
    double seconds = 0;
    *walked = false;
    if (s->symmetry.period != 1 || (s->apart && how->combine) ||
        !cpm_schedule_says_symmetric(s, sizes, &s->symmetry))
        return 0;
    int status = match(&w, walked, e);
    *walked = *walked && open_clocks(&w);
    if (*walked)
        seconds = run(&w, finish);
    free(w.send);
    free(w.count);
    free(w.combined);
    free(w.combined_end);
    free(w.clocks);
    free(w.row);
    cpm_arrivals_free(&w.arrivals);
    return status ? status : seconds;
}
