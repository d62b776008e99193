/* Algorithms of two levels are right for every layout of processes on hosts, or are refused with
 * the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/algorithms/levels.h"
#include "collectives/collective.h"
#include "collectives/schedule/proof.h"
#include "costs.h"
#include "tests/quick.h"

enum { MOST_HOSTS = 5, MOST_EACH = 4, MOST = MOST_HOSTS * MOST_EACH, BYTES = 1000 };

typedef enum { BLOCK, CYCLIC, SHUFFLED, PLACEMENTS } kind_of_placement;

/* ---- layouts ---- */

typedef struct {
    cpm_hosts hosts;
    int of[MOST];
    int each[MOST_HOSTS];
    char text[64];
} layout;

static void deal(layout *l, const int *each, int hosts)
{
    int left[MOST_HOSTS], dealt = 0;
    memcpy(left, each, (size_t)hosts * sizeof *left);
    for (int h = 0; dealt < l->hosts.n; h = (h + 1) % hosts)
        if (left[h]-- > 0)
            l->of[dealt++] = h;
}

static void fill_up(layout *l, const int *each, int hosts)
{
    for (int h = 0, i = 0; h < hosts; h++)
        for (int k = 0; k < each[h]; k++)
            l->of[i++] = h;
}

static void shuffle(layout *l, uint64_t *seed)
{
    for (int v = l->hosts.n - 1; v > 0; v--) {
        int other = (int)(uniform(seed) * (v + 1)) % (v + 1), kept = l->of[v];
        l->of[v] = l->of[other];
        l->of[other] = kept;
    }
}

/* Hosts are numbered in the order of their first processes. */
static void renumber(layout *l, int hosts)
{
    int number[MOST_HOSTS], count = 0;
    for (int h = 0; h < hosts; h++)
        number[h] = -1;
    for (int i = 0; i < l->hosts.n; i++) {
        if (number[l->of[i]] < 0)
            number[l->of[i]] = count++;
        l->of[i] = number[l->of[i]];
    }
}

static void lay_out(layout *l, const int *each, int hosts, kind_of_placement how, uint64_t *seed)
{
    size_t used = (size_t)snprintf(l->text, sizeof l->text, "%s",
                                   (const char *[]){"block", "cyclic", "shuffled"}[how]);
    l->hosts = (cpm_hosts){.count = hosts, .of = l->of};
    for (int h = 0; h < hosts; h++) {
        l->hosts.n += each[h];
        used += (size_t)snprintf(l->text + used, sizeof l->text - used, " %d", each[h]);
    }
    memset(l->each, 0, sizeof l->each);
    if (how == CYCLIC)
        deal(l, each, hosts);
    else
        fill_up(l, each, hosts);
    if (how == SHUFFLED)
        shuffle(l, seed);
    renumber(l, hosts);
    for (int i = 0; i < l->hosts.n; i++)
        l->each[l->of[i]]++;
}

static int fewest(const layout *l)
{
    int least = l->each[0];
    for (int h = 1; h < l->hosts.count; h++)
        least = l->each[h] < least ? l->each[h] : least;
    return least;
}

/* ---- proofs ---- */

static const cpm_operation *operation_of(const cpm_algorithm *a)
{
    const cpm_operation *o = NULL;
    assert_int_equal(cpm_operation_find(a->operation, &o, NULL), CPM_OK);
    return o;
}

static int create(const cpm_algorithm *a, const layout *l, int root, const cpm_parameters *with,
                  cpm_schedule **s, cpm_error *e)
{
    const cpm_call call = {
        .n = l->hosts.n, .root = root, .bytes = BYTES, .with = *with, .hosts = &l->hosts};
    return cpm_schedule_create(a, &call, s, e);
}

static void wrong(const cpm_algorithm *a, const layout *l, int root, const cpm_parameters *with,
                  const cpm_error *e)
{
    const cpm_collective c = {.operation = operation_of(a), .algorithm = a, .with = *with};
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective_print(&c, name, sizeof name);
    fail_msg("%s, %s, root %d: %s", name, l->text, root, e->text);
}

