/* Loads a model and says how long each scatter that applies would take, and which one to use: on
 * the processes of the model, or on others on its hosts (8 hosts with 32 each). Needs no MPI.
 * predict.cpp is an example in C++.
 *
 *   ./predict cluster.mod 64K
 *   ./predict cluster.mod 64K 8x32                                                             */
#include <cpm/cpm.h>
#include <stdio.h>

/* Those that do not apply to so many processes are left out. */
static void print_times(const cpm_model *model, const cpm_case *c)
{
    cpm_algorithm_info a;
    for (int k = 0; cpm_algorithm_get("scatter", k, &a); k++) {
        char name[128];
        snprintf(name, sizeof name, "scatter:%s", a.name);
        double seconds = cpm_predict(model, name, c, NULL, NULL);
        if (seconds >= 0)
            printf("%-22s %10.1f us\n", name, seconds * 1e6);
    }
}

static int predict(const cpm_model *model, size_t bytes, cpm_error *e)
{
    const cpm_case c = {.root = 0, .bytes = bytes};
    cpm_selection best;
    print_times(model, &c);
    int status = cpm_select(model, "scatter", &c, &best, e);
    if (!status)
        printf("fastest: %s\n", best.collective);
    return status;
}

static int predict_layout(const cpm_model *model, const char *layout, size_t bytes, cpm_error *e)
{
    cpm_model *other = NULL;
    int status = cpm_model_for_layout(model, layout, "block", &other, e);
    if (!status)
        status = predict(other, bytes, e);
    cpm_model_free(other);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: predict MODEL.mod SIZE [HOSTSxEACH]\n");
        return 2;
    }
    cpm_error e = {0};
    cpm_model *model = NULL;
    size_t bytes = 0;
    int status = cpm_size_parse(argv[2], &bytes, &e);
    if (!status)
        status = cpm_model_read(argv[1], &model, &e);
    if (!status && argc == 4)
        predict_layout(model, argv[3], bytes, &e);
    else if (!status)
        predict(model, bytes, &e);
    cpm_model_free(model);
    if (e.code)
        fprintf(stderr, "predict: %s\n", e.text);
    return e.code ? 1 : 0;
}
