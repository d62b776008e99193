/* Files of lessons: read, written, merged with themselves, and read as decision tables. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "history/tuning_history.h"
#include "tables/decision_table.h"

static void check_written(const cpm_tuning_history *all)
{
    cpm_tuning_history again = {0};
    cpm_table *t = NULL;
    char *first = cpm_tuning_history_text(all);
    fuzz_require(first, "lessons that were read are written");
    fuzz_require(cpm_tuning_history_unpack(first, strlen(first), "again", &again, NULL) == CPM_OK,
                 "what is written reads");
    fuzz_require(again.count == all->count, "all is written");
    char *second = cpm_tuning_history_text(&again);
    fuzz_require_same(first, second, "what is written reads the same");
    fuzz_require(cpm_table_unpack(first, strlen(first), "again", &t, NULL) == CPM_OK,
                 "lessons are a decision table");
    cpm_table_free(t);
    cpm_tuning_history_clear(&again);
    free(first);
    free(second);
}

static void check_merged(cpm_tuning_history *all)
{
    cpm_tuning_history copy = {0};
    fuzz_require(cpm_tuning_history_add_all(&copy, all, NULL) == CPM_OK, "lessons are copied");
    fuzz_require(cpm_tuning_history_add_all(all, &copy, NULL) == CPM_OK, "lessons are merged");
    fuzz_require(all->count == copy.count, "what is known is not added");
    for (int k = 0; k < all->count; k++) {
        const cpm_lesson_figure *best = cpm_lesson_best(&all->at[k]);
        fuzz_require(!best || cpm_lesson_praises(best), "the best is praised");
        fuzz_require(cpm_tuning_history_find(all, &copy.at[k]) == &all->at[k], "each is found");
    }
    cpm_tuning_history_clear(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    cpm_tuning_history all = {0};
    cpm_error e = {0};
    int status = cpm_tuning_history_unpack(text, strlen(text), "input", &all, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    check_written(&all);
    check_merged(&all);
    cpm_tuning_history_clear(&all);
    free(text);
    return 0;
}