/* Whether it applies; then it is right. */
static bool prove_if_applies(const cpm_algorithm *a, const layout *l, int root,
                             const cpm_parameters *with)
{
    cpm_error e = {0};
    cpm_schedule *s = NULL;
    int status = create(a, l, root, with, &s, &e);
    if (status == CPM_EINVAL && e.text[0])
        return false;
    const cpm_collective c = {
        .algorithm = a, .with = *with, .at = {.root = root, .hosts = &l->hosts}};
    if (status || cpm_check(s, operation_of(a), cpm_collective_keeps_order(&c), &e))
        wrong(a, l, root, with, &e);
    cpm_schedule_free(s);
    return true;
}

static void prove(const cpm_algorithm *a, const layout *l, int root, const cpm_parameters *with)
{
    if (!prove_if_applies(a, l, root, with))
        fail_msg("%s:%s does not apply to %s", a->operation, a->name, l->text);
}

static void prove_parameters(const cpm_algorithm *a, const layout *l, int root)
{
    int most = a->properties & CPM_TAKES_LEADERS ? fewest(l) : 1;
    for (int leaders = 1; leaders <= most; leaders++)
        prove(a, l, root, &(cpm_parameters){.leaders = leaders > 1 ? leaders : 0});
    if (a->properties & CPM_TAKES_SEGMENT)
        prove(a, l, root, &(cpm_parameters){.segment = 300, .leaders = most > 1 ? most : 0});
}

/* Every root of few processes; of many the first, the last and two between. */
static void prove_roots(const cpm_algorithm *a, const layout *l)
{
    int n = l->hosts.n, step = n <= 8 ? 1 : (n + 2) / 3;
    if (!operation_of(a)->rooted)
        prove_parameters(a, l, 0);
    for (int root = 0; operation_of(a)->rooted && root < n; root += step)
        prove_parameters(a, l, root);
    if (operation_of(a)->rooted)
        prove_parameters(a, l, n - 1);
}

/* Those of neighbours are proved by test_neighbours. */
static bool fits_layout(const cpm_algorithm *a, const layout *l)
{
    if (a->properties & CPM_NEEDS_NEIGHBOURS)
        return false;
    return !(a->properties & CPM_NEEDS_ROWS) || cpm_hosts_are_in_rows(&l->hosts);
}

static void prove_layout(const layout *l)
{
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        if (a->properties & CPM_NEEDS_HOSTS && cpm_hosts_have_levels(&l->hosts) &&
            fits_layout(a, l))
            prove_roots(a, l);
}

/* The next numbers of processes of hosts; false after the last. */
static bool count_up(int *each, int hosts)
{
    for (int h = 0; h < hosts; h++) {
        if (++each[h] <= MOST_EACH)
            return true;
        each[h] = 1;
    }
    return false;
}

static void every_layout_of(int hosts)
{
    int each[MOST_HOSTS] = {1, 1, 1, 1, 1};
    uint64_t seed = (uint64_t)hosts;
    layout l;
    do
        for (int how = BLOCK; how < PLACEMENTS; how++) {
            lay_out(&l, each, hosts, how, &seed);
            prove_layout(&l);
        }
    while (count_up(each, hosts));
}

static void two_levels_are_right_for_every_layout(void **state)
{
    (void)state;
    for (int hosts = 2; hosts <= CPM_TEST_CASES(MOST_HOSTS, 3); hosts++)
        every_layout_of(hosts);
}

/* ---- what is named for the levels ---- */

static bool is_phase_of(const cpm_algorithm *a, int level, const cpm_algorithm *named)
{
    const cpm_algorithm *found = NULL;
    return !cpm_level_find(a, level, named->name, &found, NULL) && found == named;
}

