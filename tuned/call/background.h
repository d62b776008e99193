/* A thread that goes on with nonblocking calls while the program computes (CPM_PROGRESS=1). It
 * calls MPI, and nothing else of CPM's than the look that it is given, under the one lock of active
 * collectives. Without the thread nothing is locked. */
#ifndef CPM_TUNED_CALL_BACKGROUND_H
#define CPM_TUNED_CALL_BACKGROUND_H

#include <stdbool.h>

/* look: goes on with what is active, and says whether anything is. It is called under the lock,
 * again and again as long as anything is. False: there is no such thread. Local, in one thread. */
bool tuned_background_begin(bool (*look)(void));
/* Waits for its end. */
void tuned_background_end(void);

bool tuned_background_is_on(void);
/* Whether the caller is that thread. */
bool tuned_background_is_here(void);

/* May be nested. */
void tuned_background_lock(void);
void tuned_background_unlock(void);

/* Something is active. Under the lock. */
void tuned_background_wake(void);

/* MPI looks for messages: as long as the program is in there the thread does not sleep. */
void tuned_background_hear(void);

#endif
