/* Hosts at switches with trunks, for tests. After cmocka's headers. */
#ifndef CPM_TESTS_AT_SWITCHES_H
#define CPM_TESTS_AT_SWITCHES_H

#include "../models/random_model.h"

enum { N = 12, SWITCHES = 3 };

/* Hosts at three switches in turn. */
static inline cpm_model *at_switches(void)
{
    cpm_model *m = random_lmo2(N, 1);
    static const char *const name[SWITCHES] = {"a", "b", "c"};
    cpm_classes switches;
    int of[N];
    for (int i = 0; i < N; i++)
        of[i] = i % SWITCHES;
    assert_int_equal(cpm_classes_create(N, of, SWITCHES, name, &switches, NULL), CPM_OK);
    assert_int_equal(cpm_model_set_switches(m, &switches, NULL), CPM_OK);
    cpm_classes_clear(&switches);
    for (int s = 0; s < SWITCHES; s++)
        m->value[CPM_LMO2_UP][s] = m->value[CPM_LMO2_DOWN][s] = 1e-9;
    return m;
}

#endif
