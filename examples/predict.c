/* Loads a model and says how long each scatter that applies would take, and which one to use. Needs
 * no MPI.
 *
 *   ./predict cluster.mod 64K                                                                  */
#include <stdio.h>
#include <string.h>

#include "cpm/cpm.h"

static int print_times(const cpm_model *model, size_t bytes, cpm_error *e)
{
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        if (strcmp(a->operation, "scatter") != 0 ||
            cpm_algorithm_applies(a, &(cpm_call){.n = model->n}, NULL))
            continue;
        double seconds = cpm_predict(model, a->operation, a->name, bytes, 0, e);
        if (seconds < 0)
            return e->code;
        printf("scatter:%-14s %10.1f us\n", a->name, seconds * 1e6);
    }
    return CPM_OK;
}

static int predict(const cpm_model *model, size_t bytes, cpm_error *e)
{
    if (print_times(model, bytes, e))
        return e->code;
    const cpm_algorithm *best = cpm_select(model, "scatter", bytes, 0, NULL, e);
    if (!best)
        return e->code;
    printf("fastest: %s\n", best->name);
    return CPM_OK;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: predict MODEL.mod SIZE\n");
        return 2;
    }
    cpm_error e = {0};
    cpm_model *model = NULL;
    size_t bytes = 0;
    if (!cpm_size_parse(argv[2], &bytes, &e) && !cpm_model_read(argv[1], &model, &e))
        predict(model, bytes, &e);
    cpm_model_free(model);
    if (e.code)
        fprintf(stderr, "predict: %s\n", e.text);
    return e.code ? 1 : 0;
}
