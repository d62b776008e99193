/* .mod files: what is written is read back, and whatever is wrong is refused with its place. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <gsl/gsl_rng.h>

#include "random_model.h"
#include "tests/folder.h"

static cpm_model *example(void)
{
    cpm_model *m = random_lmo(4, 7);
    assert_int_equal(cpm_model_set_host(m, 0, "node \"A\"", NULL), CPM_OK);
    assert_int_equal(cpm_model_set_host(m, 3, "node-D", NULL), CPM_OK);
    assert_int_equal(cpm_metadata_set(&m->metadata, NULL, "date", "2026-01-01"), CPM_OK);
    assert_int_equal(cpm_metadata_set(&m->metadata, NULL, "mpi", "some\\MPI \"4\""), CPM_OK);
    m->notes = strdup("One sentence.\nAnother one.");
    m->value[CPM_LMO_M1][0] = 4096;
    m->ci[CPM_LMO_C][2] = 1.25e-7;
    m->ci[CPM_LMO_L][6] = 0;
    return m;
}

static char *packed(const cpm_model *m)
{
    char *text;
    cpm_error e = {0};
    cpm_model_pack(m, &text, &e);
    assert_string_equal(e.text, "");
    return text;
}

/* Text with the first `from` replaced. */
static char *edited(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    char *result;
    assert_true(asprintf(&result, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
    return result;
}

static int line_of(const char *text, const char *what)
{
    int line = 1;
    for (const char *end = strstr(text, what); text < end; text++)
        line += *text == '\n';
    return line;
}

/* The text is refused, and the sentence starts with the line of `what` in it and has `says`. */
static void refuse(char *text, const char *what, const char *says)
{
    cpm_model *m = NULL;
    cpm_error e = {0};
    char place[32];
    snprintf(place, sizeof place, "x.mod:%d: ", line_of(text, what));
    assert_int_equal(cpm_model_unpack(text, strlen(text), "x.mod", &m, &e), CPM_EPARSE);
    assert_null(m);
    if (strncmp(e.text, place, strlen(place)) != 0 || !strstr(e.text, says))
        fail_msg("expected \"%s...%s\", found \"%s\"", place, says, e.text);
    free(text);
}

static void assert_within(double a, double b, double tolerance)
{
    if (isnan(a) || isnan(b))
        assert_true(isnan(a) && isnan(b));
    else
        assert_true(fabs(a - b) <= tolerance);
}

/* 15 digits are written, of a value with an interval as many as this lets it have, 9 at most. */
static void assert_same(double a, double b, double half)
{
    assert_within(a, b, isnan(half) ? 1e-14 * fabs(a) : fmax(half / 100, 1e-8 * fabs(a)));
}

static void assert_models_equal(const cpm_model *a, const cpm_model *b)
{
    assert_ptr_equal(a->type, b->type);
    assert_int_equal(a->n, b->n);
    for (int i = 0; i < a->n; i++)
        assert_string_equal(a->hosts[i], b->hosts[i]);
    for (int p = 0; p < a->type->count; p++)
        for (size_t i = 0; i < cpm_parameter_values(a, p); i++) {
            assert_same(a->value[p][i], b->value[p][i], a->ci[p][i]);
            assert_within(a->ci[p][i], b->ci[p][i], 0.05 * a->ci[p][i]); /* two digits */
        }
    assert_int_equal(a->metadata.count, b->metadata.count);
    for (int i = 0; i < a->metadata.count; i++) {
        assert_string_equal(a->metadata.items[i].key, b->metadata.items[i].key);
        assert_string_equal(a->metadata.items[i].value, b->metadata.items[i].value);
    }
    assert_int_equal(a->notes != NULL, b->notes != NULL);
    if (a->notes)
        assert_string_equal(a->notes, b->notes);
}

static void a_model_is_the_same_after_packing_and_unpacking(void **state)
{
    (void)state;
    cpm_model *models[] = {example(), random_lmo(3, 1), random_hockney(2, 2), random_hockney(9, 3)};
    for (int i = 0; i < 4; i++) {
        char *text = packed(models[i]);
        cpm_model *back;
        cpm_error e = {0};
        assert_int_equal(cpm_model_unpack(text, strlen(text), "memory", &back, &e), CPM_OK);
        assert_models_equal(models[i], back);
        free(text);
        cpm_model_free(back);
        cpm_model_free(models[i]);
    }
}

static void a_model_is_the_same_after_writing_and_reading(void **state)
{
    (void)state;
    cpm_model *m = example(), *back;
    cpm_error e = {0};
    assert_int_equal(cpm_model_write(m, "written.mod", &e), CPM_OK);
    assert_int_equal(cpm_model_write(m, "written.mod", &e), CPM_OK); /* over the old one */
    assert_int_equal(cpm_model_read("written.mod", &back, &e), CPM_OK);
    assert_models_equal(m, back);
    unlink("written.mod");
    cpm_model_free(back);
    cpm_model_free(m);
}

/* Values and intervals of all sizes, next to powers of ten, too. */
static void a_model_that_is_written_again_has_the_same_text(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(12, 7), *back = NULL;
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 144; i++) {
            double near = i % 5 ? 1 + 0.1 * i : 1 - pow(10, -1 - i % 9);
            m->value[p][i] = i % 13 ? near * pow(10, -i % 7) : 0;
            m->ci[p][i] = i % 13 && i % 3 ? m->value[p][i] * near * pow(10, -i % 11) : 0;
        }
    char *first = packed(m), *second;
    assert_int_equal(cpm_model_unpack(first, strlen(first), "memory", &back, NULL), CPM_OK);
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 144; i++)
            assert_same(m->value[p][i], back->value[p][i], m->ci[p][i]);
    second = packed(back);
    assert_string_equal(first, second);
    free(first);
    free(second);
    cpm_model_free(m);
    cpm_model_free(back);
}