/* Every algorithm that a level can have, on hosts of equal and of different sizes. */
static void whatever_is_named_for_a_level_is_right_or_refused(void **state)
{
    (void)state;
    int proved = 0, refused = 0;
    uint64_t seed = 3;
    layout l[3];
    lay_out(&l[0], (int[]){4, 4, 4, 4}, 4, BLOCK, &seed);
    lay_out(&l[1], (int[]){3, 1, 4, 2, 3}, 5, SHUFFLED, &seed);
    lay_out(&l[2], (int[]){4, 3, 2}, 3, CYCLIC, &seed);
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int k = 0; a->properties & CPM_TAKES_LEVELS && cpm_algorithms[k].name; k++)
            for (int level = 0; level < 2; level++)
                for (int j = 0; is_phase_of(a, level, &cpm_algorithms[k]) && j < 6; j++) {
                    cpm_parameters with = {0};
                    with.level[level] = 1 + k;
                    if (j >= 3 && a->properties & CPM_TAKES_LEADERS && fewest(&l[j % 3]) > 1)
                        with.leaders = 2;
                    bool right = prove_if_applies(a, &l[j % 3], 0, &with);
                    proved += right;
                    refused += !right;
                }
    assert_true(proved > 300);
    assert_true(refused > 20);
}

static const cpm_algorithm *row(const char *operation, const char *name)
{
    const cpm_algorithm *a = NULL;
    assert_int_equal(cpm_algorithm_find(operation, name, &a, NULL), CPM_OK);
    return a;
}

static void assert_named(const char *text, const char *printed)
{
    cpm_collective c;
    cpm_error e = {0};
    char name[CPM_COLLECTIVE_NAME];
    if (cpm_collective_parse(text, &c, &e))
        fail_msg("%s: %s", text, e.text);
    cpm_collective_print(&c, name, sizeof name);
    assert_string_equal(name, printed);
}

static void assert_no_name(const char *text, const char *why)
{
    cpm_collective c;
    cpm_error e = {0};
    assert_int_not_equal(cpm_collective_parse(text, &c, &e), CPM_OK);
    if (!strstr(e.text, why))
        fail_msg("%s: '%s' does not say '%s'", text, e.text, why);
}

static void levels_have_names(void **state)
{
    (void)state;
    assert_named("bcast:hosts:outer=binomial:inner=linear",
                 "bcast:hosts:inner=linear:outer=binomial");
    assert_named("allreduce:hosts:leaders=4", "allreduce:hosts:leaders=4");
    assert_named("allgather:2d:mesh=hosts", "allgather:2d:mesh=hosts");
    assert_no_name("bcast:hosts:outer=halving", "outer=halving: is no algorithm of bcast");
    assert_no_name("allreduce:hosts:inner=dissemination",
                   "is no algorithm of reduce, reduce_scatter, "
                   "allgather, bcast");
    assert_no_name("gather:hosts:leaders=0", "leaders=0: is not a positive integer");
    assert_no_name("barrier:hosts:leaders=2", "does not take the parameter");
    assert_no_name("bcast:binomial:inner=linear", "does not take the parameter");
}

/* ---- who sends what where ---- */

typedef struct {
    int messages;  /* between hosts */
    int processes; /* that take part in them */
} traffic;

static traffic between_hosts(const cpm_schedule *s, const layout *l)
{
    traffic t = {0};
    cpm_steps steps = {0};
    for (int rank = 0; rank < s->n; rank++) {
        bool goes_out = false;
        assert_int_equal(cpm_schedule_rank(s, rank, &steps, NULL), CPM_OK);
        for (int k = 0; k < steps.count; k++)
            if (!cpm_hosts_share(&l->hosts, rank, steps.at[k].peer)) {
                goes_out = true;
                t.messages += steps.at[k].kind == CPM_SEND;
            }
        t.processes += goes_out;
    }
    cpm_steps_free(&steps);
    return t;
}

