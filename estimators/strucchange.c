/* Finds and loads the module that holds the embedded R; who does not fit thresholds pays nothing.
 */
#include "estimators/strucchange.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/installed.h"
#include "estimators/r/strucchange_r.h"

#define INSTALL_HINT \
    "install r-base-core and r-cran-strucchange, or fit without thresholds (--no-thresholds)"

typedef int breakpoints_function(const double *x, const double *y, int count, int max_breaks,
                                 int *break_index, int *breaks, char *message, size_t size);

/* CPM_R_MODULE, else cpm/cpm-r.so among CPM's libraries. */
static bool module_path(char *path, size_t size)
{
    const char *chosen = getenv("CPM_R_MODULE");
    if (!chosen || !*chosen)
        return cpm_installed("cpm/cpm-r.so", path, size);
    snprintf(path, size, "%s", chosen);
    return true;
}

/* The module stays loaded: R cannot be started twice in a process. */
static breakpoints_function *load(cpm_error *e)
{
    char path[1024];
    if (!module_path(path, sizeof path)) {
        cpm_fail(e, CPM_ER, "the module with R is not found; " INSTALL_HINT);
        return NULL;
    }
    void *module = dlopen(path, RTLD_LAZY | RTLD_GLOBAL | RTLD_NODELETE);
    breakpoints_function *function = NULL;
    if (module)
        *(void **)&function = dlsym(module, "cpm_r_breakpoints");
    if (!function)
        cpm_fail(e, CPM_ER, "R cannot be loaded (%s); " INSTALL_HINT, dlerror());
    return function;
}

int cpm_breakpoints(const double *x, const double *y, int count, int max_breaks, int *break_index,
                    int *breaks, cpm_error *e)
{
    char message[300] = "";
    if (count < 10)
        return cpm_fail(e, CPM_EDATA, "structural change needs at least 10 points, not %d", count);
    breakpoints_function *function = load(e);
    if (!function)
        return CPM_ER;
    int found;
    if (function(x, y, count, max_breaks, break_index, &found, message, sizeof message))
        return cpm_fail(e, CPM_ER, "R: %s; " INSTALL_HINT, message);
    *breaks = found;
    return CPM_OK;
}
