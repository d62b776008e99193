/* What cpm tune --measure says of its contests, and what both commands of that name check. */
#ifndef CPM_TOOLS_CHOOSE_TUNE_REPORT_H
#define CPM_TOOLS_CHOOSE_TUNE_REPORT_H

#include "adapt/contest.h"
#include "tools/frame/command.h"
#include "tools/frame/table.h"

enum { TUNE_REPORT_MENDED = 32 };

typedef struct {
    table rows;       /* one for each contest that was measured */
    bool begun;       /* the table has its head */
    int measured;     /* experiments */
    int contests;     /* all of them ... */
    int unmeasured;   /* ... those of which not even the library's own routine was measured ... */
    int within_noise; /* ... and those where it was kept though another looked faster */
    int open;         /* experiments that a budget left out */
    long dropped;     /* candidates that the model left out */
    double saved;     /* of a program: seconds of its weights, by the winners' lead over native */
    double measuring; /* seconds of the campaigns, with what they took before they were stopped */
    double seconds;   /* that all has taken */
    /* Winners that do what a guideline has on its right, once each. */
    cpm_collective mended[TUNE_REPORT_MENDED];
    size_t mended_from[TUNE_REPORT_MENDED]; /* bytes */
    int mended_count;
} tune_report;

/* Adds the contests among n processes. CPM_ENOMEM. */
int tune_report_add(tune_report *r, const cpm_contests *c, const cpm_measurements *m, int n,
                    cpm_error *e);
/* Adds its figures to those of a table. CPM_ENOMEM. */
int tune_report_describe(const tune_report *r, cpm_metadata *f, cpm_error *e);
/* Prints the rows, unless standard output is the table's, and says the rest on standard error,
 * unless nothing is to be said. CPM_ENOMEM. */
int tune_report_print(tune_report *r, const settings *s, cpm_error *e);
void tune_report_clear(tune_report *r);

/* CPM_EINVAL unless they ascend. */
int tune_check_sizes(const cpm_sizes *sizes, cpm_error *e);

#endif
