/* Decision tables: read, written, followed, and exported. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "libraries/export.h"
#include "tables/table_selector.h"

static char *written(const cpm_table *t)
{
    fuzz_capture();
    fuzz_require(cpm_table_write(t, "-", NULL) == CPM_OK, "a table that was read is written");
    return fuzz_captured();
}

static void check_written(const cpm_table *t)
{
    cpm_table *again = NULL;
    char *first = written(t);
    fuzz_require(cpm_table_unpack(first, strlen(first), "again", &again, NULL) == CPM_OK,
                 "what is written reads");
    char *second = written(again);
    fuzz_require_same(first, second, "what is written reads the same");
    cpm_table_free(again);
    free(first);
    free(second);
}

static void follow(const cpm_table *t, const uint8_t *data, size_t size)
{
    cpm_selector *s = NULL;
    cpm_choice answer = {0};
    cpm_error e = {0};
    const cpm_request r = {.operation = &cpm_operations[fuzz_pick(data, size, CPM_OPERATIONS)],
                           .n = 1 + fuzz_pick(data, size, 9),
                           .bytes = (size_t)1 << fuzz_pick(data, size, 40)};
    fuzz_require(cpm_selector_of_table(t, &s, &e) == CPM_OK, "a table decides");
    fuzz_require(s->choose(s, &r, &answer, &e) == CPM_OK, "a table answers");
    fuzz_require(answer.least <= r.bytes && r.bytes <= answer.most,
                 "an answer is one for the size");
    fuzz_require(!answer.what.algorithm || cpm_request_allows(&r, &answer.what, NULL) == CPM_OK,
                 "an answer can be run");
    free(answer.expected);
    s->free(s);
}

static void export(const cpm_table *t)
{
    static const char library[] = "{\"collective=bcast\": {\"comm_type=intra\": {\"comm_size<8\": "
                                  "{\"algorithm=MPIR_Bcast_intra_binomial\": {}}}}}\0"
                                  "MPIR_Bcast_intra_binomial";
    char *text = NULL;
    size_t size = 0;
    cpm_exported counts;
    cpm_error e = {0};
    FILE *f = open_memstream(&text, &size);
    cpm_export_openmpi(t, false, f, &counts);
    fuzz_require(counts.left <= counts.rules, "no more rules are left than there are");
    fuzz_require(cpm_export_mpich(t, fuzz_file(library, sizeof library), true, f, &counts, &e) ==
                     CPM_OK,
                 "a table is exported");
    fclose(f);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    cpm_table *t = NULL;
    cpm_error e = {0};
    int status = cpm_table_unpack(text, size, "input", &t, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    else {
        check_written(t);
        follow(t, data, size);
        export(t);
    }
    cpm_table_free(t);
    free(text);
    return 0;
}
