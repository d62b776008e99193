/* In which order hosts are visited, so that messages from each to the next, and from the last to
 * the first, share as little of the network as can be. */
#ifndef CPM_MAPPING_HOST_ORDER_H
#define CPM_MAPPING_HOST_ORDER_H

#include "models/model.h"

/* order[h->count]: all hosts of h, whose processes are those of m, first first. A short tour by
 * what messages of so many bytes share (links, switches), then by how long they take: the nearest
 * host next, then pairs of ways are exchanged while that is shorter (2-opt: Croes 1958).
 * CPM_ENOMEM.
 */
int host_order(const cpm_model *m, const cpm_hosts *h, int first, size_t bytes, int *order,
               cpm_error *e);

#endif
