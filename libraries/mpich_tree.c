/* The trees are texts in the library's file, which are read from there so that what is exported
 * fits the library that is installed. There are several, for layers of the library: the one that
 * has the most collectives is the one for collectives as such. */
#include "libraries/mpich_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/text_file.h"

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
        return cpm_fail(e, CPM_EPARSE,
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
