/* A selection file of MPICH, as cpm export writes it or people do: what it says other than the
 * library, and the same file without some of that. */
#ifndef CPM_LIBRARIES_MPICH_FILE_H
#define CPM_LIBRARIES_MPICH_FILE_H

#include <stdio.h>

#include "tables/decision_table.h"

typedef struct cpm_mpich_file cpm_mpich_file;

/* Whether a text is such a file, rather than another one that says what runs. */
bool cpm_mpich_file_is(const char *text);

/* text: of the file, which messages call where. library: libmpich.so.12, whose own decisions the
 * file replaces. n: the processes that are asked for; levels: see cpm_hosts_have_levels. CPM_EPARSE
 * "FILE:LINE: what"; CPM_EIO. The caller frees *out. */
int cpm_mpich_file_read(const char *text, const char *where, const char *library, int n,
                        bool levels, cpm_mpich_file **out, cpm_error *e);
void cpm_mpich_file_free(cpm_mpich_file *f);

/* Adds rules for the n processes to t: our algorithms where the file names others than the library
 * takes, native elsewhere. notes gets a sentence a line of what has no counterpart. CPM_EPARSE:
 * calls come to no algorithm, where MPICH would stop. */
int cpm_mpich_file_rules(const cpm_mpich_file *f, cpm_table *t, char **notes, cpm_error *e);

/* Leaves to the library what runs as the rule says, with blocks from its size to last bytes, both
 * included. CPM_ENOMEM. */
int cpm_mpich_file_drop(cpm_mpich_file *f, const cpm_rule *rule, size_t last, cpm_error *e);

/* CPM_ENOMEM; the caller looks at ferror. */
int cpm_mpich_file_write(const cpm_mpich_file *f, FILE *out, cpm_error *e);

#endif
