/* The decisions that are built into MPICH's library, whatever file is said to be that library. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "libraries/export.h"

static const char rules[] =
    "{\"format\": \"cpm table\", \"version\": 1, \"operations\": {\n"
    " \"bcast\": {\"4\": [{\"from\": 0, \"algorithm\": \"binomial\"},\n"
    "                 {\"from\": 9000, \"algorithm\": \"scatter-doubling\"}]},\n"
    " \"alltoall\": {\"6\": [{\"from\": 0, \"algorithm\": \"bruck\"}]},\n"
    " \"allreduce\": {\"2\": [{\"from\": 0, \"algorithm\": \"rab1-doubling\"}]}}}";

static cpm_table *table(void)
{
    static cpm_table *t;
    if (!t)
        cpm_table_unpack(rules, sizeof rules - 1, "rules", &t, NULL);
    fuzz_require(t, "the table reads");
    return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = NULL;
    size_t length = 0;
    cpm_exported counts;
    cpm_error e = {0};
    FILE *f = open_memstream(&text, &length);
    int status = cpm_export_mpich(table(), fuzz_file(data, size), false, f, &counts, &e);
    fclose(f);
    if (status)
        fuzz_require_sentence(status, &e);
    free(text);
    return 0;
}
