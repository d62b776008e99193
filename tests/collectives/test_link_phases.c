/* All-to-all in phases: no contention, no phase too many, every message once. */
#include "collectives/algorithms/link_signals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_topology.h"

/* The network seen from its first switch, whatever root the phases chose. */
typedef struct {
    int nodes, *parent, *order, *depth, *below; /* below: processes at and below a node */
} view;

static view look(const cpm_topology *t, int n)
{
    size_t nodes = (size_t)t->nodes;
    view w = {t->nodes, calloc(nodes, sizeof(int)), calloc(nodes, sizeof(int)),
              calloc(nodes, sizeof(int)), calloc(nodes, sizeof(int))};
    assert_int_equal(cpm_topology_orient(t, t->hosts, w.parent, w.order, NULL), CPM_OK);
    for (int k = 1; k < t->nodes; k++)
        w.depth[w.order[k]] = w.depth[w.parent[w.order[k]]] + 1;
    for (int k = t->nodes - 1; k >= 0; k--) {
        int v = w.order[k];
        w.below[v] += v < n;
        if (k > 0)
            w.below[w.parent[v]] += w.below[v];
    }
    return w;
}

static void view_free(view *w)
{
    free(w->parent);
    free(w->order);
    free(w->depth);
    free(w->below);
}

static int64_t load_of_the_bottleneck(const view *w, int n)
{
    int64_t most = 0;
    for (int v = 0; v < w->nodes; v++) {
        int64_t load = w->parent[v] < 0 ? 0 : (int64_t)w->below[v] * (n - w->below[v]);
        most = load > most ? load : most;
    }
    return most;
}

/* used[(phase * nodes + lower end) * 2 + direction] */
static void use_links(const view *w, char *used, int64_t phase, int from, int to)
{
    char *of_phase = used + phase * w->nodes * 2;
    while (from != to)
        if (w->depth[from] >= w->depth[to]) {
            assert_int_equal(of_phase[from * 2]++, 0);
            from = w->parent[from];
        } else {
            assert_int_equal(of_phase[to * 2 + 1]++, 0);
            to = w->parent[to];
        }
}

static void check_phases(const cpm_topology *t, int n)
{
    cpm_link_phases *p = NULL;
    assert_int_equal(cpm_link_phases_create(t, n, &p, NULL), CPM_OK);
    view w = look(t, n);
    assert_int_equal(p->count, load_of_the_bottleneck(&w, n));
    char *used = calloc((size_t)p->count * (size_t)w.nodes * 2 + 1, 1);
    for (int from = 0; from < n; from++)
        for (int to = 0; to < n; to++)
            if (from != to) {
                int64_t phase = cpm_link_phase_of(p, from, to);
                assert_true(phase >= 0 && phase < p->count);
                use_links(&w, used, phase, from, to);
            }
    free(used);
    view_free(&w);
    cpm_link_phases_free(p);
}

static void phases_are_free_of_contention_and_as_few_as_possible(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 500; seed++) {
        cpm_topology *t = random_topology(seed);
        assert_non_null(t);
        check_phases(t, t->hosts);
        check_phases(t, 1 + t->hosts / 2);
        cpm_topology_free(t);
    }
}

/* Subtree sizes with and without common divisors decide how subtree 0 takes turns. */
static void subtrees_of_all_sizes_take_turns(void **state)
{
    (void)state;
    for (int a = 1; a <= 12; a++)
        for (int b = 1; b <= a; b++)
            for (int c = 0; c <= b; c++) {
                char text[2048] = "switch r\nswitch a\nswitch b\nswitch c\n"
                                  "link r a\nlink r b\nlink r c\n";
                size_t used = strlen(text);
                for (int h = 0; h < a + b + c; h++)
                    used += (size_t)snprintf(text + used, sizeof text - used, "host h%d %s\n", h,
                                             h < a       ? "a"
                                             : h < a + b ? "b"
                                                         : "c");
                cpm_topology *t = topology_of(text, NULL);
                check_phases(t, t->hosts);
                cpm_topology_free(t);
            }
}

