/* The flow walk equals the plain one where nothing is shared, and the sums that sharing and
 * protocols demand where it is. */
#include "collectives/schedule/flow_walk.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/schedule/sharing.h"
#include "costs.h"

static void lmo_flow(const void *model, int from, int to, size_t bytes, cpm_flow *f)
{
    const parameters *p = model;
    double M = (double)bytes;
    double send = p->C[from] + M * p->t[from];
    *f = (cpm_flow){.send = send,
                    .start = send,
                    .latency = p->L[from][to],
                    .flow = M * p->b[from][to],
                    .cap = p->b[from][to],
                    .recv = p->C[to] + M * p->t[to]};
}

static double walk_of(const cpm_algorithm *a, int n, int root, size_t bytes,
                      cpm_flow_function *flow, const void *model, double *finish)
{
    cpm_error e = {0};
    cpm_schedule *s = NULL;
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = n, .root = root}, &s, &e), CPM_OK);
    s->combining = CPM_COMBINING_FLOATS;
    double seconds = cpm_flow_walk(s, &(cpm_block_sizes){.bytes = bytes}, flow, model,
                                   &(cpm_flow_walking){.combine = combine_slowly}, finish, &e);
    assert_string_equal(e.text, "");
    cpm_schedule_free(s);
    return seconds;
}

static void it_equals_the_plain_walk_where_nothing_is_shared(void **state)
{
    (void)state;
    parameters p;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int n = 1; n <= 17; n++)
            for (int root = 0; root < n; root += 3) {
                cpm_error e = {0};
                cpm_schedule *s = NULL;
                if (cpm_algorithm_applies(a, &(cpm_call){.n = n}, NULL))
                    continue;
                size_t bytes = (size_t)(1000 * n + root);
                randomize(&p, (uint64_t)(100 * n + root));
                double flow[MAX_PROCESSES], plain[MAX_PROCESSES];
                assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = n, .root = root}, &s, &e),
                                 CPM_OK);
                s->combining = CPM_COMBINING_FLOATS;
                double last =
                    cpm_plain_walk(s, &(cpm_block_sizes){.bytes = bytes}, lmo, &p,
                                   &(cpm_plain_walking){.combine = combine_slowly}, plain, &e);
                cpm_schedule_free(s);
                assert_true(close_to(walk_of(a, n, root, bytes, lmo_flow, &p, flow), last));
                for (int r = 0; r < n; r++)
                    assert_true(close_to(flow[r], plain[r]));
            }
}

/* Message k is block k, in rounds in this order. */
typedef struct {
    int from[4], to[4], count;
} messages;

static void build(const cpm_schedule *s, int rank, cpm_steps *out)
{
    const messages *m = s->state;
    for (int k = 0; k < m->count; k++) {
        if (m->from[k] == rank)
            cpm_send(out, m->to[k], k, 1);
        if (m->to[k] == rank)
            cpm_recv(out, m->from[k], k, 1);
        cpm_next_round(out);
    }
}

/* All messages are like flow, over link ends with these seconds per byte. */
typedef struct {
    cpm_flow flow;
    double out, in;
} likeness;

enum { RANKS = 4 };

static void slow(const void *model, int from, int to, size_t bytes, cpm_flow *f)
{
    const likeness *l = model;
    *f = l->flow;
    f->flow = (double)bytes * f->cap;
    cpm_flow_use(f, from, l->out);
    cpm_flow_use(f, RANKS + to, l->in);
}

static double run(messages *m, int n, likeness l, const size_t *each, double *finish, cpm_error *e)
{
    cpm_schedule s = {.n = n, .root = -1, .blocks = m->count, .build = build, .state = m};
    return cpm_flow_walk(&s, &(cpm_block_sizes){.each = each}, slow, &l, NULL, finish, e);
}

