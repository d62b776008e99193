/* Contests with a made-up measure: who wins, where winners change, what is measured for it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../models/hosts_model.h"
#include "adapt/contest.h"
#include "models/predict.h"

enum { REPS = 8 };

/* Seconds of an algorithm, NULL: the library's own, for so many bytes. */
typedef double made_up(const char *algorithm, double bytes);

static const cpm_operation *operation(const char *name)
{
    const cpm_operation *o;
    assert_int_equal(cpm_operation_find(name, &o, NULL), CPM_OK);
    return o;
}

/* ---- a world in which algorithms take what it says */

typedef struct {
    cpm_contests c;
    cpm_measurements m;
    cpm_table table;
    made_up *seconds;
    double spread; /* the repetitions are evenly between 1 - spread and 1 + spread */
    int most;      /* measurements that it allows; 0: any number */
    int asked;
} world;

static void open_world(world *w, made_up *seconds)
{
    *w = (world){.seconds = seconds,
                 .c = {.divide = true, .gain = CPM_CONTEST_GAIN, .level = CPM_CONTEST_LEVEL}};
    w->m.n = 4;
    w->m.statistic = CPM_MEAN;
}

static void close_world(world *w)
{
    cpm_contests_clear(&w->c);
    cpm_measurements_clear(&w->m);
    cpm_table_clear(&w->table);
}

/* Everything in the order of the contests takes part. */
static void add_contest(world *w, const char *name, const char *const *algorithms, size_t bytes)
{
    cpm_contest *x;
    w->c.at = realloc(w->c.at, ((size_t)w->c.count + 1) * sizeof *w->c.at);
    assert_non_null(w->c.at);
    x = &w->c.at[w->c.count++];
    *x = (cpm_contest){.operation = operation(name), .bytes = bytes};
    x->at = calloc(8, sizeof *x->at);
    assert_non_null(x->at);
    x->at[x->count++] = (cpm_collective){.operation = x->operation, .at.n = 4};
    for (; *algorithms; algorithms++) {
        cpm_collective *c = &x->at[x->count++];
        assert_int_equal(cpm_collective_parse_algorithm(x->operation, *algorithms, c, NULL),
                         CPM_OK);
        c->at.n = 4;
    }
}

static void add_sizes(world *w, const char *name, const char *const *algorithms, const char *sizes)
{
    cpm_sizes all = {0};
    assert_int_equal(cpm_sizes_parse(sizes, &all, NULL), CPM_OK);
    for (int i = 0; i < all.count; i++)
        add_contest(w, name, algorithms, all.at[i]);
    cpm_sizes_free(&all);
}

static void measure(world *w, const cpm_experiment *x)
{
    const cpm_precision p = {REPS, REPS, 0.95, 0.025, CPM_MEAN, 0};
    const char *name = x->collective.algorithm ? x->collective.algorithm->name : NULL;
    cpm_measurement r = {.what = *x, .samples = malloc(REPS * sizeof *r.samples)};
    assert_non_null(r.samples);
    assert_int_equal(cpm_measurements_find(&w->m, x), -1);
    for (int k = 0; k < REPS; k++)
        r.samples[k] =
            w->seconds(name, (double)x->send_bytes) * (1 + w->spread * (2.0 * k / (REPS - 1) - 1));
    assert_int_equal(cpm_summarize(r.samples, REPS, &p, &r.summary, NULL), CPM_OK);
    assert_int_equal(cpm_measurements_add(&w->m, &r, NULL), CPM_OK);
    w->asked++;
}

/* As a campaign does: until nothing new is asked for, or no more is allowed. */
static void run(world *w)
{
    for (int count = 1; count && (!w->most || w->asked < w->most);) {
        cpm_design next = {0};
        assert_int_equal(cpm_contests_next(&w->c, &w->m, &next, NULL), CPM_OK);
        count = next.count;
        for (int k = 0; k < count && (!w->most || w->asked < w->most); k++)
            measure(w, &next.at[k]);
        cpm_design_clear(&next);
    }
    assert_int_equal(cpm_contests_table(&w->c, &w->m, 4, &w->table, NULL), CPM_OK);
}

