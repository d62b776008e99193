/* What data does in a program of thread blocks: which blocks each message brings, and what becomes
 * of them. */
#ifndef CPM_COLLECTIVES_MSCCL_FLOW_H
#define CPM_COLLECTIVES_MSCCL_FLOW_H

#include "collectives/msccl/layout.h"

/* A gpu has one version of a position after another, as a process has in a schedule: what it has in
 * the beginning, and what each message makes of it. */
typedef struct {
    int64_t by;    /* the step that received what made it; -1: it is of the beginning */
    int64_t next;  /* the version after it; -1: it is the last one */
    bool combined; /* with the one before it, which it replaces otherwise */
} cpm_msccl_version;

/* A chunk that a step sends. */
typedef struct {
    int64_t position, version;
} cpm_msccl_item;

/* What the receiver does with what a message brings. */
enum { CPM_MSCCL_UNUSED, CPM_MSCCL_TAKEN, CPM_MSCCL_COMBINED };

typedef struct {
    cpm_msccl_version *version;
    int64_t versions, version_capacity;
    cpm_msccl_item *item;
    int64_t items, item_capacity;
    int64_t *first;     /* [steps] first item of each step that sends; it has count of them */
    unsigned char *use; /* [steps] of what each step receives */
} cpm_msccl_flow;

/* Follows the data through the steps in that order, and into the outputs. CPM_EPARSE: a list of
 * messages cannot say it; CPM_ENOMEM. */
int cpm_msccl_follow(const cpm_msccl_layout *l, const int64_t *order, cpm_msccl_flow *out,
                     cpm_error *e);
void cpm_msccl_flow_clear(cpm_msccl_flow *f);

#endif