/* Of rooted operations as many messages as other hosts, whatever the placement. */
static void only_leaders_send_between_hosts(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int how = BLOCK; how < PLACEMENTS && a->properties & CPM_TAKES_LEVELS; how++)
            for (int leaders = 1; leaders <= (a->properties & CPM_TAKES_LEADERS ? 2 : 1);
                 leaders++) {
                layout l;
                cpm_schedule *s = NULL;
                lay_out(&l, (int[]){3, 4, 2, 3}, 4, how, &seed);
                assert_int_equal(create(a, &l, 7, &(cpm_parameters){.leaders = leaders}, &s, NULL),
                                 CPM_OK);
                traffic t = between_hosts(s, &l);
                assert_int_equal(t.processes, 4 * leaders);
                if (operation_of(a)->rooted)
                    assert_int_equal(t.messages, 3 * leaders);
                cpm_schedule_free(s);
            }
}

/* The last of each host, who scan (3 and 2 messages among 4), and then to the first of the next
 * host. */
/* Eight hosts hear in two steps, as four processes of a host tell another one each. */
static void lanes_are_short_trees(void **state)
{
    (void)state;
    const char *const name[] = {"bcast:lanes", "bcast:lanes:k=2", "bcast:lanes:k=1"};
    const int deepest[] = {2, 2, 3}, busiest[] = {2, 2, 3};
    cpm_hosts hosts;
    assert_int_equal(cpm_hosts_regular(8, 4, false, &hosts, NULL), CPM_OK);
    for (int k = 0; k < 3; k++) {
        cpm_collective c;
        cpm_schedule *s;
        cpm_steps steps = {0};
        int depth[32] = {0}, sent[32] = {0};
        assert_int_equal(cpm_collective_parse(name[k], &c, NULL), CPM_OK);
        c.at = (cpm_placement){.n = 32, .root = 13, .hosts = &hosts};
        assert_int_equal(cpm_collective_schedule(&c, &(cpm_block_sizes){.bytes = 8}, &s, NULL),
                         CPM_OK);
        for (int turn = 0; turn < 32; turn++) /* until all depths are known */
            for (int rank = 0; rank < 32; rank++) {
                assert_int_equal(cpm_schedule_rank(s, rank, &steps, NULL), CPM_OK);
                sent[rank] = 0;
                for (int i = 0; i < steps.count; i++) {
                    const int to = steps.at[i].peer;
                    if (steps.at[i].kind != CPM_SEND)
                        continue;
                    depth[to] = depth[rank] + (hosts.of[to] != hosts.of[rank]);
                    sent[rank] += hosts.of[to] != hosts.of[rank];
                }
            }
        for (int rank = 0; rank < 32; rank++)
            assert_true(depth[rank] <= deepest[k] && sent[rank] <= busiest[k]);
        cpm_steps_free(&steps);
        cpm_schedule_free(s);
    }
    cpm_hosts_clear(&hosts);
}

static void scans_go_between_hosts_by_the_last_of_each(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        layout l;
        cpm_schedule *s = NULL;
        lay_out(&l, (int[]){3, 4, 2, 3}, 4, BLOCK, &seed);
        if (!(a->properties & CPM_NEEDS_ROWS))
            continue;
        assert_int_equal(create(a, &l, 0, &(cpm_parameters){0}, &s, NULL), CPM_OK);
        assert_int_equal(between_hosts(s, &l).messages, 3 + 2 + 3);
        cpm_schedule_free(s);
    }
}

/* Leaders share the work: each sends its part of the bytes between hosts. */
static void leaders_halve_what_each_sends_between_hosts(void **state)
{
    (void)state;
    uint64_t seed = 1;
    layout l;
    cpm_steps steps = {0};
    const cpm_block_sizes sizes = {.bytes = BYTES};
    lay_out(&l, (int[]){4, 4}, 2, CYCLIC, &seed);
    for (int leaders = 1; leaders <= 4; leaders *= 2) {
        cpm_schedule *s = NULL;
        size_t most = 0;
        assert_int_equal(create(row("allreduce", "hosts"), &l, 0,
                                &(cpm_parameters){.leaders = leaders}, &s, NULL),
                         CPM_OK);
        for (int rank = 0; rank < s->n; rank++) {
            size_t sent = 0;
            assert_int_equal(cpm_schedule_rank(s, rank, &steps, NULL), CPM_OK);
            for (int k = 0; k < steps.count; k++)
                if (steps.at[k].kind == CPM_SEND &&
                    !cpm_hosts_share(&l.hosts, rank, steps.at[k].peer))
                    sent += cpm_step_bytes(s, &steps, &steps.at[k], &sizes);
            most = sent > most ? sent : most;
        }
        assert_int_equal(most, BYTES / leaders);
        cpm_schedule_free(s);
    }
    cpm_steps_free(&steps);
}

