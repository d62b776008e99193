/* Inside of the export of routines: schedules as numbers, which the executor in routines.c.in
 * reads. */
#ifndef CPM_LIBRARIES_ROUTINE_H
#define CPM_LIBRARIES_ROUTINE_H

#include <stdio.h>

#include "base/hash.h"
#include "collectives/collective.h"

/* A growing list of numbers. */
typedef struct {
    int *at;
    int64_t count, capacity;
} cpm_numbers;

/* False: out of memory. */
bool cpm_numbers_add(cpm_numbers *n, const int *values, int64_t count);
bool cpm_numbers_equal(const cpm_numbers *a, const cpm_numbers *b);
void cpm_numbers_clear(cpm_numbers *n);

/* How the ranks, blocks and pieces of a program are counted: as they are, from the root, from the
 * rank itself, or by the bits in which they differ from it. The executor has the same numbers. */
typedef enum { CPM_AS_THEY_ARE, CPM_FROM_ROOT, CPM_FROM_RANK, CPM_XOR_RANK } cpm_count_from;

typedef struct {
    cpm_count_from from;
    bool pieces; /* these, too: as many as processes, or so many for each segment */
} cpm_frame;

/* A round is the number of its messages and these; a message its kind, peer and number of runs, and
 * the runs; a run its bits, block, piece and count. The executor has the same bits. */
enum { CPM_RUN_BITS, CPM_RUN_BLOCK, CPM_RUN_PIECE, CPM_RUN_COUNT, CPM_RUN_NUMBERS };
enum { CPM_MESSAGE_KIND, CPM_MESSAGE_PEER, CPM_MESSAGE_RUNS, CPM_MESSAGE_NUMBERS };
enum {
    CPM_BASE_SEND,
    CPM_BASE_RECV,
    CPM_BASE_PASSING,
    CPM_RUN_OF_PIECES = 4,
    CPM_RUN_TURNS_BLOCK = 8,
    CPM_RUN_TURNS_PIECE = 16,
    CPM_RUN_GROWS = 32, /* two numbers follow */
};

/* One rank's part of a schedule. */
typedef struct {
    cpm_numbers code;     /* rounds */
    cpm_numbers rounds;   /* where they begin in it */
    int messages, chunks; /* of a round, at most */
    int passing;          /* blocks that the rank only passes on */
    bool receives;
} cpm_program;

void cpm_program_clear(cpm_program *p);

/* CPM_EINVAL: why it cannot be written as numbers that hold for all sizes. CPM_ENOMEM. */
int cpm_program_of(const cpm_operation *o, const cpm_schedule *s, int rank, cpm_frame frame,
                   cpm_program *out, cpm_error *e);

/* A program that repeats parts of itself: that of a schedule with so many segments, and how it
 * grows by segments, as the executor reads it. later[0]: the program for one segment more; those
 * for later_by[1] and so on more are what it is compared with. CPM_EINVAL: it does not grow so.
 * CPM_ENOMEM. */
enum { CPM_PROGRAMS_COMPARED = 4 };
int cpm_program_repeating(const cpm_program *const compared[CPM_PROGRAMS_COMPARED],
                          const int by[CPM_PROGRAMS_COMPARED], cpm_numbers *out, cpm_error *e);
/* The same of one that does not grow. CPM_ENOMEM. */
int cpm_program_plain(const cpm_program *p, cpm_numbers *out, cpm_error *e);

/* One line of the executor's table of plans. */
typedef struct {
    int segments, pieces, more, from, order, apart, passing, starts;
    int root; /* -1: it is for all */
} cpm_routine_plan;

typedef struct {
    int operation, processes, from, segment, first, plans;
    cpm_collective what;
} cpm_routine_rule;

/* All tables of the executor. */
typedef struct {
    cpm_routine_rule *rules;
    int rule_count;
    cpm_routine_plan *plans;
    int plan_count;
    cpm_numbers starts, programs;
    int messages, chunks; /* of a round, at most */
    cpm_hash known;       /* programs, by what they are */
    char **notes;         /* what is left to MPI's own routines, and why */
    int note_count;
} cpm_routines;

void cpm_routines_clear(cpm_routines *r);

/* CPM_ENOMEM: so many numbers in the tables are more than 16 MiB of text. */
int cpm_routines_check_size(const cpm_collective *c, int64_t numbers, cpm_error *e);

/* Adds the plans for blocks of from bytes up to before and, if it can, rules; else a note.
 * CPM_ENOMEM, also where the tables would be too large. */
int cpm_routines_add(cpm_routines *r, const cpm_collective *c, size_t from, size_t before,
                     cpm_error *e);
/* Adds a rule that leaves it to MPI's own routine. CPM_ENOMEM. */
int cpm_routines_leave(cpm_routines *r, const cpm_collective *c, size_t from, cpm_error *e);
int cpm_routines_note(cpm_routines *r, const cpm_collective *c, size_t from, const char *why,
                      cpm_error *e);

/* The only root from which it can be called; -1: it can from all, or the operation has none. */
int cpm_routines_root(const cpm_collective *c);

/* Plans of a collective for so many bytes, behind those that are there; of a segmented one that
 * grows by so many bytes for a segment (0: it does not). CPM_EINVAL: why there are none. */
int cpm_routines_plan(cpm_routines *r, const cpm_collective *c, size_t bytes, int segments,
                      cpm_error *e);
int cpm_routines_plan_growing(cpm_routines *r, const cpm_collective *c, size_t segment,
                              int segments, cpm_error *e);

struct cpm_routine_options;
/* Writes the comment, the executor and its tables. The caller looks at ferror. */
void cpm_routines_write(const cpm_routines *r, const struct cpm_routine_options *o, FILE *out);

#endif
