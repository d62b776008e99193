/* Rank by rank: operations are labelled l1, l2, ... and a round is a range of labels. */
#include "collectives/schedule/goal.h"

#include <stdlib.h>

/* Labels [first, first + count). */
typedef struct {
    int first, count;
} labels;

typedef struct {
    const cpm_schedule *s;
    const cpm_block_sizes *sizes;
    FILE *out;
    cpm_steps steps;
    int *sent, *received; /* [n] messages of the rank so far, by peer */
    int used;             /* labels */
    int sending;          /* label of the last send so far of the round, or of deferred ones before
                             it; 0: there is none */
    labels before;        /* of the round before */
} goal;

static void put_requires(const goal *g, int label)
{
    for (int k = 0; k < g->before.count; k++)
        fprintf(g->out, "l%d requires l%d\n", label, g->before.first + k);
}

/* A simulator is free to begin operations that are ready in any order: sends of a round begin in
 * that of the schedule. */
static void put_order_of_sends(goal *g, int label)
{
    if (g->sending)
        fprintf(g->out, "l%d irequires l%d\n", label, g->sending);
    g->sending = label;
}

/* LogGOPSim charges a message for its bytes less one, so that it has one at least. */
static void put_message(goal *g, const cpm_step *step)
{
    size_t bytes = cpm_step_bytes(g->s, &g->steps, step, g->sizes);
    bool is_send = step->kind == CPM_SEND;
    int *count = is_send ? g->sent : g->received;
    fprintf(g->out, "l%d: %s %zub %s %d tag %d\n", ++g->used, is_send ? "send" : "recv",
            bytes ? bytes : 1, is_send ? "to" : "from", step->peer, count[step->peer]++);
    put_requires(g, g->used);
    if (is_send)
        put_order_of_sends(g, g->used);
}

static void put_nothing(goal *g)
{
    fprintf(g->out, "l%d: calc 0\n", ++g->used);
    put_requires(g, g->used);
}

/* The round that begins with step k; returns where the next one does. Where two rounds have many
 * messages, an operation in between saves most of the lines. Nothing waits for a deferred round. */
static int put_round(goal *g, int k)
{
    const cpm_steps *steps = &g->steps;
    int end = k;
    while (end < steps->count && steps->at[end].round == steps->at[k].round)
        end++;
    if (!cpm_step_is_message(&steps->at[k]))
        return end;
    labels *before = &g->before;
    if ((end - k) * before->count > end - k + before->count) {
        put_nothing(g);
        *before = (labels){g->used, 1};
    }
    labels own = {g->used + 1, end - k};
    bool deferred = steps->at[k].deferred;
    for (; k < end; k++)
        put_message(g, &steps->at[k]);
    if (deferred)
        return end;
    g->sending = 0;
    *before = own;
    return end;
}

/* The counters are cleared where they were used: a rank has few peers. */
static void put_rank(goal *g, int rank)
{
    g->used = g->sending = 0;
    g->before = (labels){0};
    fprintf(g->out, "\nrank %d {\n", rank);
    for (int k = 0; k < g->steps.count;)
        k = put_round(g, k);
    if (g->used == 0)
        put_nothing(g);
    fputs("}\n", g->out);
    for (int k = 0; k < g->steps.count; k++)
        g->sent[g->steps.at[k].peer] = g->received[g->steps.at[k].peer] = 0;
}

int cpm_goal_write(const cpm_schedule *s, const cpm_block_sizes *sizes, FILE *out, cpm_error *e)
{
    size_t n = (size_t)s->n;
    goal g = {.s = s, .sizes = sizes, .out = out};
    g.sent = calloc(n, sizeof *g.sent);
    g.received = calloc(n, sizeof *g.received);
    int code = CPM_OK;
    if (!g.sent || !g.received)
        code = cpm_no_memory(e);
    else
        fprintf(out, "num_ranks %d\n", s->n);
    for (int r = 0; r < s->n && !code; r++) {
        code = cpm_schedule_rank(s, r, &g.steps, e);
        if (!code)
            put_rank(&g, r);
    }
    cpm_steps_free(&g.steps);
    free(g.sent);
    free(g.received);
    return code;
}
