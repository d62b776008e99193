/* Rows of Open MPI's rules, in whatever form they were written, as rules. */
#ifndef CPM_LIBRARIES_OPENMPI_ROWS_H
#define CPM_LIBRARIES_OPENMPI_ROWS_H

#include "libraries/openmpi_rule.h"

/* What runs from so many bytes on. */
typedef struct {
    int64_t from;
    long algorithm, fan, segment, requests;
    int line;    /* of the file; 0: no row of it, what no row is about */
    bool radix;  /* the fan of an allgather by Bruck's algorithm is its radix */
    bool *lives; /* is set if calls come to it, or NULL; of the caller */
} cpm_openmpi_row;

/* Communicators by the places of their processes. */
typedef enum {
    CPM_OPENMPI_ANYWHERE,
    CPM_OPENMPI_ONE_HOST,  /* all on one */
    CPM_OPENMPI_HOST_EACH, /* each on another one */
    CPM_OPENMPI_DISTRIBUTIONS
} cpm_openmpi_distribution;

/* Rows by size, ascending; the first one holds for shorter messages, too. */
typedef struct {
    cpm_openmpi_distribution where;
    cpm_openmpi_row *row;
    long count;
} cpm_openmpi_rows;

/* From so many processes on. The first rows whose distribution a communicator has hold. */
typedef struct {
    int64_t from;
    cpm_openmpi_rows of[CPM_OPENMPI_DISTRIBUTIONS];
    int kinds;
} cpm_openmpi_part;

/* Where rules go to, and how the file is called. */
typedef struct {
    const char *where;
    FILE *out;
    char **notes; /* as of cpm_ruleset_read, or NULL */
    cpm_error *e;
} cpm_openmpi_target;

/* Writes the rules of a collective; the first part holds for fewer processes, too. Rows that no
 * call comes to are left out: their lives stays as it was. Takes rows out of the parts. CPM_ENOMEM.
 */
int cpm_openmpi_put(const cpm_openmpi_target *to, const cpm_openmpi_collective *c,
                    cpm_openmpi_part *part, long count);

/* Notes "FILE:LINE: sentence", once. CPM_ENOMEM. */
int cpm_openmpi_note(const cpm_openmpi_target *to, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes that a row has no calls. */
int cpm_openmpi_note_dead(const cpm_openmpi_target *to, const cpm_openmpi_collective *c, int line,
                          int64_t value, const char *of);

#endif
