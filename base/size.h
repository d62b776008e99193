/* One message size as people write it. */
#ifndef CPM_BASE_SIZE_H
#define CPM_BASE_SIZE_H

#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One size: digits and at most one of K, M, G (powers of 1024; k, m, g too; a trailing B allowed).
 * CPM_EPARSE if text is not such a number, is negative, empty or above 4095G: of as many blocks as
 * models have processes the sum is still a size. */
CPM_API int cpm_size_parse(const char *text, size_t *bytes, cpm_error *e);

#ifdef __cplusplus
}
#endif
#endif
