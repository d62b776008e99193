/* What a nonblocking collective leaves for its program to wait for: predicted and measured times
 * alike. */
#ifndef CPM_TOOLS_FRAME_OVERLAP_H
#define CPM_TOOLS_FRAME_OVERLAP_H

#include "tools/frame/command.h"

/* Seconds, of a call with blocks of so many bytes. */
typedef struct {
    cpm_collective what; /* its placement is borrowed */
    size_t bytes;
    double alone;     /* begun and waited for */
    double computing; /* what each process computes between */
    double with;      /* begun, computed, and waited for */
} overlap_time;

/* What the columns are, for people. */
extern const char overlap_explained[];

/* Facts of all follow in *all, which is cleared; header: for people, lines behind "# ". Sorts the
 * times: by operation and size, what leaves least to wait for first. CPM_ENOMEM. */
int overlap_print(const call *c, overlap_time *at, int count, const char *header,
                  cpm_report_tables *all, cpm_error *e);

#endif
