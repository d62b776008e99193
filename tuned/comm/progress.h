/* Whether calls that have begun can go on while the program is in any call of MPI, as the standard
 * demands: somebody (tuned/preload/progress.c) is called whenever MPI looks for messages. */
#ifndef CPM_TUNED_COMM_PROGRESS_H
#define CPM_TUNED_COMM_PROGRESS_H

#include <stdbool.h>

/* Whether that is so in this process: somebody is there, it was tried that MPI calls it, and no two
 * threads call MPI at once; or a thread of CPM's goes on with them. The same answer at every call.
 * Local. */
bool tuned_progress_known(void);

/* A thread does, from the start on. */
void tuned_progress_by_thread(void);

/* So many more want it, or fewer: who is called calls cpm_tuned_advance() as long as there are any.
 */
void tuned_progress_want(int more);

/* That MPI looks for messages, while it is tried whether it is heard of. */
void tuned_progress_heard(void);

#endif
