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
#include "collectives/schedule/tasks.h"

typedef struct {
    int peer;   /* of rank 0 */
    int place;  /* in its receiver's row */
    int pieces; /* in which it lies if it is packed, else 0 */
    size_t bytes;
} departure;

/* What a rank does with a message that it has. */
typedef struct {
    int pieces; /* to be unpacked from; 0: it is combined */
    size_t bytes;
} arrival_work;

typedef struct {
    const cpm_schedule *s;
    const cpm_block_sizes *sizes;
    cpm_cost_function *cost;
    const void *model;
    const cpm_plain_walking *how;
    departure *send;
    int *count;          /* of a round: messages that each rank sends, and receives */
    arrival_work *work;  /* of each rank, of all rounds, in the order of steps */
    int *work_end;       /* of a round: behind its last one there */
    cpm_steps last;      /* steps of the last rank, if copies take time: it stands for all, as most
                            ranks' blocks lie on both sides of the end of a buffer */
    cpm_placing placing; /* of that rank */
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

/* Of step k of all ranks. */
static int pieces_of(const walk *w, int k)
{
    return w->how->copy ? cpm_task_pieces(&w->placing, &w->last, &w->last.at[k]) : 0;
}

static void keep_work(walk *w, const cpm_steps *steps, int at, int count)
{
    int end = w->rounds ? w->work_end[w->rounds - 1] : 0;
    for (int k = at; k < at + count; k++) {
        const cpm_step *step = &steps->at[k];
        int pieces = cpm_step_receives(step) ? pieces_of(w, k) : 0;
        if (pieces || step->kind == CPM_COMBINE)
            w->work[end++] = (arrival_work){pieces, cpm_step_bytes(w->s, steps, step, w->sizes)};
    }
    w->work_end[w->rounds] = end;
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
        *send++ = (departure){step[k].peer, *from, pieces_of(w, at + k),
                              cpm_step_bytes(w->s, steps, &step[k], w->sizes)};
        *from = next[*from];
    }
    keep_work(w, steps, at, count);
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
    if (!status && w->how->copy) {
        status = cpm_schedule_rank(w->s, w->s->n - 1, &w->last, e);
        if (!status)
            status = cpm_placing_usual(w->s, &w->last, w->s->n - 1, &w->placing, e);
    }
    if (!status) {
        size_t count = (size_t)steps.count + 1;
        first = malloc((size_t)w->s->n * sizeof *first);
        next = malloc(count * sizeof *next);
        w->send = malloc(count * sizeof *w->send);
        w->count = malloc(count * sizeof *w->count);
        w->work = malloc(count * sizeof *w->work);
        w->work_end = malloc(count * sizeof *w->work_end);
        *matched = first && next && w->send && w->count && w->work && w->work_end &&
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
                if (d->pieces)
                    w->clocks[rank].processor += w->how->copy(w->model, rank, d->pieces, d->bytes);
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

static double work_of_round(const walk *w, int rank, int round)
{
    double seconds = 0;
    for (int k = round ? w->work_end[round - 1] : 0; k < w->work_end[round]; k++) {
        const arrival_work *x = &w->work[k];
        if (x->pieces)
            seconds += w->how->copy(w->model, rank, x->pieces, x->bytes);
        else if (w->how->combine)
            seconds += w->how->combine(w->model, rank, w->s->combining, x->bytes);
    }
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
        c->processor += work_of_round(w, rank, round);
        before = before && !(w->how->until > 0 && c->processor >= w->how->until);
    }
    return before;
}

/* ---- the whole */

/* Of copies only: contributions apart are not walked here. */
static cpm_own_work own_work(const walk *w, int rank)
{
    cpm_placing as_last = w->placing;
    as_last.rank = rank;
    return cpm_placing_work(&as_last, &w->last, w->sizes, NULL, w->how->copy, w->model);
}

static bool open_clocks(walk *w)
{
    size_t n = (size_t)w->s->n, bytes = n * (size_t)w->width * sizeof *w->row;
    if (!cpm_memory_suffices(bytes) || !cpm_arrivals_reserve(&w->arrivals, w->width))
        return false;
    w->clocks = malloc(n * sizeof *w->clocks);
    w->row = cpm_memory_in_large_pages(bytes + 1);
    for (size_t r = 0; w->clocks && r < n; r++) {
        w->clocks[r] = cpm_clocks_at_zero;
        if (w->how->copy)
            w->clocks[r].processor = own_work(w, (int)r).before;
    }
    return w->clocks && w->row;
}

static double last_finish(const walk *w, double *finish)
{
    double last = 0;
    for (int r = 0; r < w->s->n; r++) {
        double processor = w->clocks[r].processor + (w->how->copy ? own_work(w, r).after : 0);
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
    if (s->symmetry.period != 1 || (s->apart && how->combine) || how->computing > 0 ||
        !cpm_schedule_says_symmetric(s, sizes, &s->symmetry))
        return 0;
    int status = match(&w, walked, e);
    *walked = *walked && open_clocks(&w);
    if (*walked)
        seconds = run(&w, finish);
    free(w.send);
    free(w.count);
    free(w.work);
    free(w.work_end);
    cpm_steps_free(&w.last);
    free(w.clocks);
    free(w.row);
    cpm_arrivals_free(&w.arrivals);
    return status ? status : seconds;
}
