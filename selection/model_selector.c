/* Chooses what a model predicts to be the fastest: a first version. */
#include <stdlib.h>
#include <string.h>

#include "selection/selector.h"

typedef struct {
    cpm_selector base;
    const cpm_model *model;
} by_model;

static int choose(cpm_selector *s, const cpm_request *r, cpm_choice *out, cpm_error *e)
{
    const cpm_model *m = ((by_model *)s)->model;
    cpm_choice best = {.least = r->bytes, .most = r->bytes, .by_sizes = r->sizes != NULL};
    double least = 0, *finish = malloc((size_t)r->n * sizeof *finish);
    best.expected = malloc((size_t)r->n * sizeof *finish);
    if (!finish || !best.expected) {
        free(finish);
        cpm_choice_clear(&best);
        return cpm_fail(e, CPM_ENOMEM, "no memory for %d processes", r->n);
    }
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        cpm_choice c = {.algorithm = a};
        cpm_call call = {.n = r->n, .root = r->root, .bytes = r->bytes, .sizes = r->sizes};
        if (cpm_request_allows(r, &c, NULL))
            continue;
        double seconds = cpm_predict_call(m, a, &call, finish, NULL);
        if (seconds < 0 || (best.algorithm && seconds >= least))
            continue;
        least = seconds;
        best.algorithm = a;
        memcpy(best.expected, finish, (size_t)r->n * sizeof *finish);
    }
    free(finish);
    *out = best;
    return CPM_OK;
}

static void finish_selector(cpm_selector *s)
{
    free(s);
}

int cpm_selector_of_model(const cpm_model *m, const cpm_selector_options *options,
                          cpm_selector **out, cpm_error *e)
{
    (void)options;
    by_model *s = malloc(sizeof *s);
    if (!s)
        return cpm_fail(e, CPM_ENOMEM, "no memory for a selection");
    *s = (by_model){{choose, finish_selector}, m};
    *out = &s->base;
    return CPM_OK;
}