/* ---- meshes of hosts ---- */

static void meshes_of_hosts_are_right_for_every_regular_layout(void **state)
{
    (void)state;
    uint64_t seed = 5;
    const cpm_parameters with = {.mesh = {CPM_MESH_OF_HOSTS}};
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int hosts = 1; hosts <= MOST_HOSTS; hosts++)
            for (int k = 0; k < MOST_EACH * PLACEMENTS && a->properties & CPM_TAKES_MESH; k++) {
                int each[MOST_HOSTS];
                layout l;
                for (int h = 0; h < hosts; h++)
                    each[h] = 1 + k / PLACEMENTS;
                lay_out(&l, each, hosts, k % PLACEMENTS, &seed);
                bool two = a->tries->meshes == 2;
                for (int root = 0; root < (operation_of(a)->rooted ? l.hosts.n : 1); root++)
                    assert_int_equal(prove_if_applies(a, &l, root, &with), two);
            }
}

/* The messages of one dimension stay within hosts. */
static void a_dimension_of_a_mesh_of_hosts_is_a_host(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int how = BLOCK; how < PLACEMENTS; how++) {
        layout l;
        cpm_schedule *s = NULL;
        lay_out(&l, (int[]){4, 4, 4}, 3, how, &seed);
        assert_int_equal(create(row("allreduce", "2d"), &l, 0,
                                &(cpm_parameters){.mesh = {CPM_MESH_OF_HOSTS}}, &s, NULL),
                         CPM_OK);
        traffic t = between_hosts(s, &l);
        assert_int_equal(t.processes, 12);
        assert_int_equal(t.messages, 4 * 4); /* of three: in, two exchange, out */
        cpm_schedule_free(s);
    }
}

/* ---- refusals ---- */

static void assert_refused(const cpm_algorithm *a, const cpm_call *call, const char *why)
{
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_schedule_create(a, call, &s, &e), CPM_EINVAL);
    if (!strstr(e.text, why))
        fail_msg("'%s' does not say '%s'", e.text, why);
}

static void what_cannot_be_is_refused_with_the_reason(void **state)
{
    (void)state;
    uint64_t seed = 1;
    layout unequal, alone, together;
    lay_out(&unequal, (int[]){3, 1, 2}, 3, BLOCK, &seed);
    lay_out(&alone, (int[]){1, 1, 1}, 3, BLOCK, &seed);
    lay_out(&together, (int[]){3}, 1, BLOCK, &seed);
    const cpm_algorithm *bcast = row("bcast", "hosts"), *two = row("bcast", "2d");
    const char *layout_needed = "it needs several hosts with several processes";
    assert_refused(bcast, &(cpm_call){.n = 3},
                   "several processes, and it is not known which processes share a host");
    assert_refused(bcast, &(cpm_call){.n = 3, .hosts = &alone.hosts}, layout_needed);
    assert_refused(bcast, &(cpm_call){.n = 3, .hosts = &together.hosts}, layout_needed);
    assert_refused(bcast, &(cpm_call){.n = 5, .hosts = &unequal.hosts},
                   "a layout of 6 processes is none of 5");
    assert_refused(bcast, &(cpm_call){.n = 6, .hosts = &unequal.hosts, .with.leaders = 2},
                   "leaders=2: the host of process 3 has only 1 of the processes");
    const cpm_parameters mesh = {.mesh = {CPM_MESH_OF_HOSTS}};
    assert_refused(two, &(cpm_call){.n = 6, .with = mesh}, "mesh=hosts: needs a layout");
    assert_refused(two, &(cpm_call){.n = 6, .with = mesh, .hosts = &unequal.hosts},
                   "that of process 0 has 3, that of process 3 has 1");
    assert_refused(row("bcast", "3d"), &(cpm_call){.n = 6, .with = mesh, .hosts = &unequal.hosts},
                   "has two dimensions, not 3");
}

