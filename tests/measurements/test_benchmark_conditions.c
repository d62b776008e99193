/* What measured times contain that programs do not see, as the facts of their file say. */
#include "measurements/benchmark_conditions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(const char *machine, const char *timing, const char *buffers, bool same,
                   bool apart, bool mean)
{
    cpm_metadata facts = {0};
    if (machine)
        cpm_metadata_set(&facts, NULL, "machine", "%s", machine);
    if (timing)
        cpm_metadata_set(&facts, NULL, "timing", "%s", timing);
    if (buffers)
        cpm_metadata_set(&facts, NULL, "buffers", "%s", buffers);
    const cpm_benchmark_conditions c = cpm_benchmark_conditions_of(&facts);
    assert_int_equal(c.same, same);
    assert_int_equal(c.apart, apart);
    assert_int_equal(c.mean, mean);
    cpm_metadata_clear(&facts);
}

static void facts_say_how_times_were_taken(void **state)
{
    (void)state;
    expect(NULL, NULL, NULL, true, true, false);
    expect("mpi", "max", "same", true, true, false);
    expect("mpi", "mean", NULL, true, true, true);
    expect("mpi", "global", "fresh", false, false, false);
    expect("mpi", "root", "cold", false, false, false);
    expect("mpi", "batch of 20", "same", true, false, false);
    expect("synthetic", "max", NULL, false, false, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(facts_say_how_times_were_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
