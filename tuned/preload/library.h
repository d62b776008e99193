/* Which MPI library this one was built for, and what is said and done where a program has another.
 */
#ifndef CPM_TUNED_PRELOAD_LIBRARY_H
#define CPM_TUNED_PRELOAD_LIBRARY_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Whether a shared library of that name, with or without folders, is MPI's of the other kind. */
bool cpm_is_other_mpi(const char *name);

const char *cpm_name_of_other_mpi(void);

/* The program uses that library, which is of the other kind: the first process says so, once, and
 * the program begins again without this library. Returns where it cannot, or has both from its
 * start. */
void cpm_begin_without(const char *uses);

/* Before MPI begins by this library's functions: the same where one of the other kind has been
 * loaded since the start. */
void cpm_leave_other_mpi_alone(void);

/* Whether the program or a library that is loaded calls nonblocking or persistent collectives in
 * its code. */
bool cpm_names_nonblocking(void);

#pragma GCC visibility pop

#endif
