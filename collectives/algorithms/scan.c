/* Prefix reductions: process r gets what the processes up to r contribute (scan), or those below r
 * (exscan). Both send the same messages: what a process combines its own contribution with is the
 * result of an exscan. */
#include <stdlib.h>

#include "collectives/algorithms/pieces.h"

/* Processes in a row: first, first + 1, ...; or those at "at". */
typedef struct {
    const int *at;
    int first, count;
} row;

static int rank_in(const row *r, int i)
{
    return r->at ? r->at[i] : r->first + i;
}

static void combine_from(const row *r, int i, int64_t first, int64_t count, cpm_steps *out)
{
    if (i >= 0)
        cpm_combine(out, rank_in(r, i), first, count);
}

static void send_to(const row *r, int i, int64_t first, int64_t count, cpm_steps *out)
{
    if (i < r->count)
        cpm_send(out, rank_in(r, i), first, count);
}

/* The i-th of a row has got what the d before it contribute when it passes that on to the one d
 * behind it. */
static void add_doubling(const row *r, int i, int64_t blocks, cpm_steps *out)
{
    for (int d = 1; d < r->count; d *= 2) {
        combine_from(r, i - d, 0, blocks, out);
        send_to(r, i + d, 0, blocks, out);
        cpm_next_round(out);
    }
}

static void build_doubling(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const row all = {NULL, 0, s->n};
    add_doubling(&all, rank, s->blocks, out);
}

/* While a segment is received the one before it is sent on. */
static void build_chain(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const row all = {NULL, 0, s->n};
    for (int k = 0; k <= s->pieces; k++) {
        if (k < s->pieces)
            combine_from(&all, rank - 1, k, 1, out);
        if (k > 0)
            send_to(&all, rank + 1, k - 1, 1, out);
        cpm_next_round(out);
    }
}

/* ---- by hosts ---- */

/* Hosts of consecutive ranks. */
typedef struct {
    int count;
    int *last; /* [count] rank */
    int *of;   /* [n] the host of a rank */
} hosts;

static void hosts_free(void *state)
{
    hosts *h = state;
    free(h->last);
    free(h->of);
    free(h);
}

/* The last process of a host gets the contributions of the others, and the last ones scan. Then
 * each tells the next host what lies before it, and the others of that host scan. */
static void build_hosts(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const hosts *h = s->state;
    int64_t all = s->blocks;
    int own = h->of[rank], first = own > 0 ? h->last[own - 1] + 1 : 0, last = h->last[own];
    const row lasts = {h->last, 0, h->count}, others = {NULL, first, last - first};
    for (int i = others.count - 1; rank == last && i >= 0; i--)
        combine_from(&others, i, 0, all, out);
    if (rank < last)
        cpm_send(out, last, 0, all);
    cpm_next_round(out);
    if (rank == last)
        add_doubling(&lasts, own, all, out);
    if (rank == last && own + 1 < h->count && h->last[own + 1] > last + 1)
        cpm_send(out, last + 1, 0, all);
    if (rank == first && rank < last && own > 0)
        cpm_combine(out, first - 1, 0, all);
    cpm_next_round(out);
    if (rank < last)
        add_doubling(&others, rank - first, all, out);
}

static int hosts_create(const cpm_call *call, hosts **out, cpm_error *e)
{
    hosts *h = calloc(1, sizeof *h);
    if (!h)
        return cpm_no_memory(e);
    *out = h;
    h->last = malloc((size_t)call->n * sizeof *h->last);
    h->of = calloc((size_t)call->n, sizeof *h->of);
    if (!h->last || !h->of)
        return cpm_no_memory(e);
    for (int i = 0; i < call->n; i++) {
        h->count += i == 0 || call->hosts->of[i] != call->hosts->of[i - 1];
        h->of[i] = h->count - 1;
        h->last[h->count - 1] = i;
    }
    return CPM_OK;
}

cpm_create cpm_scan_doubling, cpm_scan_chain, cpm_scan_hosts;

int cpm_scan_doubling(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)call, (void)e;
    s->blocks = 1;
    s->build = build_doubling;
    return CPM_OK;
}

int cpm_scan_chain(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a, (void)e;
    s->blocks = s->pieces = cpm_segments(call);
    s->build = build_chain;
    return CPM_OK;
}

int cpm_scan_hosts(const cpm_algorithm *a, const cpm_call *call, cpm_schedule *s, cpm_error *e)
{
    (void)a;
    hosts *h = NULL;
    int code = hosts_create(call, &h, e);
    s->blocks = 1;
    s->build = build_hosts;
    s->state = h;
    s->free_state = hosts_free;
    return code;
}
