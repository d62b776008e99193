/* Open MPI's rules file, and one rule of it, as rules. */
#ifndef CPM_LIBRARIES_OPENMPI_RULE_H
#define CPM_LIBRARIES_OPENMPI_RULE_H

#include <stdio.h>

#include "selection/libraries.h"

/* What it says, and the calls for which it does: processes and bytes up to most, included. */
typedef struct {
    const cpm_openmpi_collective *collective;
    long algorithm, fan, segment;
    bool radix; /* the fan of an allgather by Bruck's algorithm is its radix (from Open MPI 5 on) */
    long least_processes, most_processes;
    long least_bytes, most_bytes; /* as the library counts them for this collective */
} cpm_openmpi_rule;

/* What the algorithm itself is called here, with its parameters; "OPERATION:native" if CPM has none
 * like it. */
void cpm_openmpi_rule_name(const cpm_openmpi_rule *r, char *name, size_t size);

/* Whether the algorithm cuts data into segments. */
bool cpm_openmpi_rule_cuts(const cpm_openmpi_rule *r);

/* Writes what Open MPI 4.1 runs there: an algorithm, or several by conditions where its own falls
 * back to another. What CPM does not have is left to the library; the sentence says which and
 * where, NULL if nothing is. */
const char *cpm_openmpi_rule_put(const cpm_openmpi_rule *r, FILE *out);

/* All collectives of Open MPI, by their numbers; NULL: it has none of that number. */
const char *cpm_openmpi_collective_named(long id);
/* Of cpm_openmpi_collectives; NULL: CPM does not choose it. */
const cpm_openmpi_collective *cpm_openmpi_collective_find(long id);

/* The number of a collective's algorithm that is called so, -1: none is. */
long cpm_openmpi_algorithm_find(const char *collective, const char *name);
/* The name of the algorithm of that number, NULL: there is none. */
const char *cpm_openmpi_algorithm_named(const char *collective, long algorithm);

/* The name here ("bcast:chain") of what the algorithm of that number does, with the library's usual
 * fan and segments, on n processes with blocks of so many bytes; of number 0 "OPERATION:native".
 * name: what it is called, in about Open MPI's words. False: CPM has none like it, or Open MPI
 * calls that number otherwise. */
bool cpm_openmpi_algorithm_ours(const char *operation, long number, const char *name, int n,
                                size_t bytes, char *ours, size_t size);

/* The text of such a file, in numbers or in JSON, as rules, which the caller frees; errors call it
 * where. notes as of cpm_ruleset_read (rules_file.h). CPM_EPARSE, CPM_ENOMEM. */
int cpm_rules_of_openmpi_json(const char *text, const char *where, char **rules, char **notes,
                              cpm_error *e);
int cpm_rules_of_openmpi(const char *text, const char *where, char **rules, char **notes,
                         cpm_error *e);

#endif
