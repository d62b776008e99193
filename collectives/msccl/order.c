/* Which step receives what another sends, and an order in which all of them can run. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectives/msccl/parts.h"

int cpm_msccl_wrong(const cpm_msccl *x, int64_t step, int code, cpm_error *e, const char *format,
                    ...)
{
    char what[sizeof e->text];
    const cpm_msccl_step *s = &x->at[step];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return cpm_fail(e, code, "%s: gpu %d tb %d step %d: %s", x->name, s->gpu, s->tb, s->step, what);
}

/* ---- messages */

/* One end of a message: a connection, from one gpu to another on a channel, and the step. */
typedef struct {
    int from, to, channel;
    int64_t step;
} end;

static int compare_connections(const end *x, const end *y)
{
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->channel < y->channel ? -1 : x->channel > y->channel;
}

static int compare_ends(const void *a, const void *b)
{
    const end *x = a, *y = b;
    int connection = compare_connections(x, y);
    return connection ? connection : x->step < y->step ? -1 : x->step > y->step;
}

/* The steps that do so, by their connections, in the order of their thread blocks. */
static int64_t list_ends(const cpm_msccl *x, unsigned what, end *out)
{
    int64_t count = 0;
    for (int64_t k = 0; k < x->count; k++) {
        const cpm_msccl_step *s = &x->at[k];
        if (!(s->does & what))
            continue;
        out[count++] = what == CPM_MSCCL_SENDS ? (end){s->gpu, s->to, s->channel, k}
                                               : (end){s->from, s->gpu, s->channel, k};
    }
    if (count)
        qsort(out, (size_t)count, sizeof *out, compare_ends);
    return count;
}

static int check_connections(const cpm_msccl *x, const end *at, int64_t count, cpm_error *e)
{
    for (int64_t k = 1; k < count; k++)
        if (compare_connections(&at[k - 1], &at[k]) == 0 &&
            x->at[at[k - 1].step].tb != x->at[at[k].step].tb)
            return cpm_msccl_wrong(x, at[k].step, CPM_EPARSE, e,
                                   "tb %d has the same connection, from gpu %d to gpu %d on "
                                   "channel %d",
                                   x->at[at[k - 1].step].tb, at[k].from, at[k].to, at[k].channel);
    return CPM_OK;
}

static int one_end_only(const cpm_msccl *x, const end *at, bool sends, cpm_error *e)
{
    return cpm_msccl_wrong(x, at->step, CPM_EDEADLOCK, e,
                           "%s gpu %d on channel %d, where gpu %d has no such %s left",
                           sends ? "sends to" : "receives from", sends ? at->to : at->from,
                           at->channel, sends ? at->to : at->from, sends ? "receive" : "send");
}

static int join(cpm_msccl *x, const end *send, const end *receive, cpm_error *e)
{
    cpm_msccl_step *a = &x->at[send->step], *b = &x->at[receive->step];
    if (a->count != b->count)
        return cpm_msccl_wrong(x, receive->step, CPM_EPARSE, e,
                               "receives %d chunks, but gpu %d tb %d step %d sends %d", b->count,
                               a->gpu, a->tb, a->step, a->count);
    a->sent = receive->step;
    b->come = send->step;
    return CPM_OK;
}

static int join_all(cpm_msccl *x, const end *send, int64_t sends, const end *receive,
                    int64_t receives, cpm_error *e)
{
    int status = CPM_OK;
    for (int64_t k = 0; (k < sends || k < receives) && !status; k++) {
        int order = k >= sends      ? 1
                    : k >= receives ? -1
                                    : compare_connections(&send[k], &receive[k]);
        status = order ? one_end_only(x, order < 0 ? &send[k] : &receive[k], order < 0, e)
                       : join(x, &send[k], &receive[k], e);
    }
    return status;
}

