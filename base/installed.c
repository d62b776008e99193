/* Finds the other libraries of an installation, which may have been moved, or of a build. */
#include "base/installed.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The file that this code is in: a library, or a program, whose name the linker does not know. */
static bool own_file(char path[PATH_MAX])
{
    Dl_info info;
    struct link_map *own = NULL;
    if (!dladdr1((void *)(size_t)own_file, &info, (void **)&own, RTLD_DL_LINKMAP))
        return false;
    if (own->l_name[0])
        return snprintf(path, PATH_MAX, "%s", own->l_name) < PATH_MAX;
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static bool is_at(const char *folder, const char *place, const char *name, char *path, size_t size)
{
    int length = snprintf(path, size, "%s%s%s", folder, place, name);
    return length > 0 && (size_t)length < size && access(path, R_OK) == 0;
}

bool cpm_installed(const char *name, char *path, size_t size)
{
    char folder[PATH_MAX];
    char *slash = own_file(folder) ? strrchr(folder, '/') : NULL;
    if (slash) {
        slash[1] = '\0';
        if (is_at(folder, "", name, path, size) ||
            is_at(folder, CPM_LIBRARIES_FROM_PROGRAMS "/", name, path, size))
            return true;
    }
    return *CPM_BUILT_LIBRARIES && is_at(CPM_BUILT_LIBRARIES, "/", name, path, size);
}
