/* Progress of a campaign on standard error. */
#ifndef CPM_TOOLS_PROGRESS_H
#define CPM_TOOLS_PROGRESS_H

#include <stdbool.h>

typedef struct {
    bool terminal; /* a bar that is drawn over; else a line now and then */
    bool drawn;
    double last; /* seconds of the campaign when something was printed last */
} progress;

progress progress_start(void);
/* A callback for cpm_campaign; context is a progress. */
void progress_show(void *context, int done, int total, double seconds);
/* Ends the line of a bar. */
void progress_end(progress *p);

#endif
