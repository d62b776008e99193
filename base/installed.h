/* Where CPM's libraries are. */
#ifndef CPM_BASE_INSTALLED_H
#define CPM_BASE_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>

/* The path of a file among CPM's libraries ("libcpm-tuned.so"): beside the library that this code
 * is in, or where an installed command or one in its build folder has them. False if it is not
 * there, or size is too small. */
bool cpm_installed(const char *name, char *path, size_t size);

#endif