static const char *chosen(const world *w, const char *name, size_t bytes)
{
    const cpm_rules *r = cpm_table_find(&w->table, operation(name), 4);
    int k = r ? cpm_rules_find(r, bytes) : -1;
    return k < 0 ? NULL : cpm_collective_algorithm(&r->at[k].what);
}

/* ---- worlds */

static const char *const two[] = {"binomial", "chain", NULL};

/* Binomial trees up to 10000 bytes, then chains; the library's own is never as good. */
static double crossing(const char *algorithm, double bytes)
{
    if (!algorithm)
        return 300e-6 + 4e-8 * bytes;
    bool chain = strcmp(algorithm, "chain") == 0;
    return chain ? 200e-6 + 1e-8 * bytes : 100e-6 + 2e-8 * bytes;
}

static void winners_change_where_they_do(void **state)
{
    (void)state;
    world w;
    open_world(&w, crossing);
    add_sizes(&w, "bcast", two, "1,64,256,1K:256K");
    run(&w);
    assert_string_equal(chosen(&w, "bcast", 1), "binomial");
    assert_string_equal(chosen(&w, "bcast", 8192), "binomial");
    assert_string_equal(chosen(&w, "bcast", 12500), "chain");
    assert_string_equal(chosen(&w, "bcast", SIZE_MAX), "chain");
    /* 3 at 12 sizes; the interval from 8K to 16K is halved twice, with the two that it is about. */
    assert_int_equal(w.asked, 36 + 4);
    const cpm_rule *first = &cpm_table_find(&w.table, operation("bcast"), 4)->at[0];
    assert_int_equal(first->from, 1);
    assert_int_equal(first->figures.measured, 3);
    assert_true(fabs(first->seconds - crossing("binomial", 1)) < 1e-12);
    assert_true(fabs(first->figures.native - crossing(NULL, 1)) < 1e-12);
    assert_true(fabs(first->figures.lead - 0.5) < 0.01); /* 100 against 200 us */
    close_world(&w);
}

/* A chain is faster than the library's own by a twentieth. */
static double close_race(const char *algorithm, double bytes)
{
    return (algorithm && strcmp(algorithm, "chain") == 0 ? 95e-6 : 100e-6) + 1e-12 * bytes;
}

static void who_leads_by_less_than_the_noise_does_not_win(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        world w;
        cpm_outcome o;
        open_world(&w, close_race);
        w.spread = noisy ? 0.3 : 0.01;
        add_contest(&w, "bcast", two, 1024);
        run(&w);
        assert_string_equal(chosen(&w, "bcast", 1024), noisy ? "native" : "chain");
        assert_int_equal(cpm_contest_outcome(&w.c, &w.c.at[0], NULL, &w.m, &o, NULL), CPM_OK);
        assert_int_equal(o.within_noise, noisy);
        assert_true(noisy ? o.lead < 0 : fabs(o.lead - 0.05) < 0.001);
        close_world(&w);
    }
}

/* The library's own by half a percent ahead or behind, whatever else is measured. */
static double alike(const char *algorithm, double bytes)
{
    bool ahead = ((long)bytes / 1024) % 2 == 0;
    return algorithm ? (ahead ? 99.5e-6 : 100e-6) : (ahead ? 100e-6 : 99.5e-6);
}

static void a_small_lead_is_not_worth_leaving_the_library_for(void **state)
{
    (void)state;
    world w;
    open_world(&w, alike);
    add_sizes(&w, "gather", (const char *const[]){"binomial", NULL}, "1K:8K:1K");
    run(&w);
    const cpm_rules *r = cpm_table_find(&w.table, operation("gather"), 4);
    for (int k = 0; k < r->count; k++)
        assert_null(r->at[k].what.algorithm);
    assert_int_equal(w.asked, 16); /* and there is no change to look for */
    close_world(&w);
}

/* Chains and binomial trees are alike but for half a percent, one at even sizes, one at odd ones.
 */
static double in_turns(const char *algorithm, double bytes)
{
    if (!algorithm)
        return 1e-3;
    bool chain = strcmp(algorithm, "chain") == 0, even = ((long)bytes / 1024) % 2 == 0;
    return chain == even ? 99.5e-6 : 100e-6;
}