static void expect_same_text_again(const cpm_model *m)
{
    cpm_model *back = NULL;
    char *first = packed(m), *second;
    assert_int_equal(cpm_model_unpack(first, strlen(first), "memory", &back, NULL), CPM_OK);
    for (int i = 0; i < 2 * m->n * m->n; i++)
        assert_same(m->value[i / (m->n * m->n)][i % (m->n * m->n)],
                    back->value[i / (m->n * m->n)][i % (m->n * m->n)],
                    m->ci[i / (m->n * m->n)][i % (m->n * m->n)]);
    second = packed(back);
    assert_string_equal(first, second);
    free(first);
    free(second);
    cpm_model_free(back);
}

/* Of all magnitudes, and they are the same numbers: 1e10 is not 1e1. */
static void random_values_have_the_same_text_again(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(12, 7);
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(random, 20261126);
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 2 * 144; i++) {
            double drawn = pow(10, -14 + 28 * gsl_rng_uniform(random));
            double value = i % 144 % 13 ? drawn : 0; /* from a process to itself */
            m->value[i / 144][i % 144] = value;
            m->ci[i / 144][i % 144] = value * pow(10, -12 + 14 * gsl_rng_uniform(random));
        }
        expect_same_text_again(m);
    }
    gsl_rng_free(random);
    cpm_model_free(m);
}

static void a_matrix_has_one_row_per_line(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(5, 4);
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 25; i++)
            m->value[p][i] = i % 6 ? 1 + p : 0;
    char *text = packed(m);
    assert_non_null(strstr(text, "\n        [0.0,1.0,1.0,1.0,1.0],"
                                 "\n        [1.0,0.0,1.0,1.0,1.0],"));
    assert_non_null(strstr(text, "\n        [2.0,2.0,2.0,2.0,0.0]\n"));
    free(text);
    cpm_model_free(m);
}

static void every_truncated_file_is_refused(void **state)
{
    (void)state;
    cpm_model *m = example(), *back = NULL;
    char *text = packed(m);
    size_t size = strlen(text);
    for (size_t cut = 0; cut + 1 < size; cut++) { /* the last byte is a newline */
        cpm_error e = {0};
        char *part = malloc(cut + 1); /* its own memory, so that a sanitizer sees reads beyond */
        memcpy(part, text, cut);
        assert_int_equal(cpm_model_unpack(part, cut, "x.mod", &back, &e), CPM_EPARSE);
        assert_ptr_equal(strstr(e.text, "x.mod:"), e.text);
        free(part);
    }
    assert_null(back);
    free(text);
    cpm_model_free(m);
}

