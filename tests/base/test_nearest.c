/* What a mistyped word was probably meant to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/nearest.h"

static const char *ask(const char *typed)
{
    static const char *const words[] = {"model",  "measure", "show",      "bcast", "binomial",
                                        "binary", "gather",  "bench p2p", "lmo",   "lmo2"};
    static char text[CPM_NEAREST_TEXT];
    cpm_nearest near = {.typed = typed};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cpm_nearest_try(&near, words[i]);
    return cpm_nearest_ask(&near, text, sizeof text);
}

static void a_letter_too_many_or_few_or_another_one_or_two_swapped_is_near(void **state)
{
    (void)state;
    assert_string_equal(ask("modle"), "; did you mean 'model'?");
    assert_string_equal(ask("bcost"), "; did you mean 'bcast'?");
    assert_string_equal(ask("binomal"), "; did you mean 'binomial'?");
    assert_string_equal(ask("sshow"), "; did you mean 'show'?");
    assert_string_equal(ask("gahter"), "; did you mean 'gather'?");
    assert_string_equal(ask("bench p3p"), "; did you mean 'bench p2p'?");
    assert_string_equal(ask("lm"), "; did you mean 'lmo'?");
}

static void what_is_like_nothing_is_not_guessed(void **state)
{
    (void)state;
    assert_string_equal(ask(""), "");
    assert_string_equal(ask("x"), "");
    assert_string_equal(ask("frobnicate"), "");
    assert_string_equal(ask("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
                        "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_letter_too_many_or_few_or_another_one_or_two_swapped_is_near),
        cmocka_unit_test(what_is_like_nothing_is_not_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