static void check_rank(const cpm_link_phases *p, int rank, cpm_link_phase *busy)
{
    int count = cpm_link_phases_of_rank(p, rank, busy), messages = 0;
    for (int k = 0; k < count; k++) {
        assert_true(k == 0 || busy[k - 1].phase < busy[k].phase);
        assert_true(busy[k].to >= 0 || busy[k].from >= 0);
        if (busy[k].to >= 0)
            assert_int_equal(cpm_link_phase_of(p, rank, busy[k].to), busy[k].phase);
        if (busy[k].from >= 0)
            assert_int_equal(cpm_link_phase_of(p, busy[k].from, rank), busy[k].phase);
        messages += (busy[k].to >= 0) + (busy[k].from >= 0);
    }
    assert_int_equal(messages, 2 * (p->n - 1));
}

static void a_rank_knows_its_partners_phase_by_phase(void **state)
{
    (void)state;
    for (unsigned seed = 500; seed < 600; seed++) {
        cpm_topology *t = random_topology(seed);
        cpm_link_phases *p = NULL;
        assert_int_equal(cpm_link_phases_create(t, t->hosts, &p, NULL), CPM_OK);
        cpm_link_phase *busy = calloc(2 * (size_t)t->hosts, sizeof *busy);
        for (int rank = 0; rank < p->n; rank++)
            check_rank(p, rank, busy);
        free(busy);
        cpm_link_phases_free(p);
        cpm_topology_free(t);
    }
}

static void more_processes_than_hosts_have_no_phases(void **state)
{
    (void)state;
    cpm_topology *t = topology_of("switch s\nhost a s\n", NULL);
    cpm_link_phases *p = NULL;
    assert_int_equal(cpm_link_phases_create(t, 2, &p, NULL), CPM_EINVAL);
    assert_null(p);
    assert_int_equal(cpm_link_phases_create(t, 1, &p, NULL), CPM_OK);
    assert_int_equal(p->count, 0);
    cpm_link_phases_free(p);
    cpm_topology_free(t);
}

/* ---- signals: what each process knows to be finished when it starts a phase */

enum { FEW = 13, ALL = FEW * FEW, MOST_TOGETHER = 5 };

typedef struct {
    char now[FEW][ALL], before[FEW][ALL]; /* [rank][message]; before: when this step began */
    int last[2 * 64][MOST_TOGETHER];      /* last messages on a link, -1: none */
    int uses[2 * 64];                     /* of a link */
    int together;
} history;

static int message_of(int from, int to)
{
    return from * FEW + to;
}

static void tell(history *h, const cpm_link_signal *s)
{
    for (int k = 0; k < ALL; k++)
        h->now[s->taker][k] |= h->before[s->giver][k];
}

/* The sender knows that what used a link of the way before is finished, but for as many messages as
 * may share it. In a phase every link is used once, so messages of the phase may be started one
 * after the other. */
static void start(history *h, const view *w, int from, int to)
{
    int message = message_of(from, to), sender = from;
    while (from != to) {
        int up = w->depth[from] >= w->depth[to], *end = up ? &from : &to;
        int link = 2 * *end + !up, *last = &h->last[link][h->uses[link]++ % h->together];
        assert_true(*last < 0 || h->before[sender][*last]);
        *last = message;
        *end = w->parent[*end];
    }
}

/* Both ends know; a sender's messages follow each other, so the receiver knows as well what the
 * sender knew when it started. */
static void finish(history *h, int from, int to)
{
    for (int k = 0; k < ALL; k++)
        h->now[to][k] |= h->before[from][k];
    h->now[from][message_of(from, to)] = h->now[to][message_of(from, to)] = 1;
}

static void play_phase(history *h, const view *w, const cpm_link_phases *p, int64_t phase)
{
    for (int from = 0; from < p->n; from++)
        for (int to = 0; to < p->n; to++)
            if (from != to && cpm_link_phase_of(p, from, to) == phase) {
                start(h, w, from, to);
                finish(h, from, to);
            }
}