static void a_file_with_any_byte_changed_is_read_or_refused(void **state)
{
    (void)state;
    cpm_model *m = example();
    char *text = packed(m);
    const char bytes[] = "0-e\"{}[],:n\n\\ \377";
    for (size_t i = 0; text[i]; i++)
        for (size_t b = 0; b < sizeof bytes; b++) { /* with the final '\0' */
            char old = text[i];
            size_t size = strlen(text);
            cpm_model *back = NULL;
            cpm_error e = {0};
            text[i] = bytes[b];
            int status = cpm_model_unpack(text, size, "x.mod", &back, &e);
            assert_int_equal(status == CPM_OK, back != NULL);
            assert_int_equal(status == CPM_OK, e.text[0] == '\0');
            cpm_model_free(back);
            text[i] = old;
        }
    free(text);
    cpm_model_free(m);
}

static void a_wrong_value_is_refused_with_its_line(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(3, 1);
    m->value[CPM_LMO_C][1] = 0.5;
    m->value[CPM_LMO_L][5] = 0.25;
    m->value[CPM_LMO_M2][0] = 65536;
    char *text = packed(m);
    const char *c = "0.5,", *l = "0.25]", *m2 = "65536.0";
    refuse(edited(text, c, "-0.5,"), "-0.5", "parameter 'C' of process 1 is negative: -0.5 s");
    refuse(edited(text, c, "NaN,"), "NaN", "NaN");
    refuse(edited(text, c, "nan,"), ",nan,", "nan");
    refuse(edited(text, c, "1e999,"), "1e999", "overflow");
    refuse(edited(text, c, "Infinity,"), "Infinity", "Infinity");
    refuse(edited(text, c, "\"much\","), "\"much\"", "expected a number, found a string");
    refuse(edited(text, c, "null,"), "null,", "expected a number, found null");
    refuse(edited(text, c, ""), "\"value\"", "parameter 'C': expected 3 values, found 2");
    refuse(edited(text, l, "0.25, 1]"), "0.25, 1", "'L', row 1: expected 3 values, found 4");
    refuse(edited(text, l, "-3]"), "-3]", "'L' from 1 to 2 is so negative (-3 s)");
    refuse(edited(text, "[0.0,", "[1.0,"), "[1.0,", "'L' from 0 to 0 must be 0");
    refuse(edited(text, m2, "-4"), " -4,", "parameter 'M2' is negative");
    refuse(edited(text, m2, "[4]"), "[4]", "'M2': expected a number, found a list");
    refuse(edited(text, "\"s/B\"", "\"us/B\""), "\"us/B\"", "\"unit\" must be \"s/B\"");
    free(text);
    cpm_model_free(m);
}

static void a_wrong_header_is_refused_with_its_line(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(3, 1);
    char *text = packed(m);
    refuse(edited(text, "cpm model", "recipe"), "recipe", "not a model file");
    refuse(edited(text, "\"version\": 1", "\"version\": 2"), "\"version\"", "version 2");
    refuse(edited(text, "\"lmo\"", "\"omo\""), "omo", "unknown model 'omo' (known: hockney, ");
    refuse(edited(text, "\"processes\": 3", "\"processes\": 2"), "\"processes\"", "at least 3");
    refuse(edited(text, "\"processes\": 3", "\"processes\": 4"), "\"hosts\"",
           "\"hosts\": expected 4 values, found 3");
    refuse(edited(text, "\"processes\": 3", "\"processes\": 1000000000"), "\"processes\"",
           "cannot have 1000000000 processes");
    refuse(edited(text, "\"t\":", "\"T\":"), "\"parameters\"", "parameter 't'");
    refuse(edited(text, "\"t\":", "\"C\":"), "\"C\": {\n      \"unit\": \"s/B\"", "duplicate");
    refuse(edited(text, "\"t\":", "\"x\": 1, \"t\":"), "\"x\"", "has no parameter 'x'");
    refuse(strdup("[1]"), "[", "not a model file: a list");
    refuse(strdup("These are words.\n"), "These", "");
    free(text);
    cpm_model_free(m);
}