static void messages_that_meet_at_a_link_end_divide_it(void **state)
{
    (void)state;
    cpm_error e = {0};
    double finish[3];
    size_t each[] = {4, 10};
    messages m = {{0, 1}, {2, 2}, 2};
    likeness f = {{.latency = 1, .cap = 1, .weight = 1}, 1, 1};
    /* both at half speed from 1 to 9, when the first has its 4; the rest of 6 takes 6 more */
    assert_true(close_to(run(&m, 3, f, each, finish, &e), 15));
    f.in = 0; /* an end that is not shared */
    assert_true(close_to(run(&m, 3, f, each, finish, &e), 11));
    f.in = 0.5; /* one that is fast enough for both */
    assert_true(close_to(run(&m, 3, f, each, finish, &e), 11));
    f.in = 2; /* one that is slower than a message alone */
    assert_true(close_to(run(&m, 3, f, each, finish, &e), 1 + 2 * 14));
}

/* Settles all and returns the rate of each. */
static void rates_of(const cpm_starting *flow, int count, double *rate)
{
    cpm_sharing s = {0};
    int place[RANKS];
    for (int k = 0; k < count; k++)
        assert_true(cpm_sharing_begin(&s, &flow[k], 0, &place[k]));
    while (s.changes)
        cpm_sharing_settle(&s, 0);
    for (int k = 0; k < count; k++)
        rate[k] = s.bundle[place[k]].rate;
    cpm_sharing_free(&s);
}

static void rates_are_max_min_fair(void **state)
{
    (void)state;
    /* the first two meet in a, the second and third in b, the last two in c */
    enum { a, b, c };
    const cpm_starting f[] = {
        {.weight = 1, .cap = 0.5, .uses = 1, .use = {{a, 1}}},
        {.weight = 1, .cap = 0.5, .uses = 2, .use = {{a, 1}, {b, 0.5}}},
        {.weight = 1, .cap = 0.5, .uses = 2, .use = {{b, 0.5}, {c, 0.5}}},
        {.weight = 1, .cap = 10, .uses = 1, .use = {{c, 0.5}}},
    };
    double rate[RANKS];
    rates_of(f, 4, rate);
    assert_true(close_to(rate[0], 0.25)); /* half a byte per second, of 2 alone */
    assert_true(close_to(rate[1], 0.25));
    assert_true(close_to(rate[2], 0.75)); /* what is left of the 2 of b */
    assert_true(close_to(rate[3], 1));    /* its cap of 0.1 */
}

static void shares_are_in_proportion_to_weights(void **state)
{
    (void)state;
    const cpm_starting f[] = {
        {.weight = 3, .cap = 0.1, .uses = 1, .use = {{0, 1}}},
        {.weight = 1, .cap = 0.1, .uses = 1, .use = {{0, 1}}},
    };
    double rate[RANKS];
    rates_of(f, 2, rate);
    assert_true(close_to(rate[0], 0.075)); /* 3/4 byte per second, of 10 alone */
    assert_true(close_to(rate[1], 0.025));
}

/* A resource's users, weights and all, in random order of coming and going; some are like others.
 */
enum { RESOURCES = 12, MOST_FLOWS = 40, CHANGES = 3000 };

typedef struct {
    cpm_starting flow[MOST_FLOWS];
    int place[MOST_FLOWS], count;
} crowd;

static cpm_starting random_flow(uint64_t *seed, const double *seconds)
{
    cpm_starting f = {.cap = 0.01 + uniform(seed), .weight = 0.1 + uniform(seed), .left = 1};
    int wanted = (int)(uniform(seed) * (CPM_MOST_USES + 1));
    int step = uniform(seed) < 0.2 ? 6 : 5; /* some are named twice */
    for (int r = (int)(uniform(seed) * RESOURCES); f.uses < wanted; r = (r + step) % RESOURCES)
        f.use[f.uses++] = (cpm_use){r, seconds[r]};
    return f;
}

/* Every flow is alone as fast as it can be, or uses a resource that is full in which none gets more
 * for its weight: that is what max-min fair means. */
