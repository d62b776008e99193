/* The API, decision tables and programs at run time ask one selector: the same question has the
 * same answer. While a program runs a whole class of sizes has one; a table has borders inside of
 * classes, too, and then its answer is at least as fast. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../models/random_model.h"
#include "cpm/cpm.h"
#include "models/predict.h"
#include "selection/model_selector.h"
#include "tables/table_selector.h"
#include "tables/tabulate.h"

enum { LARGEST = 256 * 1024, QUESTIONS = 250 };

typedef struct {
    const cpm_model *model;
    cpm_selector *selector, *tabled;
} asked;

static cpm_table *table_of(const cpm_model *m)
{
    cpm_table *t = calloc(1, sizeof *t);
    cpm_sizes sizes = {0};
    cpm_error e = {0};
    assert_non_null(t);
    assert_int_equal(cpm_sizes_parse("0:256K", &sizes, NULL), CPM_OK);
    for (const cpm_operation *o = cpm_operations; o->name; o++)
        if (!o->like && cpm_tabulate(t, m, &CPM_SELECTOR_OWN, o, 0, &sizes, &e))
            fail_msg("%s", e.text);
    cpm_sizes_free(&sizes);
    return t;
}

static cpm_collective answer_of(cpm_selector *s, const cpm_request *r)
{
    cpm_choice c = {0};
    cpm_error e = {0};
    if (s->choose(s, r, &c, &e))
        fail_msg("%s", e.text);
    const cpm_collective what = cpm_request_collective(r, &c.what);
    cpm_choice_clear(&c);
    return what;
}

static void assert_same(const cpm_collective *a, const cpm_collective *b, size_t bytes,
                        const char *where)
{
    char one[CPM_COLLECTIVE_NAME], other[CPM_COLLECTIVE_NAME];
    cpm_collective_print(a, one, sizeof one);
    cpm_collective_print(b, other, sizeof other);
    if (!cpm_collective_same(a, b))
        fail_msg("%zu bytes on %d processes: %s, but %s says %s", bytes, a->at.n, one, where,
                 other);
}

/* A table is for the very size, a decision for a class of sizes by its largest: the table may name
 * what is faster there, and nothing that is a hundredth slower. */
static void assert_as_good(const asked *x, const cpm_collective *by_table,
                           const cpm_collective *at_run_time, size_t bytes)
{
    if (cpm_collective_same(by_table, at_run_time))
        return;
    double table = cpm_predict_bytes(x->model, by_table, bytes, NULL, NULL, NULL),
           other = cpm_predict_bytes(x->model, at_run_time, bytes, NULL, NULL, NULL);
    if (!(table <= 1.01 * other))
        assert_same(at_run_time, by_table, bytes, "the table");
}

static void ask_all(const asked *x, const cpm_operation *o, size_t bytes)
{
    const cpm_request r = {.operation = o, .n = x->model->n, .bytes = bytes};
    const cpm_collective at_run_time = answer_of(x->selector, &r);
    const cpm_collective by_table = answer_of(x->tabled, &r);
    assert_as_good(x, &by_table, &at_run_time, bytes);
    cpm_selection selected;
    cpm_collective by_api;
    cpm_error e = {0};
    if (cpm_select(x->model, o->name, &(cpm_case){.bytes = bytes}, &selected, &e) ||
        cpm_collective_parse(selected.collective, &by_api, &e))
        fail_msg("%s", e.text);
    assert_same(&at_run_time, &by_api, bytes, "cpm_select");
}

static void all_say_the_same(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        unsigned seed = (unsigned)k + 1;
        cpm_model *m = k % 2 ? random_hockney(5 + k, seed) : random_lmo(5 + k, seed);
        cpm_table *t = table_of(m);
        asked x = {.model = m};
        assert_int_equal(cpm_selector_of_model(m, &CPM_SELECTOR_OWN, &x.selector, NULL), CPM_OK);
        assert_int_equal(cpm_selector_of_table(t, &x.tabled, NULL), CPM_OK);
        for (int q = 0; q < QUESTIONS; q++) {
            const cpm_operation *o = &cpm_operations[rand() % CPM_OPERATIONS];
            size_t bytes = (size_t)rand() % LARGEST;
            bytes >>= rand() % 16;
            if (!cpm_operation_is_of_neighbours(o))
                ask_all(&x, o, bytes);
        }
        x.selector->free(x.selector);
        x.tabled->free(x.tabled);
        cpm_table_free(t);
        cpm_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_say_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