static void a_hand_edited_layout_is_read_and_its_lines_are_found(void **state)
{
    (void)state;
    const char *text =
        "{\"model\":\"hockney\",\"format\":\"cpm model\",\"version\":1,\n"
        "\"processes\":2,\"hosts\":[\"a]\\\"[\",\"b\"],\n"
        "\"parameters\":{\"beta\":{\"value\":[[0,1e-9],[1e-9,0]],\"unit\":\"s/B\"},\n"
        "\"alpha\":{\"unit\":\"s\",\"value\":[[0,\n1],[\n2,\n0]]}}}";
    cpm_model *m;
    assert_int_equal(cpm_model_unpack(text, strlen(text), "x.mod", &m, NULL), CPM_OK);
    assert_string_equal(m->hosts[0], "a]\"[");
    assert_same(m->value[CPM_HOCKNEY_ALPHA][2], 2, NAN);
    refuse(edited(text, "\n2,", "\n-2,"), "-2,", "'alpha' from 1 to 0 is negative: -2 s");
    cpm_model_free(m);
}

static void slightly_negative_network_times_are_kept(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(3, 1), *back;
    m->value[CPM_LMO_INVBETA][1] = -1e-9;
    m->value[CPM_LMO_L][1] = -1e-6;
    char *text = packed(m);
    assert_int_equal(cpm_model_unpack(text, strlen(text), "x.mod", &back, NULL), CPM_OK);
    assert_models_equal(m, back);
    free(text);
    cpm_model_free(back);
    cpm_model_free(m);
}

/* As a fit leaves them where a bound is active, whatever their intervals are. */
static void network_times_that_are_just_not_negative_are_read_again(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(4, 7), *back = NULL;
    for (int i = 0; i < 4; i++) {
        m->value[CPM_LMO_T][i] = 1.2344e-9 * (i + 1);
        m->ci[CPM_LMO_T][i] = 1e-9;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            size_t pair = (size_t)(4 * i + j);
            m->value[CPM_LMO_INVBETA][pair] =
                i == j ? 0 : -m->value[CPM_LMO_T][i] - m->value[CPM_LMO_T][j];
            m->ci[CPM_LMO_INVBETA][pair] = i == j ? 0 : 1e-9;
        }
    char *text = packed(m);
    cpm_error e = {0};
    assert_int_equal(cpm_model_unpack(text, strlen(text), "x", &back, &e), CPM_OK);
    free(text);
    cpm_model_free(m);
    cpm_model_free(back);
}

static void a_model_that_could_not_be_read_is_not_written(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(3, 1);
    cpm_error e = {0};
    char *text = NULL;
    m->value[CPM_LMO_T][2] = NAN;
    assert_int_equal(cpm_model_pack(m, &text, &e), CPM_EDATA);
    assert_non_null(strstr(e.text, "parameter 't' of process 2 is not a number"));
    assert_int_equal(cpm_model_write(m, "nan.mod", NULL), CPM_EDATA);
    assert_int_equal(access("nan.mod", F_OK), -1);
    m->value[CPM_LMO_T][2] = 0;
    m->ci[CPM_LMO_L][1] = -1;
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_EDATA);
    assert_null(text);
    cpm_model_free(m);
}

/* A copy that lacks what is from begin up to end. */
static char *without(const char *text, const char *begin, const char *end)
{
    const char *from = strstr(text, begin), *to = strstr(from, end);
    char *copy = malloc(strlen(text) + 1);
    assert_non_null(copy);
    sprintf(copy, "%.*s%s", (int)(from - text), text, to);
    return copy;
}

/* As in files that were written before the model had it. */
static void an_optional_parameter_that_is_left_out_is_unknown(void **state)
{
    (void)state;
    cpm_model *m = random_lmo(3, 4), *back = NULL;
    cpm_error e = {0};
    m->value[CPM_LMO_M1][0] = 1000;
    char *text = packed(m), *shorter = without(text, "\"M1\"", "\"M2\"");
    assert_int_equal(cpm_model_unpack(shorter, strlen(shorter), "x.mod", &back, &e), CPM_OK);
    assert_true(isnan(back->value[CPM_LMO_M1][0]));
    refuse(without(text, "\"L\"", "\"invbeta\""), "\"parameters\"",
           "parameter 'L': expected an object, found nothing");
    free(text);
    free(shorter);
    cpm_model_free(m);
    cpm_model_free(back);
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    cpm_model *m = NULL;
    cpm_error e = {0};
    assert_int_equal(cpm_model_read("no-such.mod", &m, &e), CPM_EIO);
    assert_string_equal(e.text, "no-such.mod: cannot be read: No such file or directory");
    cpm_error_clear(&e);
    assert_int_equal(cpm_model_read(".", &m, &e), CPM_EIO);
    assert_non_null(strstr(e.text, "directory"));
    assert_null(m);
}

