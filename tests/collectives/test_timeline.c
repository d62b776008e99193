/* A walk tells every message once, with times that are its costs and that no processor has twice.
 */
#include "collectives/schedule/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/schedule/flow_walk.h"
#include "costs.h"

enum { BYTES = 5000 };

/* The same costs for the flow walk. */
static void lmo_flow(const void *model, int from, int to, size_t bytes, cpm_flow *f)
{
    const parameters *p = model;
    cpm_cost c;
    lmo(model, from, to, bytes, &c);
    *f = (cpm_flow){.send = c.send,
                    .start = c.send,
                    .latency = p->L[from][to],
                    .flow = (double)bytes * p->b[from][to],
                    .cap = p->b[from][to],
                    .recv = c.recv};
}

static double plain_walk(const cpm_schedule *s, const parameters *p, double *finish,
                         const cpm_trace *trace, cpm_error *e)
{
    return cpm_plain_walk(s, &(cpm_block_sizes){.bytes = BYTES}, lmo, p,
                          &(cpm_plain_walking){.trace = trace}, finish, e);
}

static double flow_walk(const cpm_schedule *s, const parameters *p, double *finish,
                        const cpm_trace *trace, cpm_error *e)
{
    return cpm_flow_walk(s, &(cpm_block_sizes){.bytes = BYTES}, lmo_flow, p,
                         &(cpm_flow_walking){.trace = trace}, finish, e);
}

typedef double walk_function(const cpm_schedule *s, const parameters *p, double *finish,
                             const cpm_trace *trace, cpm_error *e);

typedef struct {
    double begin, end;
} interval;

static int by_begin(const void *a, const void *b)
{
    const interval *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : (x->end > y->end) - (x->end < y->end);
}

static void assert_no_processor_does_two_things(const cpm_timeline *t, int rank)
{
    interval *busy = calloc((size_t)t->count + 1, sizeof *busy);
    assert_non_null(busy);
    int count = 0;
    for (int k = 0; k < t->count; k++) {
        if (t->at[k].from == rank)
            busy[count++] = (interval){t->at[k].send_begin, t->at[k].send_end};
        if (t->at[k].to == rank)
            busy[count++] = (interval){t->at[k].recv_begin, t->at[k].recv_end};
    }
    qsort(busy, (size_t)count, sizeof *busy, by_begin);
    for (int k = 1; k < count; k++)
        assert_true(busy[k].begin >= busy[k - 1].end);
    free(busy);
}

/* A message's send time says how many bytes it has; a send of none takes C alone. */
static void assert_times_are_costs(const cpm_timed_message *m, const parameters *p)
{
    double bytes = (m->send_end - m->send_begin - p->C[m->from]) / p->t[m->from];
    cpm_cost c;
    lmo(p, m->from, m->to, (size_t)lround(bytes), &c);
    assert_true(fabs(bytes - round(bytes)) < 1e-3);
    assert_true(fabs(m->send_end - m->send_begin - c.send) < 1e-12);
    assert_true(m->left == m->send_end);
    assert_true(fabs(m->arrival - m->left - c.wire) < 1e-12);
    assert_true(m->recv_begin >= m->arrival);
    assert_true(fabs(m->recv_end - m->recv_begin - c.recv) < 1e-12);
}

static int messages_of(const cpm_schedule *s)
{
    cpm_steps steps = {0};
    int count = 0;
    for (int r = 0; r < s->n; r++) {
        assert_int_equal(cpm_schedule_rank(s, r, &steps, NULL), CPM_OK);
        for (int k = 0; k < steps.count; k++)
            count += steps.at[k].kind == CPM_SEND;
    }
    cpm_steps_free(&steps);
    return count;
}

