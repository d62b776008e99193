/* Experiments by name: "train", "bcast:chain:segment=8192". */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "measurements/experiment.h"

static void check(cpm_experiment x)
{
    char name[CPM_EXPERIMENT_NAME];
    cpm_experiment again = {0};
    cpm_experiment_name(&x, name, sizeof name);
    fuzz_require(cpm_experiment_parse(name, &again, NULL) == CPM_OK, "a name reads");
    again.i = x.i = 0;
    again.j = x.j = x.kind ? 1 : -1;
    again.k = x.k = x.kind && x.kind->processes == 3 ? 2 : -1;
    again.count = x.count = 1;
    fuzz_require(cpm_experiment_equal(&x, &again), "a name that is printed reads the same");
    fuzz_require(cpm_experiment_check(&x, 3, NULL) == CPM_OK, "there can be such an experiment");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    cpm_experiment x = {0};
    cpm_error e = {0};
    int status = cpm_experiment_parse(text, &x, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    else
        check(x);
    free(text);
    return 0;
}
