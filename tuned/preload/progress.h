/* Nonblocking calls go on whenever MPI looks for messages. */
#ifndef CPM_TUNED_PRELOAD_PROGRESS_H
#define CPM_TUNED_PRELOAD_PROGRESS_H

#pragma GCC visibility push(hidden)

/* MPI has begun. */
void cpm_progress_begin(void);
void cpm_persistent_begin(void); /* tuned/preload/persistent.c */

#pragma GCC visibility pop

#endif
