/* Regimes of message sizes, from round trips whose leaps are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "estimators/regimes.h"

enum { LARGEST = 65536, FIRST_LEAP = 8256, SECOND_LEAP = 8400 };

static double seconds_of(size_t bytes)
{
    return 1e-6 + 1e-9 * (double)bytes + (bytes >= FIRST_LEAP ? 5e-6 : 0) +
           (bytes >= SECOND_LEAP ? 5e-6 : 0);
}

static void measure(const cpm_design *d, cpm_measurements *m)
{
    for (int q = 0; q < d->count; q++) {
        double t = seconds_of(d->at[q].send_bytes);
        cpm_measurement r = {.what = d->at[q],
                             .summary = {.mean = t,
                                         .median = t,
                                         .huber = t,
                                         .min = t,
                                         .max = t,
                                         .ci_low = t,
                                         .ci_high = t,
                                         .reps = 9}};
        assert_int_equal(cpm_measurements_add(m, &r, NULL), CPM_OK);
    }
}

/* Of two processes. */
static void measure_all(cpm_measurements *m)
{
    for (int asked = 1; asked;) {
        cpm_design next = {0};
        assert_int_equal(cpm_regimes_plan(m, 2, LARGEST, false, &next, NULL), CPM_OK);
        asked = next.count;
        measure(&next, m);
        cpm_design_clear(&next);
    }
}

/* Each ends before the next one begins. */
static bool are_in_order(const cpm_regimes *r)
{
    for (int k = 0; k < r->count; k++)
        if (r->at[k].last < r->at[k].first ||
            (k + 1 < r->count && r->at[k].last >= r->at[k + 1].first))
            return false;
    return r->count > 0 && r->at[0].first == 0;
}

static bool one_begins_at(const cpm_regimes *r, size_t bytes)
{
    for (int k = 0; k < r->count; k++)
        if (r->at[k].first == bytes)
            return true;
    return false;
}

/* Both leaps are so near each other that a cut at either may be moved. */
static void regimes_are_in_order_wherever_the_rendezvous_is(void **state)
{
    (void)state;
    cpm_measurements m = {.n = 2};
    measure_all(&m);
    for (size_t rendezvous = FIRST_LEAP - 200; rendezvous <= SECOND_LEAP + 200; rendezvous += 4) {
        cpm_regimes r = {0};
        assert_int_equal(cpm_regimes_find(&m, 2, LARGEST, rendezvous, &r, NULL), CPM_OK);
        assert_true(one_begins_at(&r, rendezvous));
        assert_true(are_in_order(&r));
        cpm_regimes_free(&r);
    }
    cpm_measurements_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regimes_are_in_order_wherever_the_rendezvous_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
