/* Models: .mod files that are read, written, regrouped, exported, and predict. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "models/model.h"
#include "models/predict.h"
#include "models/simgrid.h"

enum { MOST = 24 }; /* processes with which a collective is predicted */

static char *packed(const cpm_model *m)
{
    char *text = NULL;
    fuzz_require(cpm_model_pack(m, &text, NULL) == CPM_OK, "a model that was read is written");
    return text;
}

/* Written, read and written again is the same text. */
static void check_written(const cpm_model *m)
{
    cpm_model *again = NULL;
    char *first = packed(m);
    fuzz_require(cpm_model_unpack(first, strlen(first), "again", &again, NULL) == CPM_OK,
                 "what is written reads");
    char *second = packed(again);
    fuzz_require_same(first, second, "what is written reads the same");
    cpm_model_free(again);
    free(first);
    free(second);
}

static void require_time(double seconds, const cpm_error *e)
{
    fuzz_require(seconds >= 0 || e->code, "a time is from 0 on, or there is a reason");
    fuzz_require(!isnan(seconds), "a time is a number");
}

static void predict(const cpm_model *m, const uint8_t *data, size_t size)
{
    int rows = 0;
    while (cpm_algorithms[rows].name)
        rows++;
    const cpm_algorithm *a = &cpm_algorithms[fuzz_pick(data, size, rows)];
    size_t bytes = (size_t)1 << fuzz_pick(data, size, 31);
    double finish[MOST];
    cpm_collective c;
    cpm_error e = {0};
    if (cpm_collective_of(a, &c, &e))
        return;
    c.at = (cpm_placement){.n = m->n, .root = c.operation->rooted ? m->n - 1 : 0};
    require_time(cpm_predict_bytes(m, &c, bytes, NULL, finish, &e), &e);
}

static void export(const cpm_model *m)
{
    char *text = NULL;
    size_t size = 0;
    cpm_error e = {0};
    FILE *f = open_memstream(&text, &size);
    int status = cpm_model_write_simgrid(m, f, &e);
    fclose(f);
    if (status)
        fuzz_require_sentence(status, &e);
    free(text);
}

static void check_others(const cpm_model *m)
{
    cpm_model *average = NULL, *alone = NULL;
    if (cpm_model_average(m, &average, NULL) == CPM_OK)
        check_written(average);
    if (cpm_model_expand(m, &alone, NULL) == CPM_OK)
        check_written(alone);
    cpm_model_free(average);
    cpm_model_free(alone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    cpm_model *m = NULL;
    cpm_error e = {0};
    int status = cpm_model_unpack(text, size, "input", &m, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    else
        check_written(m);
    if (!status && m->n <= MOST) {
        predict(m, data, size);
        check_others(m);
        export(m);
    }
    cpm_model_free(m);
    free(text);
    return 0;
}
