/* Outputs of other benchmarks, in every format that is imported. */
#include <math.h>

#include "fuzz/fuzz.h"
#include "measurements/import.h"

static void check(const cpm_measurements *m)
{
    fuzz_require(m->count > 0 && m->n >= 2, "what is imported was measured");
    for (int i = 0; i < m->count; i++) {
        const cpm_measurement *r = &m->at[i];
        fuzz_require(cpm_experiment_check(&r->what, m->n, NULL) == CPM_OK, "experiments can be");
        fuzz_require(isfinite(r->summary.median) && r->summary.median > 0, "times are times");
        fuzz_require(cpm_measurements_find(m, &r->what) == i, "and are found");
    }
}

static void read_as(const cpm_import_format *format, const char *path, bool paired)
{
    const cpm_import_file file[2] = {{path, paired ? 0 : -1, paired ? 1 : -1},
                                     {path, paired ? 1 : -1, paired ? 0 : -1}};
    cpm_measurements m = {0};
    cpm_error e = {0};
    const cpm_import_options options = {.format = format, .pairs_only = paired};
    int status = cpm_import(&options, file, 2, &m, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    else
        check(&m);
    cpm_measurements_clear(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    bool paired = fuzz_pick(data, size, 2) == 0;
    for (const cpm_import_format *const *f = cpm_import_formats; *f; f++)
        read_as(*f, path, paired);
    read_as(NULL, path, paired);
    return 0;
}
