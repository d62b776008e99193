/* Maps: who sits where in a tree. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "mapping/map_file.h"

static char *printed(const cpm_map *m)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    cpm_map_print(m, NULL, f);
    fclose(f);
    return text;
}

static void check_tree(const cpm_mapping *t)
{
    bool *seated = calloc((size_t)t->n, sizeof *seated);
    fuzz_require(seated, "there is memory");
    for (int v = 0; v < t->n; v++) {
        fuzz_require(t->process[v] >= 0 && t->process[v] < t->n, "processes are those of the map");
        fuzz_require(!seated[t->process[v]], "each sits at one node");
        seated[t->process[v]] = true;
        if (t->parent)
            fuzz_require(v ? t->parent[v] >= 0 && t->parent[v] < v : t->parent[0] == -1,
                         "parents are lower nodes");
    }
    free(seated);
}

static void check_printed(const cpm_map *m)
{
    cpm_map *again = NULL;
    char *first = printed(m);
    fuzz_require(cpm_map_read(fuzz_file(first, strlen(first)), &again, NULL) == CPM_OK,
                 "what is printed reads");
    char *second = printed(again);
    fuzz_require_same(first, second, "what is printed reads the same");
    cpm_map_free(again);
    free(first);
    free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cpm_map *m = NULL;
    cpm_error e = {0};
    int status = cpm_map_read(fuzz_file(data, size), &m, &e);
    if (status) {
        fuzz_require_sentence(status, &e);
        return 0;
    }
    check_tree(&m->mapping);
    check_printed(m);
    cpm_map_free(m);
    return 0;
}
