/* Ranks that are alike: what families say of themselves, and what comparing finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/algorithm.h"
#include "collectives/schedule/symmetry.h"

enum { MOST = 64 };

static const cpm_block_sizes sizes = {.bytes = 1000};

static bool are_alike(const cpm_schedule *s, cpm_symmetry y)
{
    bool alike = false;
    assert_int_equal(cpm_schedule_compare_likes(s, &sizes, &y, &alike, NULL), CPM_OK);
    return alike;
}

/* Returns whether the family says something. */
static bool expect_true(const cpm_algorithm *a, int n)
{
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    if (cpm_schedule_create(a, &(cpm_call){.n = n, .root = 0, .bytes = 1000}, &s, &e))
        return false;
    int period = s->symmetry.period;
    bool says = period && n % period == 0 && s->pieces <= 1;
    if (says && !are_alike(s, s->symmetry))
        fail_msg("%s:%s: ranks of %d are not alike", a->operation, a->name, n);
    cpm_schedule_free(s);
    return says;
}

static void what_families_say_is_true(void **state)
{
    (void)state;
    int say = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int n = 1; n <= MOST; n++)
            say += expect_true(a, n);
    assert_true(say > 15 * MOST);
}

static cpm_schedule *schedule_of(const char *operation, const char *name, int n)
{
    const cpm_algorithm *a = NULL;
    cpm_schedule *s = NULL;
    assert_int_equal(cpm_algorithm_find(operation, name, &a, NULL), CPM_OK);
    assert_int_equal(cpm_schedule_create(a, &(cpm_call){.n = n, .root = 0}, &s, NULL), CPM_OK);
    return s;
}

static void expect(const char *operation, const char *name, int n, cpm_symmetry y, bool alike)
{
    cpm_schedule *s = schedule_of(operation, name, n);
    assert_int_equal(are_alike(s, y), alike);
    cpm_schedule_free(s);
}

static void comparing_finds_what_differs(void **state)
{
    (void)state;
    const cpm_symmetry shift = {CPM_SHIFTS, 1}, pairs = {CPM_SHIFTS, 2}, twist = {CPM_TWISTS, 1};
    expect("alltoall", "ring", 12, shift, true);
    expect("alltoall", "pair", 16, shift, false);
    expect("alltoall", "pair", 16, twist, true);
    expect("allgather", "neighbor", 12, shift, false);
    expect("allgather", "neighbor", 12, pairs, true);
    expect("allreduce", "recursive-doubling", 16, twist, true);
    expect("bcast", "binomial", 16, twist, false);
}

static void a_move_takes_a_rank_to_its_like(void **state)
{
    (void)state;
    for (int by = CPM_SHIFTS; by <= CPM_TWISTS; by++)
        for (int period = 1; period <= 32; period *= 2)
            for (int rank = 0; rank < 32; rank++) {
                const cpm_symmetry y = {(cpm_moves)by, period};
                assert_int_equal(cpm_symmetry_move(&y, 32, rank, rank), rank % period);
                bool taken[32] = {false};
                for (int other = 0; other < 32; other++)
                    taken[cpm_symmetry_move(&y, 32, rank, other)] = true;
                assert_null(memchr(taken, false, sizeof taken));
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_families_say_is_true),
        cmocka_unit_test(comparing_finds_what_differs),
        cmocka_unit_test(a_move_takes_a_rank_to_its_like),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
