/* What a launcher tells the processes that it starts, and whether it is the one of this MPI. */
#ifndef CPM_HOSTS_LAUNCHER_H
#define CPM_HOSTS_LAUNCHER_H

#include <stdbool.h>

#include "base/error.h"
#include "hosts/launched.h"

/* The launcher of the MPI that CPM was built with, as people type it. */
extern const char mpib_launcher[];

/* How many processes were started with this one, by the environment: before MPI knows. 1 where no
 * launcher is known. */
int mpib_launched(void);
/* Whether all of them are known to be on this host. */
bool mpib_launched_on_one_host(void);

/* CPM_EMPI, naming the launcher to use for what ("cpm model ..."), if this process is alone in
 * MPI_COMM_WORLD, of so many, although a launcher started several: it belongs to another MPI, or
 * they do not find each other; then others than the first wait, so that it can say so before they
 * are seen to fail. Local; the same at all processes that were started. */
int mpib_launcher_check(int size, const char *what, cpm_error *e);

/* Whether the launcher that started several is known to be another MPI's. A single process is what
 * it should be, whoever started it. */
bool mpib_launched_by_another(void);

#endif