static bool is_held_back(const cpm_sharing *s, const crowd *all, int k, const double *seconds)
{
    const cpm_starting *f = &all->flow[k];
    double rate = s->bundle[all->place[k]].rate;
    for (int u = 0; u < f->uses; u++) {
        double used = 0, most = 0;
        for (int other = 0; other < all->count; other++) {
            const cpm_starting *o = &all->flow[other];
            double its = s->bundle[all->place[other]].rate;
            for (int v = 0; v < o->uses; v++)
                if (o->use[v].resource == f->use[u].resource) {
                    used += its / o->cap;
                    most = fmax(most, its / o->cap / o->weight);
                }
        }
        assert_true(used * seconds[f->use[u].resource] < 1 + 1e-9);
        if (used * seconds[f->use[u].resource] > 1 - 1e-9 &&
            rate / f->cap / f->weight > most * (1 - 1e-9))
            return true;
    }
    return false;
}

static void rates_are_fair_whoever_comes_and_goes(void **state)
{
    (void)state;
    cpm_sharing s = {0};
    crowd all = {.count = 0};
    uint64_t seed = 7;
    double seconds[RESOURCES];
    for (int r = 0; r < RESOURCES; r++)
        seconds[r] = 0.05 + uniform(&seed);
    for (int c = 0; c < CHANGES; c++) {
        bool comes = all.count == 0 || (all.count < MOST_FLOWS && uniform(&seed) < 0.52);
        int k = comes ? all.count++ : (int)(uniform(&seed) * all.count);
        if (comes) {
            bool again = k > 0 && uniform(&seed) < 0.4;
            all.flow[k] = again ? all.flow[(int)(uniform(&seed) * k)] : random_flow(&seed, seconds);
            assert_true(cpm_sharing_begin(&s, &all.flow[k], c, &all.place[k]));
        } else {
            cpm_sharing_end(&s, all.place[k]);
            all.place[k] = all.place[--all.count];
            all.flow[k] = all.flow[all.count];
        }
        while (s.changes)
            cpm_sharing_settle(&s, c);
        for (k = 0; k < all.count; k++)
            assert_true(s.bundle[all.place[k]].rate > 1 - 1e-9 ||
                        is_held_back(&s, &all, k, seconds));
    }
    cpm_sharing_free(&s);
}

static void a_synchronous_sender_waits_for_its_receiver(void **state)
{
    (void)state;
    cpm_error e = {0};
    double finish[3];
    size_t each[] = {8, 2};
    messages m = {{0, 1}, {1, 2}, 2}; /* 1 receives 8 from 0, then sends 2 to 2 */
    likeness f = {.flow = {.send = 3, .latency = 1, .cap = 1, .recv = 5, .synchronous = true}};
    assert_true(close_to(run(&m, 3, f, each, finish, &e), 17 + 3 + 1 + 2 + 5));
    assert_true(close_to(finish[0], 3 + 1 + 8));
    assert_true(close_to(finish[1], 17 + 3 + 1 + 2));
}

static void build_exchange(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    cpm_send(out, 1 - rank, rank, 1);
    cpm_recv(out, 1 - rank, 1 - rank, 1);
}

static void a_send_among_other_messages_has_its_own_overhead(void **state)
{
    (void)state;
    cpm_error e = {0};
    likeness f = {
        .flow = {.send = 3, .start = 7, .latency = 1, .cap = 1, .recv = 5, .synchronous = true}};
    cpm_schedule s = {.n = 2, .root = -1, .blocks = 2, .build = build_exchange};
    cpm_block_sizes sizes = {.bytes = 4};
    assert_true(close_to(cpm_flow_walk(&s, &sizes, slow, &f, NULL, NULL, &e), 7 + 1 + 4 + 5));
    messages m = {{0}, {1}, 1};
    size_t each[] = {4};
    assert_true(close_to(run(&m, 2, f, each, NULL, &e), 3 + 1 + 4 + 5));
}

static void a_late_message_starts_when_its_receive_is_posted(void **state)
{
    (void)state;
    cpm_error e = {0};
    double finish[3];
    size_t each[] = {8, 2};
    messages m = {{0, 1}, {2, 2}, 2}; /* 2 receives from 1 only after it has received from 0 */
    likeness f = {.flow = {.send = 3, .latency = 1, .cap = 1, .recv = 5}};
    assert_true(close_to(run(&m, 3, f, each, finish, &e), 17 + 5));
    f.flow.late = true;
    assert_true(close_to(run(&m, 3, f, each, finish, &e), 17 + 1 + 2 + 5));
    assert_true(close_to(finish[1], 3));
}

