/* A decision table as the files in which MPI libraries take decisions (doc/export.md). */
#ifndef CPM_LIBRARIES_EXPORT_H
#define CPM_LIBRARIES_EXPORT_H

#include <stdio.h>

#include "selection/libraries.h"
#include "tables/decision_table.h"

/* What became of the rules of a table. */
typedef struct {
    int rules; /* in the table, those that leave it to the library apart */
    int left;  /* of these the library cannot follow so many, and decides by itself */
    int even;  /* ... and follows so many where the number of processes is even only */
} cpm_exported;

/* Writes a rules file, format version 1, of Open MPI's component coll/tuned. The caller looks at
 * ferror. commuting: see cpm_target. */
void cpm_export_openmpi(const cpm_table *t, bool commuting, FILE *out, cpm_exported *counts);

/* The same in JSON, which Open MPI reads from release 6 on. */
void cpm_export_openmpi_json(const cpm_table *t, bool commuting, FILE *out, cpm_exported *counts);

/* Writes a rules file for HAN of Open MPI 5: where coll/tuned runs a collective instead, by the
 * table's rules for it. */
void cpm_export_han(const cpm_table *t, bool commuting, FILE *out, cpm_exported *counts);

/* Writes a configuration file for UCC, with its layer over UCX. */
void cpm_export_ucc(const cpm_table *t, FILE *out, cpm_exported *counts);

/* Writes a selection file for MPICH: the tree of decisions that is built into the library at path
 * (libmpich.so.12), with the table's in place of it where the table says something. named: as
 * release 5.1 reads it, only the trees of collectives that the table decides on, with tests of that
 * release. CPM_EIO; CPM_EPARSE: there is no such tree in that file. CPM_ENOMEM. */
int cpm_export_mpich(const cpm_table *t, const char *path, bool named, FILE *out,
                     cpm_exported *counts, cpm_error *e);

/* What of a table becomes a routine. */
typedef struct cpm_routine_options {
    const char *table;                   /* its name, for the comment */
    const char *prefix;                  /* of the routines: PREFIX_Bcast */
    int n;                               /* processes; 0: all numbers that the table has */
    const struct cpm_topology *topology; /* of n processes, or NULL */
    const cpm_hosts *hosts;
} cpm_routine_options;

/* Writes a C file that needs MPI only: routines with MPI's signatures, which run what the table
 * says (doc/export.md). notes gets a line for each rule that is left to MPI's own routine, or is
 * NULL. CPM_EINVAL: the table has no rules for n processes, or none that names an algorithm.
 * CPM_ENOMEM; also where the file would be larger than 16 MiB. */
int cpm_export_c(const cpm_table *t, const cpm_routine_options *o, FILE *out, FILE *notes,
                 cpm_exported *counts, cpm_error *e);

#endif