/* ---- the order of contributions ---- */

static bool keeps_order(const layout *l, const char *name, int root)
{
    cpm_collective c;
    cpm_error e = {0};
    if (cpm_collective_parse(name, &c, &e))
        fail_msg("%s", e.text);
    c.at = (cpm_placement){.n = l->hosts.n, .root = root, .hosts = &l->hosts};
    bool keeps = cpm_collective_keeps_order(&c);
    cpm_schedule *s = NULL;
    if (cpm_collective_schedule(&c, &(cpm_block_sizes){.bytes = BYTES}, &s, &e) ||
        cpm_check(s, c.operation, keeps, &e))
        fail_msg("%s, %s, root %d: %s", name, l->text, root, e.text);
    cpm_schedule_free(s);
    return keeps;
}

/* As the proof finds; what is not promised may still happen to be in order. */
static void hosts_of_consecutive_ranks_keep_the_order(void **state)
{
    (void)state;
    uint64_t seed = 1;
    layout block, cyclic;
    lay_out(&block, (int[]){3, 2, 4}, 3, BLOCK, &seed);
    lay_out(&cyclic, (int[]){3, 3, 3}, 3, CYCLIC, &seed);
    assert_true(keeps_order(&block, "allreduce:hosts", 0));
    assert_true(keeps_order(&block, "allreduce:hosts:segment=300:outer=reduce-bcast", 0));
    assert_true(keeps_order(&block, "reduce:hosts", 0));
    assert_false(keeps_order(&block, "reduce:hosts", 4));
    assert_false(keeps_order(&block, "reduce:hosts", 1));
    for (int root = 0; root < 9; root++)
        assert_true(keeps_order(&block, "reduce:hosts:inner=linear:outer=linear", root));
    assert_true(keeps_order(&block, "reduce:hosts:outer=linear", 5)); /* the first of a host */
    assert_false(keeps_order(&block, "reduce:hosts:outer=linear", 6));
    assert_false(keeps_order(&block, "allreduce:hosts:leaders=2", 0));
    assert_false(keeps_order(&block, "allreduce:hosts:outer=logical-ring", 0));
    assert_false(keeps_order(&block, "reduce_scatter:hosts", 0));
    assert_false(keeps_order(&cyclic, "allreduce:hosts", 0));
    assert_false(keeps_order(&cyclic, "reduce:hosts:inner=linear:outer=linear", 0));
}

static void without_hosts_nothing_is_promised_of_the_order(void **state)
{
    (void)state;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        const cpm_collective c = {.algorithm = a, .at = {.n = 4}};
        if (a->properties & CPM_TAKES_LEVELS && operation_of(a)->combines)
            assert_false(cpm_algorithm_keeps_order(a, 0) || cpm_collective_keeps_order(&c));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_levels_are_right_for_every_layout),
        cmocka_unit_test(whatever_is_named_for_a_level_is_right_or_refused),
        cmocka_unit_test(levels_have_names),
        cmocka_unit_test(only_leaders_send_between_hosts),
        cmocka_unit_test(lanes_are_short_trees),
        cmocka_unit_test(scans_go_between_hosts_by_the_last_of_each),
        cmocka_unit_test(leaders_halve_what_each_sends_between_hosts),
        cmocka_unit_test(meshes_of_hosts_are_right_for_every_regular_layout),
        cmocka_unit_test(a_dimension_of_a_mesh_of_hosts_is_a_host),
        cmocka_unit_test(what_cannot_be_is_refused_with_the_reason),
        cmocka_unit_test(hosts_of_consecutive_ranks_keep_the_order),
        cmocka_unit_test(without_hosts_nothing_is_promised_of_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