/* Signals are told before the first of the phases that go together, and what is known then is known
 * in all of these. */
static int64_t check_signals(const cpm_topology *t, int n, int together)
{
    cpm_link_phases *p = NULL;
    cpm_link_signals *s = NULL;
    assert_int_equal(cpm_link_phases_create(t, n, &p, NULL), CPM_OK);
    assert_int_equal(cpm_link_signals_create(t, p, together, &s, NULL), CPM_OK);
    view w = look(t, n);
    history *h = calloc(1, sizeof *h);
    memset(h->last, -1, sizeof h->last);
    h->together = together;
    int64_t told = 0, count = s->count;
    for (int64_t phase = 0; phase < p->count; phase++) {
        if (phase % together == 0)
            memcpy(h->before, h->now, sizeof h->now);
        for (; told < count && s->at[told].phase < phase - phase % together + together; told++)
            tell(h, &s->at[told]);
        if (phase % together == 0)
            memcpy(h->before, h->now, sizeof h->now);
        play_phase(h, &w, p, phase);
    }
    assert_int_equal(told, count);
    free(h);
    view_free(&w);
    cpm_link_signals_free(s);
    cpm_link_phases_free(p);
    return count;
}

static void a_message_starts_when_its_links_are_known_to_be_free(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 500; seed++) {
        cpm_topology *t = random_topology(seed);
        check_signals(t, t->hosts < FEW ? t->hosts : FEW, 1);
        cpm_topology_free(t);
    }
}

static void as_many_messages_share_a_link_as_phases_go_together(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 500; seed++) {
        cpm_topology *t = random_topology(seed);
        check_signals(t, t->hosts < FEW ? t->hosts : FEW, 2 + (int)(seed % (MOST_TOGETHER - 1)));
        cpm_topology_free(t);
    }
}

/* One switch: whoever received before signals to whom it receives from next, n (n - 2) times; and
 * nothing else can contend. */
static void one_switch_needs_signals_between_receives_only(void **state)
{
    (void)state;
    char text[512] = "switch s\n";
    for (int n = 1; n <= FEW; n++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "host h%d s\n", n);
        cpm_topology *t = topology_of(text, NULL);
        assert_int_equal(check_signals(t, n, 1), n > 2 ? n * (n - 2) : 0);
        cpm_topology_free(t);
    }
}

static void every_signal_is_listed_with_both_its_ranks(void **state)
{
    (void)state;
    cpm_topology *t = random_topology(7);
    cpm_link_phases *p = NULL;
    cpm_link_signals *s = NULL;
    assert_int_equal(cpm_link_phases_create(t, t->hosts, &p, NULL), CPM_OK);
    assert_int_equal(cpm_link_signals_create(t, p, 1, &s, NULL), CPM_OK);
    assert_int_equal(s->first[t->hosts], 2 * s->count);
    for (int rank = 0; rank < t->hosts; rank++)
        for (int64_t k = s->first[rank]; k < s->first[rank + 1]; k++) {
            const cpm_link_signal *signal = &s->at[s->of[k]];
            assert_true(signal->giver == rank || signal->taker == rank);
            assert_true(k == s->first[rank] || s->of[k - 1] < s->of[k]);
        }
    cpm_link_signals_free(s);
    cpm_link_phases_free(p);
    cpm_topology_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_are_free_of_contention_and_as_few_as_possible),
        cmocka_unit_test(subtrees_of_all_sizes_take_turns),
        cmocka_unit_test(a_rank_knows_its_partners_phase_by_phase),
        cmocka_unit_test(a_message_starts_when_its_links_are_known_to_be_free),
        cmocka_unit_test(as_many_messages_share_a_link_as_phases_go_together),
        cmocka_unit_test(one_switch_needs_signals_between_receives_only),
        cmocka_unit_test(every_signal_is_listed_with_both_its_ranks),
        cmocka_unit_test(more_processes_than_hosts_have_no_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