static void who_won_before_stays_unless_another_is_faster(void **state)
{
    (void)state;
    world w;
    open_world(&w, in_turns);
    add_sizes(&w, "bcast", two, "1K:8K:1K");
    run(&w);
    const cpm_rules *r = cpm_table_find(&w.table, operation("bcast"), 4);
    for (int k = 1; k < r->count; k++)
        assert_true(cpm_collective_same(&r->at[k].what, &r->at[0].what));
    assert_int_equal(w.asked, 24);
    close_world(&w);
}

/* ---- with predictions */

/* What the first of the others takes is predicted that many times as long as it is. */
static void add_predictions(world *w, double off)
{
    for (int i = 0; i < w->c.count; i++) {
        cpm_contest *x = &w->c.at[i];
        x->predicted = calloc((size_t)x->count, sizeof *x->predicted);
        assert_non_null(x->predicted);
        x->predicted[0] = NAN;
        for (int k = 1; k < x->count; k++)
            x->predicted[k] =
                (k == 1 ? off : 1) * w->seconds(x->at[k].algorithm->name, (double)x->bytes);
    }
}

/* At 1 KB binomial trees take 120 and chains 210 us: a model that is by a half off may be by more
 * than that off. */
static void who_would_win_only_if_the_model_were_worse_than_it_is_is_not_measured(void **state)
{
    (void)state;
    const double off[] = {1, 1.1, 1.5, 1 / 1.5};
    for (int k = 0; k < 4; k++) {
        world w;
        cpm_outcome o;
        const bool good = k < 2;
        open_world(&w, crossing);
        add_contest(&w, "bcast", two, 1024);
        add_predictions(&w, off[k]);
        run(&w);
        assert_int_equal(w.asked, good ? 2 : 3);
        assert_string_equal(chosen(&w, "bcast", 1024), "binomial");
        assert_int_equal(cpm_contest_outcome(&w.c, &w.c.at[0], NULL, &w.m, &o, NULL), CPM_OK);
        assert_int_equal(o.measured, good ? 2 : 3);
        assert_int_equal(o.dropped, good);
        close_world(&w);
    }
}

/* How far the model is off at one size counts at the others, too. */
static void a_model_that_is_wrong_somewhere_is_not_believed_elsewhere(void **state)
{
    (void)state;
    world w;
    open_world(&w, crossing);
    add_sizes(&w, "bcast", two, "1,1K");
    add_predictions(&w, 1);
    w.c.at[0].predicted[1] *= 2;
    run(&w);
    assert_int_equal(w.asked, 6);
    close_world(&w);
}

/* ---- in pieces */

static void open_crossing(world *w, double off)
{
    open_world(w, crossing);
    add_sizes(w, "bcast", two, "1,64,256,1K:256K");
    if (off > 0)
        add_predictions(w, off);
}

/* off: of predictions; 0: there are none. */
static void goes_on(double off)
{
    world whole;
    open_crossing(&whole, off);
    run(&whole);
    for (int stop = 1; stop < whole.asked; stop++) {
        world w;
        open_crossing(&w, off);
        w.most = stop;
        run(&w);
        assert_int_equal(w.asked, stop);
        cpm_table_clear(&w.table);
        w.most = 0;
        run(&w);
        assert_int_equal(w.asked, whole.asked);
        const cpm_rules *a = cpm_table_find(&whole.table, operation("bcast"), 4);
        const cpm_rules *b = cpm_table_find(&w.table, operation("bcast"), 4);
        assert_int_equal(a->count, b->count);
        for (int k = 0; k < a->count; k++) {
            assert_int_equal(a->at[k].from, b->at[k].from);
            assert_true(cpm_collective_same(&a->at[k].what, &b->at[k].what));
        }
        close_world(&w);
    }
    close_world(&whole);
}

static void who_is_interrupted_goes_on(void **state)
{
    (void)state;
    goes_on(0);
    goes_on(1);
    goes_on(1.5);
}

