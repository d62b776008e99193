/* Texts that came packed: compressed by gzip, or in 16 bits a character. */
#ifndef CPM_BASE_UNPACK_H
#define CPM_BASE_UNPACK_H

#include <stddef.h>

#include "base/error.h"

/* Replaces *text, of *size bytes and a '\0' behind them, by what is in it if it is compressed by
 * gzip (also in several parts), and by ASCII if a byte order mark says that it is UTF-16; what is
 * no ASCII becomes '?'. Any other text stays. On failure it stays as well: CPM_EPARSE, with name,
 * for compressed data that are broken or cut short, or hold more than 4 GiB. CPM_ENOMEM. */
int cpm_unpack(const char *name, char **text, size_t *size, cpm_error *e);

#endif
