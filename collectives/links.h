/* Links inside a network that messages of several hosts share, and the ordered pairs of hosts whose
 * messages use each: whatever the network's shape is, all that predictions need of it. */
#ifndef CPM_COLLECTIVES_LINKS_H
#define CPM_COLLECTIVES_LINKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

typedef struct {
    int hosts;
    int count;      /* links; 0: nothing is known of any */
    char **name;    /* [count] */
    int64_t *first; /* [hosts*hosts + 1] of the way from host i to j: at i*hosts + j */
    int *link;      /* those of all ways, one way after the other */
} cpm_links;

/* Messages from one host to another use a link. */
typedef struct {
    int from, to, link;
} cpm_link_use;

/* What links are made of. */
typedef struct {
    int hosts, count;
    char **name; /* [count] */
    cpm_link_use *use;
    int64_t uses;
} cpm_links_draft;

enum { CPM_LINK_NAME = 255 }; /* bytes of a name at most */

/* The number of the link of that name, a new one if there is none. Negative: CPM_EPARSE, of a name
 * that lines of links cannot hold; CPM_ENOMEM. */
int cpm_links_draft_name(cpm_links_draft *d, const char *name, cpm_error *e);
/* CPM_ENOMEM. */
int cpm_links_draft_use(cpm_links_draft *d, int from, int to, int link, cpm_error *e);
/* The same with the link of that name, whose number becomes *link if that is negative. As
 * cpm_links_draft_name. */
int cpm_links_draft_cross(cpm_links_draft *d, int from, int to, const char *name, int *link,
                          cpm_error *e);
/* Uses as text: "0-3,8 > 4-7; 9 > 10", each of the first hosts to each of the second but itself; <>
 * is both ways. CPM_EPARSE, saying what is wrong, also where no pair uses it; CPM_ENOMEM. */
int cpm_links_draft_read(cpm_links_draft *d, int link, const char *text, cpm_error *e);
/* Makes links of it, and clears it in any case. CPM_ENOMEM. */
int cpm_links_draft_end(cpm_links_draft *d, cpm_links *out, cpm_error *e);
void cpm_links_draft_clear(cpm_links_draft *d);

/* The links on the way from one host to another. */
static inline const int *cpm_links_way(const cpm_links *l, int from, int to, int *count)
{
    int64_t at = (int64_t)from * l->hosts + to;
    *count = (int)(l->first[at + 1] - l->first[at]);
    return l->link + l->first[at];
}

/* Writes the uses of a link as cpm_links_draft_read takes them. CPM_ENOMEM. */
int cpm_links_put(const cpm_links *l, int link, FILE *out, cpm_error *e);

/* All in one line: "NAME 0-3 > 4-7; 9 > 10 | NAME ..."; the caller frees it. CPM_ENOMEM. */
int cpm_links_line(const cpm_links *l, char **line, cpm_error *e);
/* CPM_EPARSE; CPM_ENOMEM. */
int cpm_links_of_line(const char *line, int hosts, cpm_links *out, cpm_error *e);

/* Those of other hosts: host h is like host like[h]. Links that none of these use go; number[count]
 * is that of each there, or -1. CPM_ENOMEM. */
int cpm_links_of(const cpm_links *l, const int *like, int hosts, int *number, cpm_links *out,
                 cpm_error *e);

/* Whether the same hosts use links of the same names. */
bool cpm_links_equal(const cpm_links *a, const cpm_links *b);
/* CPM_ENOMEM. */
int cpm_links_copy(const cpm_links *l, cpm_links *out, cpm_error *e);
void cpm_links_clear(cpm_links *l);

#endif
