/* Algorithms with parameters, as text: NAME:segment=8K:k=4:mesh=4x4:x=ring. */
#ifndef CPM_COLLECTIVES_PARAMETERS_H
#define CPM_COLLECTIVES_PARAMETERS_H

#include <stdint.h>

#include "collectives/algorithm.h"

/* Reads "segment=8K:k=4" (NULL or "": nothing) for an algorithm of operation. CPM_EUNKNOWN: the
 * algorithm does not take it (the sentence names those that it takes). CPM_EINVAL: a value that
 * cannot be, or a second one. */
int cpm_parameters_parse(const char *text, const cpm_algorithm *a, cpm_parameters *out,
                         cpm_error *e);

/* Reads those that algorithms of an operation take which need no other name (segment, k, threshold,
 * mesh, leaders), for whatever algorithm; "segment=0" is left out, "threshold=0" is not. Errors as
 * above. */
int cpm_parameters_parse_of_any(const char *text, const char *operation, cpm_parameters *out,
                                cpm_error *e);

/* Those of from that a takes replace those of p. */
void cpm_parameters_replace(cpm_parameters *p, const cpm_parameters *from, const cpm_algorithm *a);

/* Writes ":segment=8192:k=4", or nothing if all are zero. */
void cpm_parameters_print(const cpm_parameters *p, char *text, size_t size);

/* Those that are not what is usual: CPM_TAKES_... */
unsigned cpm_parameters_given(const cpm_parameters *p);

bool cpm_parameters_equal(const cpm_parameters *a, const cpm_parameters *b);
/* The same for equal ones. */
uint64_t cpm_parameters_hash(const cpm_parameters *p);

#endif
