/* The first failure is kept, with its sentence. */
#include "mpib/base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_failure_leaves_its_code_and_sentence(void **state)
{
    (void)state;
    cpm_error e = {0};
    assert_int_equal(cpm_fail(&e, CPM_EPARSE, "%s:%d: no", "a.meas", 12), CPM_EPARSE);
    assert_int_equal(e.code, CPM_EPARSE);
    assert_string_equal(e.text, "a.meas:12: no");
}

static void a_second_failure_does_not_overwrite_the_first(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_fail(&e, CPM_EIO, "the disk");
    assert_int_equal(cpm_fail(&e, CPM_ENOMEM, "the memory"), CPM_ENOMEM);
    assert_int_equal(e.code, CPM_EIO);
    assert_string_equal(e.text, "the disk");
}

static void a_cleared_error_takes_the_next_failure(void **state)
{
    (void)state;
    cpm_error e = {0};
    cpm_fail(&e, CPM_EIO, "the disk");
    cpm_error_clear(&e);
    assert_int_equal(e.code, CPM_OK);
    assert_string_equal(e.text, "");
    cpm_fail(&e, CPM_EMPI, "a message");
    assert_int_equal(e.code, CPM_EMPI);
    assert_string_equal(e.text, "a message");
}

static void a_caller_may_not_care_for_the_sentence(void **state)
{
    (void)state;
    assert_int_equal(cpm_fail(NULL, CPM_EDATA, "nobody reads %d", 1), CPM_EDATA);
}

static void a_sentence_that_is_too_long_is_cut(void **state)
{
    (void)state;
    struct {
        cpm_error e;
        char behind;
    } s = {.behind = 'x'};
    char word[2 * sizeof s.e.text];
    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    cpm_fail(&s.e, CPM_EINVAL, "%s", word);
    assert_int_equal(strlen(s.e.text), sizeof s.e.text - 1);
    assert_int_equal(s.behind, 'x');
}

static void every_status_has_a_sentence_of_its_own(void **state)
{
    (void)state;
#define X(name, number, sentence) CPM_##name,
    const int codes[] = {CPM_OK, CPM_STATUS_LIST(X)};
#undef X
    const char *unknown = cpm_status_text(1);
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        assert_string_not_equal(cpm_status_text(codes[i]), unknown);
        for (size_t k = 0; k < i; k++) {
            assert_int_not_equal(codes[i], codes[k]);
            assert_string_not_equal(cpm_status_text(codes[i]), cpm_status_text(codes[k]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_leaves_its_code_and_sentence),
        cmocka_unit_test(a_second_failure_does_not_overwrite_the_first),
        cmocka_unit_test(a_cleared_error_takes_the_next_failure),
        cmocka_unit_test(a_caller_may_not_care_for_the_sentence),
        cmocka_unit_test(a_sentence_that_is_too_long_is_cut),
        cmocka_unit_test(every_status_has_a_sentence_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