static void a_message_that_nobody_sends_or_receives_is_an_error(void **state)
{
    (void)state;
    cpm_error e = {0};
    likeness f = {.flow = {.cap = 1}};
    size_t each[] = {8};
    messages to_nobody = {{0}, {3}, 1}, from_nobody = {{3}, {0}, 1};
    assert_int_equal((int)run(&to_nobody, 3, f, each, NULL, &e), CPM_EWRONG);
    assert_string_equal(e.text, "rank 0 has a message with rank 3 of 3");
    assert_int_equal((int)run(&from_nobody, 3, f, each, NULL, &e), CPM_EWRONG);
}

static void build_crossing(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    cpm_send(out, 1 - rank, rank, 1);
    cpm_next_round(out);
    cpm_recv(out, 1 - rank, 1 - rank, 1);
}

static void synchronous_messages_that_cross_wait_for_ever(void **state)
{
    (void)state;
    cpm_error e = {0};
    likeness f = {.flow = {.cap = 1}};
    cpm_schedule s = {.n = 2, .root = -1, .blocks = 2, .build = build_crossing};
    cpm_block_sizes sizes = {.bytes = 4};
    assert_true(cpm_flow_walk(&s, &sizes, slow, &f, NULL, NULL, &e) > 0);
    f.flow.synchronous = true;
    assert_int_equal((int)cpm_flow_walk(&s, &sizes, slow, &f, NULL, NULL, &e), CPM_EDEADLOCK);
    assert_string_equal(e.text, "rank 0 waits for ever in its round 0");
}

enum { CROWDED = 24 };

/* Link ends of unlike hosts: resource 2 i is what goes out of i. */
static void through_link_ends(const void *model, int from, int to, size_t bytes, cpm_flow *f)
{
    const double *seconds = model;
    double out = seconds[from], in = seconds[CROWDED + to], cap = fmax(out, in);
    *f = (cpm_flow){.send = 1e-6, .start = 1e-6, .recv = 1e-6, .latency = 1e-5, .weight = 1};
    f->cap = cap;
    f->flow = (double)bytes * cap;
    cpm_flow_use(f, 2 * from, out);
    cpm_flow_use(f, 2 * to + 1, in);
}

static double crowded(const char *algorithm, const double *seconds, double tolerance,
                      double *finish)
{
    const cpm_algorithm *a;
    cpm_error e = {0};
    cpm_schedule *s = NULL;
    assert_int_equal(cpm_algorithm_find("alltoall", algorithm, &a, &e), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = CROWDED}, &s, &e), CPM_OK);
    double time = cpm_flow_walk(s, &(cpm_block_sizes){.bytes = 65536}, through_link_ends, seconds,
                                &(cpm_flow_walking){.tolerance = tolerance}, finish, &e);
    cpm_schedule_free(s);
    return time;
}

/* How many ranks end at another time if changes wait; none by more than a thousandth. */
static int others(const char *algorithm)
{
    uint64_t seed = 3;
    double seconds[2 * CROWDED], exact[CROWDED], waiting[CROWDED];
    int differ = 0;
    for (int i = 0; i < 2 * CROWDED; i++)
        seconds[i] = 1e-8 * (1 + uniform(&seed));
    double last = crowded(algorithm, seconds, 0, exact);
    assert_true(fabs(crowded(algorithm, seconds, CPM_CROWD_TOLERANCE, waiting) / last - 1) < 1e-3);
    for (int r = 0; r < CROWDED; r++) {
        assert_true(fabs(waiting[r] / exact[r] - 1) < 1e-3);
        differ += waiting[r] != exact[r];
    }
    return differ;
}

static void changes_that_wait_in_a_crowd_make_no_difference_to_speak_of(void **state)
{
    (void)state;
    assert_true(others("simple") > 0);
}

static void without_a_crowd_nothing_waits(void **state)
{
    (void)state;
    assert_int_equal(others("ring"), 0);
}

/* Link ends of hosts with several processes. */
typedef struct {
    int each;
    double apart;    /* difference of weights that lets no two flows be alike */
    double *seconds; /* [2 * CROWDED] */
} hosts;