static void an_output_that_cannot_be_written_is_named(void **state)
{
    (void)state;
    cpm_model *m = random_hockney(2, 1);
    cpm_error e = {0};
    assert_int_equal(cpm_model_write(m, "no-such-folder/x.mod", &e), CPM_EIO);
    assert_non_null(strstr(e.text, "no-such-folder/x.mod: cannot be written: No such file"));
    cpm_error_clear(&e);
    assert_int_equal(cpm_model_write(m, ".", &e), CPM_EIO);
    cpm_model_free(m);
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    cpm_model *m = random_hockney(2, 1);
    cpm_error e = {0};
    assert_int_equal(cpm_model_write(m, "/dev/full", &e), CPM_EIO);
    assert_string_equal(e.text, "/dev/full: cannot be written: No space left on device");
    cpm_model_free(m);
}

static void a_special_file_stays_what_it_is(void **state)
{
    (void)state;
    struct stat before, after;
    cpm_model *m = random_hockney(2, 1);
    assert_int_equal(stat("/dev/null", &before), 0);
    assert_int_equal(cpm_model_write(m, "/dev/null", NULL), CPM_OK);
    assert_int_equal(stat("/dev/null", &after), 0);
    assert_true(S_ISCHR(after.st_mode) && before.st_ino == after.st_ino);
    cpm_model_free(m);
}

static void a_link_to_a_model_stays_a_link(void **state)
{
    (void)state;
    struct stat status;
    cpm_model *m = random_hockney(2, 1);
    assert_int_equal(cpm_model_write(m, "linked.mod", NULL), CPM_OK);
    unlink("link.mod");
    assert_int_equal(symlink("linked.mod", "link.mod"), 0);
    assert_int_equal(cpm_model_write(m, "link.mod", NULL), CPM_OK);
    assert_int_equal(lstat("link.mod", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    unlink("link.mod");
    unlink("linked.mod");
    cpm_model_free(m);
}

/* Files may not grow beyond 4 KiB for a while: a stand-in for a disk that fills up. */
static void a_write_that_fails_leaves_the_old_file_and_nothing_else(void **state)
{
    (void)state;
    cpm_model *small = random_hockney(2, 1), *large = random_hockney(60, 2), *back;
    struct rlimit old, tight;
    assert_int_equal(mkdir("full", 0777), 0);
    assert_int_equal(cpm_model_write(small, "full/x.mod", NULL), CPM_OK);
    getrlimit(RLIMIT_FSIZE, &old);
    tight = (struct rlimit){4096, old.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    cpm_error e = {0};
    int status = cpm_model_write(large, "full/x.mod", &e);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, CPM_EIO);
    assert_non_null(strstr(e.text, "full/x.mod: cannot be written"));
    assert_int_equal(cpm_model_read("full/x.mod", &back, NULL), CPM_OK);
    assert_models_equal(small, back);
    assert_int_equal(unlink("full/x.mod"), 0);
    assert_int_equal(rmdir("full"), 0); /* it is empty */
    cpm_model_free(back);
    cpm_model_free(small);
    cpm_model_free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_is_the_same_after_packing_and_unpacking),
        cmocka_unit_test(a_model_is_the_same_after_writing_and_reading),
        cmocka_unit_test(a_model_that_is_written_again_has_the_same_text),
        cmocka_unit_test(random_values_have_the_same_text_again),
        cmocka_unit_test(a_matrix_has_one_row_per_line),
        cmocka_unit_test(every_truncated_file_is_refused),
        cmocka_unit_test(a_file_with_any_byte_changed_is_read_or_refused),
        cmocka_unit_test(a_wrong_value_is_refused_with_its_line),
        cmocka_unit_test(a_wrong_header_is_refused_with_its_line),
        cmocka_unit_test(a_hand_edited_layout_is_read_and_its_lines_are_found),
        cmocka_unit_test(slightly_negative_network_times_are_kept),
        cmocka_unit_test(network_times_that_are_just_not_negative_are_read_again),
        cmocka_unit_test(a_model_that_could_not_be_read_is_not_written),
        cmocka_unit_test(an_optional_parameter_that_is_left_out_is_unknown),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(an_output_that_cannot_be_written_is_named),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(a_special_file_stays_what_it_is),
        cmocka_unit_test(a_link_to_a_model_stays_a_link),
        cmocka_unit_test(a_write_that_fails_leaves_the_old_file_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
