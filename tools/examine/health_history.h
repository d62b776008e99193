/* The folder in which the models of earlier checks are kept: DATE.mod, never overwritten. */
#ifndef CPM_TOOLS_EXAMINE_HEALTH_HISTORY_H
#define CPM_TOOLS_EXAMINE_HEALTH_HISTORY_H

#include "base/error.h"

typedef struct {
    char *folder;
    char **path; /* [count] of its models, the oldest first */
    int count;
    char *next; /* a name that nothing has yet, of now */
} health_history;

/* Makes the folder if it is not there. CPM_EIO: it cannot be made, read or written. CPM_ENOMEM.
 * health_history_clear is due also after a failure. */
int health_history_open(const char *folder, health_history *out, cpm_error *e);
void health_history_clear(health_history *h);

#endif