static void through_ends_of_hosts(const void *model, int from, int to, size_t bytes, cpm_flow *f)
{
    const hosts *h = model;
    through_link_ends(h->seconds, from / h->each, to / h->each, bytes, f);
    f->weight += h->apart * (CROWDED * from + to);
    f->uses *= from / h->each != to / h->each;
}

static void walk_hosts(const char *algorithm, const hosts *h, double *finish)
{
    const cpm_algorithm *a;
    cpm_error e = {0};
    cpm_schedule *s = NULL;
    assert_int_equal(cpm_algorithm_find("alltoall", algorithm, &a, &e), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = CROWDED}, &s, &e), CPM_OK);
    assert_true(cpm_flow_walk(s, &(cpm_block_sizes){.bytes = 65536}, through_ends_of_hosts, h, NULL,
                              finish, &e) > 0);
    cpm_schedule_free(s);
}

static void build_waiting(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    if (rank == 1) {
        cpm_recv(out, 0, 0, 1);
        return;
    }
    cpm_send(out, 1, 0, 1);
    cpm_mark(out, CPM_WAIT);
    cpm_mark(out, CPM_STOP);
}

/* Rank 0 sends and idles for twice as long. */
static void marks_behind_all_messages_are_passed_once(void **state)
{
    (void)state;
    const cpm_schedule s = {.n = 2, .root = -1, .blocks = 2, .build = build_waiting};
    parameters p = {.C = {1, 1}};
    double finish[2];
    cpm_error e = {0};
    double last = cpm_flow_walk(&s, &(cpm_block_sizes){.bytes = 1}, lmo_flow, &p, NULL, finish, &e);
    assert_string_equal(e.text, "");
    assert_true(close_to(last, 3) && close_to(finish[0], 3) && close_to(finish[1], 2));
}

static void flows_of_a_bundle_end_as_they_would_alone(void **state)
{
    (void)state;
    static const char *const names[] = {"spreading-simple", "ring", "bruck", "simple"};
    uint64_t seed = 5;
    double seconds[2 * CROWDED], bundled[CROWDED], alone[CROWDED];
    for (int i = 0; i < 2 * CROWDED; i++)
        seconds[i] = 1e-8 * (1 + uniform(&seed));
    for (int q = 0; q < 4; q++)
        for (int each = 2; each <= 6; each += 2) {
            hosts same = {each, 0, seconds}, apart = {each, 1e-14, seconds};
            walk_hosts(names[q], &same, bundled);
            walk_hosts(names[q], &apart, alone);
            for (int r = 0; r < CROWDED; r++)
                assert_true(fabs(bundled[r] / alone[r] - 1) < 1e-7);
        }
}

/* Of n ranks of each algorithm that applies to them. */
static void of_all_algorithms(int n, void (*check)(const cpm_schedule *s, const parameters *p))
{
    parameters p;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        cpm_schedule *s = NULL;
        if (cpm_algorithm_applies(a, &(cpm_call){.n = n}, NULL))
            continue;
        randomize(&p, (uint64_t)n);
        assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = n}, &s, NULL), CPM_OK);
        check(s, &p);
        cpm_schedule_free(s);
    }
}

static const cpm_block_sizes of_3000 = {.bytes = 3000};

static void expect_same(const double *flow, const double *plain, int n, double least)
{
    for (int r = 0; r < n; r++)
        if (!close_to(flow[r], plain[r]) || !(plain[r] >= least))
            fail_msg("rank %d of %d: %g and %g", r, n, flow[r], plain[r]);
}

static void check_computing(const cpm_schedule *s, const parameters *p)
{
    cpm_error e = {0};
    double flow[MAX_PROCESSES], plain[MAX_PROCESSES];
    const double alone = cpm_walk(s, &of_3000, lmo, p, NULL, &e);
    for (double c = alone / 4; c < 3 * alone; c *= 2) {
        const double last =
            cpm_plain_walk(s, &of_3000, lmo, p, &(cpm_plain_walking){.computing = c}, plain, &e);
        cpm_flow_walk(s, &of_3000, lmo_flow, p, &(cpm_flow_walking){.computing = c}, flow, &e);
        expect_same(flow, plain, s->n, c * (1 - 1e-12));
        assert_true(last >= alone * (1 - 1e-12) && last <= (alone + c) * (1 + 1e-12));
    }
}

