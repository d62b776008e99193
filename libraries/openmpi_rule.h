/* Open MPI's rules file, and one rule of it, as rules. */
#ifndef CPM_LIBRARIES_OPENMPI_RULE_H
#define CPM_LIBRARIES_OPENMPI_RULE_H

#include <stdio.h>

#include "selection/libraries.h"

/* What it says, and the calls for which it does: processes and bytes up to most, included. */
typedef struct {
    const cpm_openmpi_collective *collective;
    long algorithm, fan, segment;
    long least_processes, most_processes;
    long least_bytes, most_bytes; /* as the library counts them for this collective */
} cpm_openmpi_rule;

/* What the algorithm itself is called here, with its parameters; "OPERATION:native" if CPM has none
 * like it. */
void cpm_openmpi_rule_name(const cpm_openmpi_rule *r, char *name, size_t size);

/* Writes what Open MPI 4.1 runs there: an algorithm, or several by conditions where its own falls
 * back to another. What CPM does not have is left to the library; the sentence says which and
 * where, NULL if nothing is. */
const char *cpm_openmpi_rule_put(const cpm_openmpi_rule *r, FILE *out);

/* The text of such a file as rules, which the caller frees; errors call it where. notes as of
 * cpm_ruleset_read (rules_file.h). CPM_EPARSE, CPM_ENOMEM. */
int cpm_rules_of_openmpi(const char *text, const char *where, char **rules, char **notes,
                         cpm_error *e);

#endif