static void try_walk(const cpm_schedule *s, walk_function *walk, const parameters *p)
{
    cpm_error e = {0};
    cpm_timeline t = {0};
    double finish[MAX_PROCESSES], last[MAX_PROCESSES] = {0};
    cpm_trace trace = cpm_timeline_trace(&t);
    assert_true(walk(s, p, finish, &trace, &e) >= 0);
    assert_int_equal(cpm_timeline_check(&t, &e), CPM_OK);
    assert_int_equal(t.count, messages_of(s));
    for (int k = 0; k < t.count; k++) {
        assert_times_are_costs(&t.at[k], p);
        last[t.at[k].from] = fmax(last[t.at[k].from], t.at[k].send_end);
        last[t.at[k].to] = fmax(last[t.at[k].to], t.at[k].recv_end);
    }
    for (int r = 0; r < s->n; r++) {
        assert_true(close_to(last[r], finish[r]));
        assert_no_processor_does_two_things(&t, r);
    }
    cpm_timeline_free(&t);
}

static void try_all(walk_function *walk)
{
    parameters p;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int n = 1; n <= 16; n += 5) {
            cpm_error e = {0};
            cpm_schedule *s = NULL;
            randomize(&p, (uint64_t)n);
            if (cpm_schedule_create(a, &(cpm_call){.n = n, .root = n / 2}, &s, &e))
                continue;
            try_walk(s, walk, &p);
            cpm_schedule_free(s);
        }
}

static void the_plain_walk_tells_every_message(void **state)
{
    (void)state;
    try_all(plain_walk);
}

static void the_flow_walk_tells_every_message(void **state)
{
    (void)state;
    try_all(flow_walk);
}

static void an_arrival_that_waits_for_the_link_end_is_told_so(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_timeline t = {0};
    cpm_trace trace = cpm_timeline_trace(&t);
    parameters p;
    randomize(&p, 4);
    const cpm_algorithm *gather;
    cpm_schedule *s;
    assert_int_equal(cpm_algorithm_find("gather", "linear", &gather, &e), CPM_OK);
    assert_int_equal(cpm_schedule_create(gather, &(cpm_call){.n = 3}, &s, &e), CPM_OK);
    assert_true(cpm_plain_walk(s, &(cpm_block_sizes){.bytes = BYTES}, hockney, &p,
                               &(cpm_plain_walking){.trace = &trace}, NULL, &e) > 0);
    double first = fmin(t.at[0].arrival, t.at[1].arrival);
    double second = fmax(t.at[0].arrival, t.at[1].arrival);
    assert_true(close_to(first, fmin(hockney_p2p(&p, 1, 0, BYTES), hockney_p2p(&p, 2, 0, BYTES))));
    assert_true(second >= first + fmin(hockney_p2p(&p, 1, 0, BYTES), hockney_p2p(&p, 2, 0, BYTES)));
    cpm_timeline_free(&t);
    cpm_schedule_free(s);
}

static void late_receiver(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    if (rank == 0)
        cpm_send(out, 1, 0, 1);
    if (rank == 1)
        cpm_recv(out, 2, 1, 1);
    cpm_next_round(out);
    if (rank == 1)
        cpm_recv(out, 0, 0, 1);
    if (rank == 2)
        cpm_send(out, 1, 1, 1);
}

static void one_second(const void *model, int from, int to, size_t bytes, cpm_flow *f)
{
    (void)model, (void)from, (void)to, (void)bytes;
    *f = (cpm_flow){.send = 0.25, .latency = 1, .cap = 1, .weight = 1, .synchronous = true};
}

static void a_synchronous_message_leaves_when_its_receiver_is_ready(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_timeline t = {0};
    cpm_trace trace = cpm_timeline_trace(&t);
    cpm_schedule s = {.n = 3, .root = -1, .blocks = 2, .build = late_receiver};
    assert_true(cpm_flow_walk(&s, &(cpm_block_sizes){0}, one_second, NULL,
                              &(cpm_flow_walking){.trace = &trace}, NULL, &e) == 2.25);
    for (int k = 0; k < t.count; k++) {
        assert_true(t.at[k].send_end == 0.25);
        assert_true(t.at[k].left == (t.at[k].from == 0 ? 1.25 : 0.25));
        assert_true(t.at[k].arrival == t.at[k].left + 1);
    }
    cpm_timeline_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plain_walk_tells_every_message),
        cmocka_unit_test(the_flow_walk_tells_every_message),
        cmocka_unit_test(a_synchronous_message_leaves_when_its_receiver_is_ready),
        cmocka_unit_test(an_arrival_that_waits_for_the_link_end_is_told_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
