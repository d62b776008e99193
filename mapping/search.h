/* Local search: from a layout to one that nothing small improves, and on from there. */
#ifndef CPM_MAPPING_SEARCH_H
#define CPM_MAPPING_SEARCH_H

#include "mapping/layout.h"
#include "mapping/mapping.h"

/* What a layout is worth: first the time of the last process, then what the others need, so that a
 * step that does not shorten the longest path can still make room for one that does. */
typedef struct {
    double seconds, total;
} layout_score;

static inline bool layout_better(layout_score a, layout_score b)
{
    return a.seconds < b.seconds || (a.seconds == b.seconds && a.total < b.total);
}

typedef struct search search;

/* A layout that is improved. */
typedef struct {
    layout at;
    layout_score score;
    const char *name; /* of what it started from */
} search_state;

/* Candidates are of n processes; the clock starts now. CPM_ENOMEM. */
int search_open(const cpm_mapping_problem *p, const cpm_mapping_effort *effort, search **out,
                cpm_error *e);
void search_close(search *s);

/* Sets parents and predicts. */
int search_score(search *s, layout *l, layout_score *score, cpm_error *e);

/* Improves each of them by swaps, and free trees by moving subtrees, until nothing does or time is
 * over: in threads, as none depends on another. */
int search_descend(search *s, search_state *at, int count, cpm_error *e);

/* The same from random changes of x, again and again; ends when so many of them in a row gained
 * nothing or time is over. Some are tried at once, in threads: what would not have been tried had
 * they been one after the other does not count. */
int search_shake(search *s, search_state *x, cpm_error *e);

long search_tried(const search *s);
bool search_out_of_time(const search *s);

#endif