/* Nobody ends before it has computed, nor later than it would one after the other. */
static void both_walks_compute_alike(void **state)
{
    (void)state;
    for (int n = 1; n <= 17; n += 4)
        of_all_algorithms(n, check_computing);
}

static void check_leaving(const cpm_schedule *s, const parameters *p)
{
    cpm_error e = {0};
    double leave[MAX_PROCESSES], flow[MAX_PROCESSES], plain[MAX_PROCESSES], own_last = 0;
    const double alone = cpm_walk(s, &of_3000, lmo, p, NULL, &e);
    for (int r = 0; r < s->n; r++)
        leave[r] = alone * r / 4;
    const double last =
        cpm_plain_walk(s, &of_3000, lmo, p, &(cpm_plain_walking){.leave = leave}, plain, &e);
    cpm_flow_walk(s, &of_3000, lmo_flow, p, &(cpm_flow_walking){.leave = leave}, flow, &e);
    expect_same(flow, plain, s->n, 0);
    for (int r = 0; r < s->n; r++)
        own_last = fmax(own_last, leave[r] + plain[r]);
    assert_true(close_to(own_last, last) || own_last < last); /* marks may stop it before */
    assert_true(last >= alone * (1 - 1e-12) && last <= (alone + leave[s->n - 1]) * (1 + 1e-12));
}

static void ranks_that_leave_later_take_their_own_times(void **state)
{
    (void)state;
    for (int n = 2; n <= 17; n += 5)
        of_all_algorithms(n, check_leaving);
}

/* Of a chain the root alone sends what it had; the others send what they have just received. */
static void what_is_sent_unchanged_takes_less(void **state)
{
    (void)state;
    cpm_error e = {0};
    const cpm_algorithm *a = NULL;
    cpm_schedule *s = NULL;
    double finish[3];
    likeness f = {.flow = {.send = 1,
                           .start = 1,
                           .latency = 1,
                           .flow = 8,
                           .cap = 1,
                           .synchronous = true,
                           .fetched = true,
                           .unchanged = 3}};
    assert_int_equal(cpm_algorithm_find("bcast", "chain", &a, &e), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = 3}, &s, &e), CPM_OK);
    const cpm_block_sizes sizes = {.bytes = 8};
    assert_true(close_to(cpm_flow_walk(s, &sizes, slow, &f, NULL, finish, &e), 2 * (2 + 8)));
    assert_true(
        close_to(cpm_flow_walk(s, &sizes, slow, &f, &(cpm_flow_walking){.same = true}, finish, &e),
                 2 * (2 + 8) - 3));
    assert_true(close_to(finish[1], 2 + 8 - 3 + 2 + 8));
    cpm_schedule_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_equals_the_plain_walk_where_nothing_is_shared),
        cmocka_unit_test(messages_that_meet_at_a_link_end_divide_it),
        cmocka_unit_test(rates_are_max_min_fair),
        cmocka_unit_test(shares_are_in_proportion_to_weights),
        cmocka_unit_test(rates_are_fair_whoever_comes_and_goes),
        cmocka_unit_test(ranks_that_leave_later_take_their_own_times),
        cmocka_unit_test(what_is_sent_unchanged_takes_less),
        cmocka_unit_test(a_synchronous_sender_waits_for_its_receiver),
        cmocka_unit_test(a_send_among_other_messages_has_its_own_overhead),
        cmocka_unit_test(a_late_message_starts_when_its_receive_is_posted),
        cmocka_unit_test(a_message_that_nobody_sends_or_receives_is_an_error),
        cmocka_unit_test(synchronous_messages_that_cross_wait_for_ever),
        cmocka_unit_test(changes_that_wait_in_a_crowd_make_no_difference_to_speak_of),
        cmocka_unit_test(without_a_crowd_nothing_waits),
        cmocka_unit_test(marks_behind_all_messages_are_passed_once),
        cmocka_unit_test(flows_of_a_bundle_end_as_they_would_alone),
        cmocka_unit_test(both_walks_compute_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
