/* Parts of the search for schedules: what they share. */
#ifndef CPM_MAPPING_SYNTHESIS_PARTS_H
#define CPM_MAPPING_SYNTHESIS_PARTS_H

#include <gsl/gsl_rng.h>

#include "mapping/contacts.h"
#include "mapping/routes.h"
#include "mapping/synthesis.h"

typedef struct {
    cpm_collective what;
    double seconds;
} synthesis_row;

enum { SYNTHESIS_ROWS = 12 };

/* The fastest of them, fastest first; at most one with each number of pieces of an algorithm. */
typedef struct {
    synthesis_row at[SYNTHESIS_ROWS];
    int count;
} synthesis_rows;

/* What the search knows. */
typedef struct {
    const cpm_model *model;
    cpm_collective what; /* on the model's processes */
    size_t bytes;        /* of a block, on average */
    cpm_block_sizes sizes;
    const cpm_mapping_effort *effort;
    bool unaided; /* rows are no starts */
    double end;   /* of the time, seconds of the monotonic clock */
    gsl_rng *random;
    double *finish; /* [n] of the last walk */
    long tried;
    cpm_messages best; /* of all lists that were walked */
    double best_seconds;
    const char *way;     /* what made it */
    synthesis_rows rows; /* of the operation */
} synthesis;

/* What a list is worth: the predicted seconds, and a little of the mean over processes, so that
 * lists whose last process finishes at the same time are told apart. */
typedef struct {
    double seconds, goal;
} synthesis_score;

bool synthesis_out_of_time(const synthesis *s);

/* Walks a list, and keeps it if it is the best. */
int synthesis_judge(synthesis *s, const cpm_messages *m, const char *way, synthesis_score *score,
                    cpm_error *e);

/* ---- rows of an operation */

/* Those of an operation on the placement of what is searched for, with blocks of these sizes. */
int synthesis_find_rows(synthesis *s, const cpm_operation *op, const cpm_block_sizes *sizes,
                        synthesis_rows *out, cpm_error *e);

/* The list of messages of a row. *good: there is one. */
int synthesis_row_messages(const synthesis *s, const synthesis_row *row,
                           const cpm_block_sizes *sizes, cpm_messages *out, bool *good,
                           cpm_error *e);

/* ---- starts */

/* Contacts of some form, and what they are worth. */
typedef struct {
    contacts_form form;
    contacts_maker *maker; /* owned */
    contacts at;
    synthesis_score score;
    const char *way;
} synthesis_start;

typedef struct {
    synthesis_start *at;
    int count;
} synthesis_starts;

void synthesis_starts_clear(synthesis_starts *all);

/* Takes over contacts, with those limits of rounds that make them fastest, unless they are not
 * complete. */
int synthesis_add_start(synthesis *s, synthesis_starts *all, const contacts_form *f, contacts *c,
                        const char *way, cpm_error *e);

/* The bytes of a block of what contacts of a form spread. */
size_t synthesis_spread_bytes(const synthesis *s, const contacts_form *f);

/* From the fastest rows of the operation that contacts of the form do. */
int synthesis_start_from_rows(synthesis *s, const contacts_form *f, synthesis_starts *all,
                              cpm_error *e);

/* By matching senders and receivers in time; of forms whose processes all get the same. */
int synthesis_start_greedily(synthesis *s, const contacts_form *f, synthesis_starts *all,
                             cpm_error *e);

/* Seconds of a message that has everything for itself. */
double synthesis_message(const synthesis *s, int from, int to, size_t bytes);

/* By rounds in which processes give all that they have; of forms in which each has something. */
int synthesis_start_by_gossip(synthesis *s, const contacts_form *f, synthesis_starts *all,
                              cpm_error *e);

/* Routes for contacts of a form. */
enum { SYNTHESIS_ROUTES = 16 };

typedef struct {
    routes at[SYNTHESIS_ROUTES];
    int ways[SYNTHESIS_ROUTES]; /* that pieces go side by side */
    int count;
} synthesis_ways;

void synthesis_ways_clear(synthesis_ways *all);

/* Those that are known, and such as are packed into the network (packing.h). */
int synthesis_find_ways(synthesis *s, const contacts_form *f, synthesis_ways *out, cpm_error *e);

/* In steps down the trees of routes. */
int synthesis_start_in_steps(synthesis *s, const contacts_form *f, const routes *on,
                             synthesis_starts *all, cpm_error *e);

/* ---- small changes */

/* Improves starts until the effort is spent. */
int synthesis_improve(synthesis *s, synthesis_starts *all, cpm_error *e);

#endif
