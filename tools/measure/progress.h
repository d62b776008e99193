/* Progress of a campaign on standard error. */
#ifndef CPM_TOOLS_MEASURE_PROGRESS_H
#define CPM_TOOLS_MEASURE_PROGRESS_H

#include <stdbool.h>

typedef struct {
    bool terminal; /* a bar that is drawn over; else a line now and then */
    bool drawn;
    double start, last; /* seconds: of the clock at its beginning, and after it when something was
                           printed last */
} progress;

progress progress_start(void);
/* A callback for cpm_campaign; context is a progress. What is left is in seconds that people wait.
 */
void progress_show(void *context, int done, int total, double of_machine);
/* Ends the line of a bar. */
void progress_end(progress *p);

#endif
