/* Schedule files that choices name: process 0 reads them when MPI begins, and all know the same. */
#ifndef CPM_TUNED_COMM_SCHEDULES_H
#define CPM_TUNED_COMM_SCHEDULES_H

/* Collective over all processes of the program, whose environments are the same. From then on no
 * other files are read; what cannot be read is said where it is chosen. */
void tuned_schedules_begin(void);

#endif
