/* Names that something can have, for who reads them, refuses others, or offers them. */
#ifndef CPM_BASE_NAMES_H
#define CPM_BASE_NAMES_H

#include <stddef.h>

#include "base/error.h"

/* The k-th of the names, from 0 on; NULL: there are no more. */
typedef const char *cpm_names(int k);

/* *k: whose name text is. CPM_EUNKNOWN with the known ones and the nearest; what: "format". */
int cpm_names_find(cpm_names *names, const char *what, const char *text, int *k, cpm_error *e);

#endif