/* What is stopped early knows something of every operation, and both ends of the sizes. */
static void sizes_far_apart_come_first(void **state)
{
    (void)state;
    world w;
    open_world(&w, crossing);
    add_sizes(&w, "bcast", two, "1,64,256,1K:256K");
    add_sizes(&w, "reduce", (const char *const[]){"binomial", "chain", NULL}, "1,64,256,1K:256K");
    w.most = 12;
    run(&w);
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "reduce" : "bcast";
        const cpm_rules *r = cpm_table_find(&w.table, operation(name), 4);
        assert_non_null(r);
        assert_string_equal(chosen(&w, name, 1), "binomial");
        assert_string_equal(chosen(&w, name, 64), "native"); /* not measured, nor what follows */
        assert_string_equal(chosen(&w, name, 128 * 1024), "native");
        assert_string_equal(chosen(&w, name, 256 * 1024), "chain");
    }
    close_world(&w);
}

static void what_weighs_most_comes_first(void **state)
{
    (void)state;
    world w;
    cpm_design next = {0};
    open_world(&w, crossing);
    add_sizes(&w, "bcast", two, "1K,2K,4K");
    w.c.at[1].weight = 5;
    w.c.at[2].weight = 2;
    assert_int_equal(cpm_contests_next(&w.c, &w.m, &next, NULL), CPM_OK);
    assert_int_equal(next.count, 9);
    assert_int_equal(next.at[0].send_bytes, 2048);
    assert_int_equal(next.at[3].send_bytes, 4096);
    assert_int_equal(next.at[6].send_bytes, 1024);
    cpm_design_clear(&next);
    close_world(&w);
}

static void without_the_librarys_own_nothing_is_known(void **state)
{
    (void)state;
    world w;
    cpm_outcome o;
    open_world(&w, crossing);
    add_contest(&w, "bcast", two, 1024);
    const cpm_experiment chain = cpm_experiment_of(&w.c.at[0].at[2], 1024);
    measure(&w, &chain);
    assert_int_equal(cpm_contest_outcome(&w.c, &w.c.at[0], NULL, &w.m, &o, NULL), CPM_OK);
    assert_null(o.winner);
    assert_int_equal(cpm_contests_table(&w.c, &w.m, 4, &w.table, NULL), CPM_OK);
    assert_int_equal(w.table.count, 0);
    close_world(&w);
}

/* ---- who takes part */

static const int host[] = {0, 1, 2, 3, 4, 5, 6, 7};

static cpm_contests contests_of(const cpm_model *m, const char *name, double within)
{
    cpm_contests c = {0};
    const cpm_contest_field field = {.model = m, .options = CPM_SELECTOR_OWN, .within = within};
    const cpm_request r = {.operation = operation(name), .n = 8, .bytes = 16384};
    assert_int_equal(cpm_contests_add(&c, &field, &r, 0, NULL), CPM_OK);
    assert_int_equal(c.count, 1);
    assert_null(c.at[0].at[0].algorithm);
    return c;
}

static bool takes_part(const cpm_contest *x, const cpm_collective *c)
{
    for (int k = 0; k < x->count; k++)
        if (cpm_collective_same(&x->at[k], c))
            return true;
    return false;
}

/* All that is left out is predicted to be slower than all that is not, or beyond the bound, or of
 * an algorithm of which others take part. */
static void a_model_leaves_out_who_has_no_chance(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(host, 8, 3);
    for (const cpm_operation *o = cpm_operations; o->name; o++) {
        if (cpm_operation_is_of_neighbours(o))
            continue;
        cpm_contests all = contests_of(NULL, o->name, 1.25), some = contests_of(m, o->name, 1.25);
        const cpm_contest *a = &all.at[0], *s = &some.at[0];
        double best = INFINITY;
        assert_in_range(s->count, 2, 4);
        assert_int_equal(a->dropped, 0);
        for (int k = 1; k < a->count; k++) {
            double seconds = cpm_predict_bytes(m, &a->at[k], a->bytes, NULL, NULL, NULL);
            best = seconds >= 0 ? fmin(best, seconds) : best;
        }
        for (int k = 1; k < s->count; k++)
            assert_true(cpm_predict_bytes(m, &s->at[k], s->bytes, NULL, NULL, NULL) <=
                        1.2500001 * best);
        bool has_best = false;
        for (int k = 1; k < a->count; k++) {
            double seconds = cpm_predict_bytes(m, &a->at[k], a->bytes, NULL, NULL, NULL);
            has_best = has_best || (seconds <= 1.0000001 * best && takes_part(s, &a->at[k]));
        }
        assert_true(has_best);
        cpm_contests_clear(&all);
        cpm_contests_clear(&some);
    }
    cpm_model_free(m);
}

