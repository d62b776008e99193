/* Whether others used the processors of a program's hosts while it ran: the check of measurements
 * (hosts/load.h), for reports that compare times. */
#ifndef CPM_TUNED_REPORT_HOST_LOAD_H
#define CPM_TUNED_REPORT_HOST_LOAD_H

#include <stdbool.h>
#include <stddef.h>

/* What MPI_Init begins at all processes, or at none. Local. */
void tuned_host_load_begin(void);

/* Since then: a sentence for people if they did, else empty. The same at all processes. Collective
 * over MPI_COMM_WORLD where it was begun; elsewhere false. */
bool tuned_host_load_disturbs(char *text, size_t size);

#endif
