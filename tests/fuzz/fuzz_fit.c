/* Models from arbitrary measurements: what is fitted can be written, judged and predicts. */
#include <stdlib.h>
#include <string.h>

#include "diagnose/diff.h"
#include "diagnose/doctor.h"
#include "estimators/estimator.h"
#include "estimators/residuals.h"
#include "fuzz/fuzz.h"

enum { MOST = 24 }; /* processes: the fits are cubic in them */

static void judge(const cpm_model *m, const cpm_measurements *results)
{
    cpm_residual *r = NULL;
    int count = 0;
    cpm_model *alone = NULL;
    cpm_diagnosis d = {0};
    cpm_diff_result changes = {0};
    cpm_residuals(m, results, true, &r, &count, NULL);
    free(r);
    if (cpm_model_expand(m, &alone, NULL) == CPM_OK &&
        cpm_diagnose(alone, results, &CPM_DOCTOR_DEFAULT, &d, NULL) == CPM_OK)
        cpm_diagnosis_clear(&d);
    if (cpm_diff_models(m, m, &CPM_DIFF_DEFAULT, &changes, NULL) == CPM_OK) {
        fuzz_require(changes.count == 0, "a model does not differ from itself");
        cpm_diff_clear(&changes);
    }
    cpm_model_free(alone);
}

static void check(const cpm_model *m, const cpm_measurements *results)
{
    char *text = NULL;
    cpm_model *again = NULL;
    cpm_error e = {0};
    int status = cpm_model_pack(m, &text, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    else {
        fuzz_require(cpm_model_unpack(text, strlen(text), "x", &again, &e) == CPM_OK,
                     "a model that was fitted reads");
        judge(m, results);
    }
    free(text);
    cpm_model_free(again);
}

static const cpm_estimator *pick(const uint8_t *data, size_t size)
{
    int count = 0;
    while (cpm_estimators[count].model)
        count++;
    return &cpm_estimators[fuzz_pick(data, size, count)];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cpm_measurements results = {0};
    cpm_model *m = NULL;
    cpm_error e = {0};
    cpm_estimation options = CPM_ESTIMATION_DEFAULT;
    options.thresholds = false; /* R's matter */
    options.find_classes = fuzz_pick(data, size, 5) == 0;
    if (cpm_measurements_read(fuzz_file(data, size), &results, NULL, NULL))
        return 0;
    int status = results.n > MOST
                     ? CPM_EPROCESS
                     : cpm_estimate(pick(data, size), &options, &results, "x", NULL, &m, &e);
    if (!status)
        check(m, &results);
    else if (e.code)
        fuzz_require_sentence(status, &e);
    cpm_model_free(m);
    cpm_measurements_clear(&results);
    return 0;
}
