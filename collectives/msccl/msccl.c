/* From the XML of thread blocks to a list of messages: parsed, matched, ordered, followed, and put
 * into the earliest rounds in which every message has what it brings. */
#include "collectives/msccl/msccl.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "collectives/msccl/flow.h"

/* Nodes of rounds are steps; a message is the step that receives it. */
typedef struct {
    const cpm_msccl *x;
    const cpm_msccl_flow *flow;
    cpm_msccl_edge *edge;
    int64_t edges, edge_capacity;
    int *round;     /* [steps] */
    int64_t *place; /* [steps] in the order of steps */
    cpm_error *e;
} rounds;

static int edge(rounds *r, int64_t from, int64_t to, int more)
{
    if (!cpm_vector_reserve(&r->edge, &r->edge_capacity, r->edges + 1, sizeof *r->edge))
        return cpm_no_memory(r->e);
    r->edge[r->edges++] = (cpm_msccl_edge){from, to, more};
    return CPM_OK;
}

static int64_t last_node(const rounds *r, int64_t step)
{
    const cpm_msccl_step *s = &r->x->at[step];
    return s->does & CPM_MSCCL_SENDS ? s->sent : step;
}

static int64_t first_node(const rounds *r, int64_t step)
{
    const cpm_msccl_step *s = &r->x->at[step];
    return s->does & CPM_MSCCL_RECEIVES ? step : last_node(r, step);
}

/* Thread blocks keep their order. */
static int order_step(rounds *r, int64_t step)
{
    const cpm_msccl_step *s = &r->x->at[step];
    int status = CPM_OK;
    if (s->before >= 0)
        status = edge(r, last_node(r, s->before), first_node(r, step), 0);
    if (s->depends >= 0 && !status)
        status = edge(r, last_node(r, s->depends), first_node(r, step), 0);
    if (!status)
        status = edge(r, first_node(r, step), last_node(r, step), 0);
    return status;
}

/* A message is sent after what it brings came, and before that becomes another thing; what is
 * combined with it is, at the end of a round. */
static int order_items(rounds *r, int64_t step)
{
    const cpm_msccl_step *s = &r->x->at[step];
    int status = CPM_OK;
    for (int64_t k = r->flow->first[step]; k < r->flow->first[step] + s->count && !status; k++) {
        const cpm_msccl_version *all = r->flow->version, *v = &all[r->flow->item[k].version];
        if (v->by >= 0)
            status = edge(r, v->by, s->sent, 1);
        if (v->next >= 0 && !status)
            status = edge(r, s->sent, all[v->next].by, !all[v->next].combined);
    }
    return status;
}

static int order_versions(rounds *r)
{
    int status = CPM_OK;
    for (int64_t k = 0; k < r->flow->versions && !status; k++) {
        const cpm_msccl_version *v = &r->flow->version[k];
        const cpm_msccl_version *next = v->next < 0 ? NULL : &r->flow->version[v->next];
        if (next && v->by >= 0 && v->by != next->by)
            status = edge(r, v->by, next->by, !(v->combined && next->combined));
    }
    return status;
}

static int wrong_edge(const rounds *r, const cpm_msccl_edge *x)
{
    const cpm_msccl_step *from = &r->x->at[x->from];
    return cpm_msccl_wrong(r->x, x->to, CPM_EPARSE, r->e,
                           "what it receives is needed before and after what gpu %d tb %d step %d "
                           "receives. Messages of a schedule do not wait in buffers",
                           from->gpu, from->tb, from->step);
}

static int set_rounds(rounds *r, const int64_t *order)
{
    size_t count = (size_t)r->x->count + 1;
    int64_t wrong = -1;
    int status = CPM_OK;
    r->round = calloc(count, sizeof *r->round);
    r->place = malloc(count * sizeof *r->place);
    if (!r->round || !r->place)
        return cpm_no_memory(r->e);
    for (int64_t k = 0; k < r->x->count && !status; k++) {
        r->place[order[k]] = k;
        status = order_step(r, k);
        if (!status && r->x->at[k].does & CPM_MSCCL_SENDS)
            status = order_items(r, k);
    }
    if (!status)
        status = order_versions(r);
    if (!status)
        status = cpm_msccl_rounds(r->x->count, r->edge, r->edges, r->round, &wrong, r->e);
    return status || wrong < 0 ? status : wrong_edge(r, &r->edge[wrong]);
}

/* ---- messages */

/* A message, by its round, and by when its sender runs. */
typedef struct {
    int round;
    int64_t place, step;
} listed;

static int compare_listed(const void *a, const void *b)
{
    const listed *x = a, *y = b;
    if (x->round != y->round)
        return x->round < y->round ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int add_message(const rounds *r, int64_t step, cpm_messages *out)
{
    const cpm_msccl_step *s = &r->x->at[step];
    const cpm_msccl_item *item = &r->flow->item[r->flow->first[s->come]];
    int status = cpm_messages_add(out, s->from, s->gpu, r->round[step],
                                  r->flow->use[step] == CPM_MSCCL_COMBINED, r->e);
    for (int k = 0; k < s->count && !status; k++)
        status = cpm_messages_and(out, item[k].position, 1, r->e);
    return status;
}

static int list_messages(const rounds *r, cpm_messages *out)
{
    listed *at = malloc(((size_t)r->x->count + 1) * sizeof *at);
    int64_t count = 0;
    int status = CPM_OK;
    if (!at)
        return cpm_no_memory(r->e);
    for (int64_t k = 0; k < r->x->count; k++)
        if (r->x->at[k].does & CPM_MSCCL_RECEIVES)
            at[count++] = (listed){r->round[k], r->place[r->x->at[k].come], k};
    if (count)
        qsort(at, (size_t)count, sizeof *at, compare_listed);
    for (int64_t k = 0; k < count && !status; k++)
        status = add_message(r, at[k].step, out);
    free(at);
    return status;
}

/* ---- the whole */

static int make_messages(const cpm_msccl_layout *l, const int64_t *order, cpm_messages *out,
                         cpm_error *e)
{
    cpm_msccl_flow flow;
    rounds r = {.x = l->of, .flow = &flow, .e = e};
    int status = cpm_msccl_follow(l, order, &flow, e);
    if (status)
        return status;
    *out = (cpm_messages){
        .operation = l->operation, .n = l->of->n, .root = l->root, .pieces = l->pieces};
    status = set_rounds(&r, order);
    if (!status)
        status = list_messages(&r, out);
    free(r.edge);
    free(r.round);
    free(r.place);
    cpm_msccl_flow_clear(&flow);
    return status;
}

static int read_parsed(cpm_msccl *x, cpm_messages *out, cpm_error *e)
{
    cpm_msccl_layout l = {0};
    int64_t *order = malloc(((size_t)x->count + 1) * sizeof *order);
    int status = order ? cpm_msccl_match(x, e) : cpm_no_memory(e);
    if (!status)
        status = cpm_msccl_layout_create(x, &l, e);
    if (!status)
        status = cpm_msccl_order(x, order, e);
    if (!status)
        status = make_messages(&l, order, out, e);
    cpm_msccl_layout_clear(&l);
    free(order);
    if (status)
        cpm_messages_clear(out);
    return status;
}

bool cpm_msccl_is_xml(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '<';
}

int cpm_msccl_read(const char *name, const char *text, size_t size, cpm_messages *out, cpm_error *e)
{
    cpm_msccl x;
    int status = cpm_msccl_parse(name, text, size, &x, e);
    if (status)
        return status;
    status = read_parsed(&x, out, e);
    cpm_msccl_clear(&x);
    return status;
}