int cpm_msccl_match(cpm_msccl *x, cpm_error *e)
{
    end *send = malloc((size_t)(x->count + 1) * sizeof *send);
    end *receive = malloc((size_t)(x->count + 1) * sizeof *receive);
    int status = send && receive ? CPM_OK : cpm_no_memory(e);
    if (!status) {
        int64_t sends = list_ends(x, CPM_MSCCL_SENDS, send);
        int64_t receives = list_ends(x, CPM_MSCCL_RECEIVES, receive);
        status = check_connections(x, send, sends, e);
        if (!status)
            status = check_connections(x, receive, receives, e);
        if (!status)
            status = join_all(x, send, sends, receive, receives, e);
    }
    free(send);
    free(receive);
    return status;
}

/* ---- order */

/* What a step waits for, and who waits for a step. */
typedef struct {
    const cpm_msccl *of;
    int *left;       /* [count] of those that it waits for */
    int64_t *first;  /* [count] of those that depend on it, -1: none */
    int64_t *follow; /* [count] the next one that depends on the same */
} waiting;

static bool create_waiting(const cpm_msccl *x, waiting *out)
{
    size_t count = (size_t)x->count + 1;
    *out = (waiting){.of = x,
                     .left = calloc(count, sizeof *out->left),
                     .first = malloc(count * sizeof *out->first),
                     .follow = malloc(count * sizeof *out->follow)};
    if (!out->left || !out->first || !out->follow)
        return false;
    for (int64_t k = 0; k < x->count; k++)
        out->first[k] = -1;
    for (int64_t k = 0; k < x->count; k++) {
        const cpm_msccl_step *s = &x->at[k];
        out->left[k] = (s->before >= 0) + (s->depends >= 0) + (s->come >= 0);
        if (s->depends < 0)
            continue;
        out->follow[k] = out->first[s->depends];
        out->first[s->depends] = k;
    }
    return true;
}

static void free_waiting(waiting *w)
{
    free(w->left);
    free(w->first);
    free(w->follow);
}

/* One that it waited for is done. */
static void done(waiting *w, int64_t step, int64_t *order, int64_t *count)
{
    if (--w->left[step] == 0)
        order[(*count)++] = step;
}

static int64_t run_all(waiting *w, int64_t *order)
{
    const cpm_msccl *x = w->of;
    int64_t count = 0;
    for (int64_t k = 0; k < x->count; k++)
        if (w->left[k] == 0)
            order[count++] = k;
    for (int64_t next = 0; next < count; next++) {
        int64_t k = order[next];
        if (k + 1 < x->count && x->at[k + 1].before == k)
            done(w, k + 1, order, &count);
        if (x->at[k].sent >= 0)
            done(w, x->at[k].sent, order, &count);
        for (int64_t d = w->first[k]; d >= 0; d = w->follow[d])
            done(w, d, order, &count);
    }
    return count;
}

/* Of what a step that never runs waits for, one that never runs. */
static int64_t waits_for(const waiting *w, int64_t k)
{
    const cpm_msccl_step *s = &w->of->at[k];
    const int64_t other[] = {s->come, s->depends, s->before};
    for (int i = 0; i < 3; i++)
        if (other[i] >= 0 && w->left[other[i]] > 0)
            return other[i];
    return -1;
}

static int deadlock(const waiting *w, cpm_error *e)
{
    const cpm_msccl *x = w->of;
    int64_t k = 0;
    while (w->left[k] == 0)
        k++;
    for (int64_t times = 0; times < x->count; times++) /* into the circle */
        k = waits_for(w, k);
    const cpm_msccl_step *on = &x->at[waits_for(w, k)];
    return cpm_msccl_wrong(x, k, CPM_EDEADLOCK, e,
                           "waits for gpu %d tb %d step %d, which waits for it, directly or "
                           "through others",
                           on->gpu, on->tb, on->step);
}

int cpm_msccl_order(const cpm_msccl *x, int64_t *order, cpm_error *e)
{
    waiting w;
    int status = create_waiting(x, &w) ? CPM_OK : cpm_no_memory(e);
    if (!status && run_all(&w, order) < x->count)
        status = deadlock(&w, e);
    free_waiting(&w);
    return status;
}
