/* Models that know links inside a network: what messages share, their file, other hosts. */
#include "hosts_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/layout.h"
#include "models/simgrid.h"
#include "together.h"

static const double slow = 40e-9; /* seconds per byte: no host is that slow */

/* Six hosts; messages from the first half to the other share a slow link, all from host 5 another
 * one, of which nothing is known. */
static cpm_model *linked(void)
{
    cpm_model *m = random_lmo2(6, 4);
    cpm_links l;
    assert_int_equal(cpm_links_of_line("east 0-2 > 3-5 | last 5 > 0-4", 6, &l, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_links(m, &l, NULL), CPM_OK);
    m->value[CPM_LMO2_LINK][0] = slow;
    cpm_links_clear(&l);
    return m;
}

static void expect_links(const cpm_model *m, const char *line)
{
    char *text;
    assert_int_equal(cpm_links_line(&m->links, &text, NULL), CPM_OK);
    assert_string_equal(text, line);
    free(text);
}

static void messages_on_a_link_share_it(void **state)
{
    (void)state;
    static const int east[][2] = {{0, 3}, {1, 4}, {2, 5}}, west[][2] = {{3, 0}, {4, 1}, {5, 2}};
    cpm_model *m = linked(), *plain = random_lmo2(6, 4);
    double three = together(m, east, 3, 60000);
    assert_true(three > 3 * 60000 * slow && three < 3 * 60000 * slow + 2e-3);
    assert_true(together(plain, east, 3, 60000) < 60000 * slow);
    assert_true(together(m, west, 3, 60000) == together(plain, west, 3, 60000));
    cpm_model_free(plain);
    cpm_model_free(m);
}

static void a_file_keeps_links(void **state)
{
    (void)state;
    cpm_model *m = linked(), *back;
    char *text, *again;
    cpm_error e = {0};
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    if (cpm_model_unpack(text, strlen(text), "x.mod", &back, &e))
        fail_msg("%s", e.text);
    expect_links(back, "east 0-2 > 3-5 | last 5 > 0-4");
    assert_true(back->value[CPM_LMO2_LINK][0] == slow && isnan(back->value[CPM_LMO2_LINK][1]));
    assert_int_equal(cpm_model_pack(back, &again, NULL), CPM_OK);
    assert_string_equal(again, text);
    free(again);
    free(text);
    cpm_model_free(back);
    cpm_model_free(m);
}

static int times(const char *text, const char *word)
{
    int count = 0;
    while ((text = strstr(text, word))) {
        text += strlen(word);
        count++;
    }
    return count;
}

/* Nine pairs of the slow link; what is not known of the other is no link. */
static void a_platform_has_links_on_the_ways_of_their_pairs(void **state)
{
    (void)state;
    cpm_model *m = linked();
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(cpm_model_write_simgrid(m, out, NULL), CPM_OK);
    fclose(out);
    assert_int_equal(times(text, "<link id=\"inner0\" bandwidth=\"25000000Bps\""), 1);
    assert_int_equal(times(text, "<link_ctn id=\"inner0\"/>"), 9);
    assert_int_equal(times(text, "<link_ctn id=\"l2_3\"/><link_ctn id=\"inner0\"/>"), 1);
    assert_int_equal(times(text, "inner1"), 0);
    free(text);
    cpm_model_free(m);
}

static void a_model_without_links_says_nothing_of_them(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(6, 4);
    char *text;
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    assert_null(strstr(text, "\"links\""));
    assert_null(strstr(text, "\"Gl\""));
    free(text);
    cpm_model_free(m);
}

/* The text of the model with one place changed is refused with that sentence. */
static void refused(const char *old, const char *new, const char *sentence)
{
    cpm_model *m = linked(), *back = NULL;
    char *text, *changed;
    cpm_error e = {0};
    assert_int_equal(cpm_model_pack(m, &text, NULL), CPM_OK);
    char *place = strstr(text, old);
    assert_non_null(place);
    assert_true(
        asprintf(&changed, "%.*s%s%s", (int)(place - text), text, new, place + strlen(old)) > 0);
    assert_int_equal(cpm_model_unpack(changed, strlen(changed), "x.mod", &back, &e), CPM_EPARSE);
    if (strncmp(e.text, "x.mod:", 6) != 0 || !strstr(e.text, sentence))
        fail_msg("expected \"%s\" in \"%s\"", sentence, e.text);
    cpm_error_clear(&e);
    free(changed);
    free(text);
    cpm_model_free(m);
}

static void bad_links_of_a_file_are_refused(void **state)
{
    (void)state;
    refused("\"0-2 > 3-5\"", "\"0-2 > 3-6\"", "expected '0-3,8 > 4-7' or '<>' with hosts 0 to 5");
    refused("\"0-2 > 3-5\"", "\"0-2\"", "found '0-2'");
    refused("\"0-2 > 3-5\"", "7", "expected a text like '0-3 > 4-7' as \"east\"");
    refused("\"0-2 > 3-5\"", "\"2 > 2\"", "link 'east' is used by no pair of hosts");
    refused("\"east\"", "\"a | b\"", "link 'a | b': expected a name");
    refused("\"links\"", "\"links\": [], \"lonks\"", "expected an object of links and who uses");
    refused("\"links\"", "\"lonks\"", "links, which (\"links\") are missing");
}

static void some_hosts_keep_their_links(void **state)
{
    (void)state;
    static const int most[] = {4, 1, 2, 5}, few[] = {0, 1, 2};
    cpm_model *m = linked(), *part;
    assert_int_equal(cpm_model_subset(m, most, 4, &part, NULL), CPM_OK);
    expect_links(part, "east 1-2 > 0,3 | last 3 > 0-2");
    assert_true(part->value[CPM_LMO2_LINK][0] == slow && isnan(part->value[CPM_LMO2_LINK][1]));
    cpm_model_free(part);
    assert_int_equal(cpm_model_subset(m, few, 3, &part, NULL), CPM_OK);
    assert_int_equal(part->links.count, 0);
    cpm_model_free(part);
    cpm_model_free(m);
}

static void a_layout_keeps_links_and_more_hosts_are_refused(void **state)
{
    (void)state;
    static const int host[] = {0, 0, 1, 1, 2, 2, 3, 3};
    cpm_model *m = hosts_model(host, 8, 5), *other;
    cpm_links l;
    cpm_hosts layout;
    cpm_error e = {0};
    assert_int_equal(cpm_links_of_line("x 0-1 > 2-3", 4, &l, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_links(m, &l, NULL), CPM_OK);
    cpm_links_clear(&l);
    m->value[CPM_LMO2_LINK][0] = slow;
    assert_int_equal(cpm_hosts_regular(3, 2, false, &layout, NULL), CPM_OK);
    assert_int_equal(cpm_model_lay_out(m, &layout, &other, NULL), CPM_OK);
    expect_links(other, "x 0-1 > 2");
    assert_true(other->value[CPM_LMO2_LINK][0] == slow);
    cpm_model_free(other);
    cpm_hosts_clear(&layout);
    assert_int_equal(cpm_hosts_regular(6, 2, false, &layout, NULL), CPM_OK);
    assert_int_equal(cpm_model_lay_out(m, &layout, &other, &e), CPM_EDATA);
    assert_true(*e.text);
    cpm_error_clear(&e);
    cpm_hosts_clear(&layout);
    cpm_model_free(m);
}

static void links_of_other_hosts_are_refused(void **state)
{
    (void)state;
    cpm_model *m = random_lmo2(6, 4);
    cpm_links l;
    cpm_error e = {0};
    assert_int_equal(cpm_links_of_line("x 0-2 > 3", 4, &l, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_links(m, &l, &e), CPM_EINVAL);
    assert_string_equal(e.text, "links of 4 hosts for a model of 6");
    cpm_links_clear(&l);
    cpm_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_on_a_link_share_it),
        cmocka_unit_test(a_file_keeps_links),
        cmocka_unit_test(a_platform_has_links_on_the_ways_of_their_pairs),
        cmocka_unit_test(a_model_without_links_says_nothing_of_them),
        cmocka_unit_test(bad_links_of_a_file_are_refused),
        cmocka_unit_test(some_hosts_keep_their_links),
        cmocka_unit_test(a_layout_keeps_links_and_more_hosts_are_refused),
        cmocka_unit_test(links_of_other_hosts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
