/* The rows of a file that says what runs, for these processes, and what became of them. */
#ifndef CPM_TOOLS_CHOOSE_VERIFY_ROWS_H
#define CPM_TOOLS_CHOOSE_VERIFY_ROWS_H

#include "adapt/turns.h"
#include "libraries/mpich_file.h"
#include "selection/choice.h"
#include "tables/decision_table.h"

/* An algorithm from so many bytes on, tried at one size. */
typedef struct {
    cpm_rule *rule; /* of the table */
    int n;          /* processes that the rule is for */
    cpm_collective what, native;
    size_t bytes;
    double *seconds[2]; /* [turns] of the library's own and of this one; owned */
    int turns;          /* that are complete */
    cpm_error cannot;   /* why it cannot run; code 0: it can */
    cpm_turns_outcome outcome;
} verify_row;

typedef struct {
    cpm_table *table; /* of the file: the rules themselves, or a table's of what it says for n */
    cpm_mpich_file *mpich; /* that file, or NULL */
    verify_row *at;
    int count;
} verify_rows;

/* Reads the file, a decision table, rules, Open MPI's rules file or MPICH's selection file, for
 * requests like any: its processes, root and hosts. library: MPICH's, see mpich_library. most:
 * turns that there will be. A sentence a line about what is left out is printed. As
 * cpm_ruleset_read and cpm_mpich_file_read; CPM_EDATA: it names nothing for these processes. */
int verify_rows_read(const char *path, const char *library, const cpm_request *any, int most,
                     verify_rows *out, cpm_error *e);
void verify_rows_clear(verify_rows *r);

/* Leaves to the library what loses, and notes what the others have gained. CPM_ENOMEM. */
int verify_rows_keep(verify_rows *r, cpm_error *e);

#endif
