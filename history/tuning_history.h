/* What the calls of programs have shown, kept from run to run: for calls of one kind, on these
 * hosts with this MPI library, how long each way to run them took.
 *
 * A file of lessons is a decision table as well (tables/decision_table.h, doc/adapt.md), which has
 * the lessons beside its rules, each in a line of its own: what is left of a file that was cut is
 * read line by line. */
#ifndef CPM_HISTORY_TUNING_HISTORY_H
#define CPM_HISTORY_TUNING_HISTORY_H

#include <stdio.h>

#include "base/hash.h"
#include "collectives/collective.h"

enum { CPM_LESSON_NAME = CPM_COLLECTIVE_NAME + 32, CPM_MOST_LESSONS = 1 << 14 };

/* Of one way to run the calls. */
typedef struct {
    char name[CPM_LESSON_NAME]; /* cpm_lesson_name() */
    long calls;
    double seconds;      /* of a call, mean */
    double ratio, error; /* of native's time in turns with it, and its standard error; 0: unknown */
    bool out;            /* tried, and given up */
} cpm_lesson_figure;

/* Where it was learnt; each is a text for people, and equal texts are equal places. */
typedef struct {
    char *hosts;   /* of the processes in their order: "node1*4 node2*4" */
    char *library; /* "Open MPI v4.1.4" */
    char *version; /* of CPM */
} cpm_lesson_place;

typedef struct {
    cpm_lesson_place at; /* owned */
    const cpm_operation *operation;
    int n, root;
    bool ordered;
    size_t least, most;        /* bytes of a block, both included */
    char date[32];             /* when it was learnt, or last confirmed */
    cpm_lesson_figure *figure; /* [count] owned; no name is there twice */
    int count;
} cpm_tuning_record;

typedef struct {
    cpm_tuning_record *at;
    int count;
    cpm_hash by_kind; /* indices into at */
} cpm_tuning_history;

/* The name of a way: "native", "chain:segment=8192"; with a fingerprint behind it if processes are
 * mapped. */
void cpm_lesson_name(const cpm_collective *c, char name[CPM_LESSON_NAME]);

/* NULL: there is none of that name. */
const cpm_lesson_figure *cpm_lesson_figure_of(const cpm_tuning_record *l, const char *name);

/* Whether a lesson says that this way is faster than native by so much that it is to be chosen. */
bool cpm_lesson_praises(const cpm_lesson_figure *f);

/* The share of native's time that it takes at most, as far as is known: of those that are praised
 * the one is the best for which this is the least. */
double cpm_lesson_at_most(const cpm_lesson_figure *f);

/* The best of those that are praised; NULL: none is. */
const cpm_lesson_figure *cpm_lesson_best(const cpm_tuning_record *l);

/* That of the same place and kind of calls as like, whose figures do not matter; NULL: there is
 * none. Valid until one is added. */
const cpm_tuning_record *cpm_tuning_history_find(const cpm_tuning_history *all,
                                                 const cpm_tuning_record *like);

/* Adds a copy. With one of the same kind it becomes one: figures of one way are weighted by their
 * calls, but where they contradict each other the newer ones are taken. CPM_ENOMEM: all is as it
 * was, or some figures are not added; CPM_EINVAL: there are CPM_MOST_LESSONS. */
int cpm_tuning_history_add(cpm_tuning_history *all, const cpm_tuning_record *newer, cpm_error *e);
int cpm_tuning_history_add_all(cpm_tuning_history *all, const cpm_tuning_history *newer,
                               cpm_error *e);

void cpm_tuning_history_clear(cpm_tuning_history *all);

/* ---- as text */

/* The whole file; NULL: no memory. The caller frees it. */
char *cpm_tuning_history_text(const cpm_tuning_history *all);

/* The lessons of such a text, in addition to those that are there. CPM_EPARSE "WHERE:LINE: what" is
 * the first thing that is wrong: all that can be read was added all the same. CPM_EINVAL: it is no
 * such text, nor the beginning of one; CPM_ENOMEM. */
int cpm_tuning_history_unpack(const char *text, size_t size, const char *where,
                              cpm_tuning_history *all, cpm_error *e);

/* ---- the file */

/* A file that is not there has no lessons. As cpm_tuning_history_unpack; CPM_EIO. */
int cpm_tuning_history_read(const char *path, cpm_tuning_history *all, cpm_error *e);

/* Adds them to those of the file, one process at a time, however many want to: there is the old
 * file or the whole new one. What can be read of a damaged one is kept. CPM_EINVAL: it is another
 * kind of file, which is left alone; CPM_EIO: it cannot be written, or another process does for
 * long; CPM_ENOMEM. */
int cpm_tuning_history_write(const char *path, const cpm_tuning_history *newer, cpm_error *e);

#endif
