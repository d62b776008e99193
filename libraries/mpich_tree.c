/* The trees are texts in the library's file, which are read from there so that what is exported
 * fits the library that is installed. There are several, for layers of the library: the one that
 * has the most collectives is the one for collectives as such. */
#include "libraries/mpich_tree.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_file.h"

/* gather and scatter have one algorithm each (and their sizes are counted in elements). */
const cpm_mpich_collective cpm_mpich_collectives[] = {
    {"bcast", "bcast", false, false},
    {"allgather", "allgather", true, false},
    {"allgatherv", "allgatherv", true, false},
    {"alltoall", "alltoall", false, true},
    {"reduce", "reduce", false, false},
    {"allreduce", "allreduce", false, false},
    {"reduce_scatter", "reduce_scatter", true, false},
    {"reduce_scatter_block", "reduce_scatter", true, false},
    {NULL, NULL, false, false},
};

static const char beginning[] = "{\"collective=";

/* Takes what begins at text if it says more than what is there. */
static void consider(cpm_mpich_library *l, const char *text)
{
    json_t *tree = json_loads(text, 0, NULL);
    if (json_object_size(tree) > json_object_size(l->tree)) {
        json_decref(l->tree);
        l->tree = json_incref(tree);
    }
    json_decref(tree);
}

static void find_tree(cpm_mpich_library *l)
{
    const char *end = l->content + l->size, *at = l->content;
    while ((at = memmem(at, (size_t)(end - at), beginning, sizeof beginning - 1)))
        consider(l, at++);
}

int cpm_mpich_library_read(const char *path, cpm_mpich_library *out, cpm_error *e)
{
    cpm_mpich_library l = {0};
    int status = cpm_text_read(path, &l.content, &l.size, e);
    if (status)
        return status;
    find_tree(&l);
    if (!l.tree || !json_object_get(l.tree, "collective=bcast")) {
        cpm_mpich_library_close(&l);
        return cpm_fail(
            e, CPM_EPARSE,
            "%s: is not a library of MPICH 4: its decisions are not in it (--mpich-library "
            "names another file)",
            path);
    }
    *out = l;
    return CPM_OK;
}

void cpm_mpich_library_close(cpm_mpich_library *l)
{
    json_decref(l->tree);
    free(l->content);
    *l = (cpm_mpich_library){0};
}

bool cpm_mpich_library_has(const cpm_mpich_library *l, const char *name)
{
    return memmem(l->content, l->size, name, strlen(name) + 1) != NULL;
}

/* ---- its decisions */

static json_t *copy(const json_t *tree, bool *failed);

/* The library takes "comm_size<8" for <= 8 behind a test of sizes. */
static void copy_test(json_t *to, const char *test, const json_t *below, bool *failed)
{
    static const char less[] = "comm_size<";
    char key[200];
    size_t length = sizeof less - 1;
    bool is_less = strncmp(test, less, length) == 0 && test[length] != '=';
    long processes = is_less ? strtol(test + length, NULL, 10) : 0;
    if (processes > 0 && processes <= INT_MAX)
        snprintf(key, sizeof key, "comm_size<=%ld", processes - 1);
    else
        snprintf(key, sizeof key, "%s", test);
    if (json_object_set_new(to, key, copy(below, failed)) != 0)
        *failed = true;
}

static json_t *copy(const json_t *tree, bool *failed)
{
    json_t *to = json_object();
    const char *test;
    json_t *below;
    *failed = *failed || !to;
    json_object_foreach((json_t *)tree, test, below)
    {
        copy_test(to, test, below, failed);
    }
    return to;
}

json_t *cpm_mpich_decision(const cpm_mpich_library *l, const cpm_mpich_collective *c, bool *failed)
{
    char key[60];
    snprintf(key, sizeof key, "collective=%s", c->name);
    const json_t *all = json_object_get(l->tree, key);
    const json_t *tree = json_object_get(all, "comm_type=intra");
    return tree ? copy(tree, failed) : NULL;
}