/* The first of the others changes only where another is predicted to be faster by the gain. */
static void what_take_the_same_time_do_not_take_turns(void **state)
{
    (void)state;
    cpm_model *m = hosts_model(host, 8, 3);
    int kept = 0;
    for (const cpm_operation *o = cpm_operations; o->name; o++) {
        if (cpm_operation_is_of_neighbours(o))
            continue;
        cpm_contests c = {0};
        const cpm_contest_field field = {.model = m, .options = CPM_SELECTOR_OWN, .within = 1.2};
        for (size_t bytes = 1024; bytes < 65536 && !o->dataless; bytes += bytes / 16) {
            const cpm_request r = {.operation = o, .n = 8, .bytes = bytes};
            assert_int_equal(cpm_contests_add(&c, &field, &r, 0, NULL), CPM_OK);
            const cpm_contest *x = &c.at[c.count - 1];
            if (c.count < 2)
                continue;
            const cpm_collective *before = &x[-1].at[1];
            double first = cpm_predict_bytes(m, &x->at[1], bytes, NULL, NULL, NULL);
            double other = cpm_predict_bytes(m, before, bytes, NULL, NULL, NULL);
            if (!cpm_collective_same(&x->at[1], before))
                assert_true(first <= other * (1 - CPM_CONTEST_GAIN) * 1.0000001);
            for (int k = 2; k < x->count; k++)
                kept += x->predicted[k] < x->predicted[1];
        }
        cpm_contests_clear(&c);
    }
    assert_true(kept > 0);
    cpm_model_free(m);
}

static void only_what_is_named_takes_part(void **state)
{
    (void)state;
    cpm_contests c = {0};
    cpm_collective only[2];
    assert_int_equal(cpm_collective_parse("bcast:chain:segment=8K", &only[0], NULL), CPM_OK);
    assert_int_equal(cpm_collective_parse("gather:binomial", &only[1], NULL), CPM_OK);
    cpm_contest_field field = {.options = CPM_SELECTOR_OWN};
    field.options.only = only;
    field.options.only_count = 2;
    for (const cpm_operation *o = cpm_operations; o->name; o++) {
        const cpm_request r = {.operation = o, .n = 8, .bytes = 65536};
        assert_int_equal(cpm_contests_add(&c, &field, &r, 0, NULL), CPM_OK);
    }
    assert_int_equal(c.count, 2);
    assert_string_equal(c.at[0].operation->name, "bcast");
    assert_int_equal(c.at[0].count, 2);
    assert_true(cpm_collective_same(&c.at[0].at[1], &only[0]));
    assert_string_equal(c.at[1].operation->name, "gather");
    cpm_contests_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(winners_change_where_they_do),
        cmocka_unit_test(who_leads_by_less_than_the_noise_does_not_win),
        cmocka_unit_test(a_small_lead_is_not_worth_leaving_the_library_for),
        cmocka_unit_test(who_won_before_stays_unless_another_is_faster),
        cmocka_unit_test(who_would_win_only_if_the_model_were_worse_than_it_is_is_not_measured),
        cmocka_unit_test(a_model_that_is_wrong_somewhere_is_not_believed_elsewhere),
        cmocka_unit_test(who_is_interrupted_goes_on),
        cmocka_unit_test(sizes_far_apart_come_first),
        cmocka_unit_test(what_weighs_most_comes_first),
        cmocka_unit_test(without_the_librarys_own_nothing_is_known),
        cmocka_unit_test(a_model_leaves_out_who_has_no_chance),
        cmocka_unit_test(what_take_the_same_time_do_not_take_turns),
        cmocka_unit_test(only_what_is_named_takes_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
