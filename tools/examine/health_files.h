/* The result of a check for other programs: JUnit's XML, and metrics for Prometheus. */
#ifndef CPM_TOOLS_EXAMINE_HEALTH_FILES_H
#define CPM_TOOLS_EXAMINE_HEALTH_FILES_H

#include "tools/examine/checkup.h"
#include "tools/frame/command.h"

typedef struct {
    const char *reference; /* its file */
    const checkup *x;      /* NULL: nothing was compared */
    const char *line;      /* the verdict; of what could not be measured why */
    const cpm_model *of;   /* the reference, whose hosts absent[of->n] are */
    const bool *absent;
    outcome outcome;
    double seconds; /* of measuring */
} health_result;

/* Replaces the file when all of it is written. CPM_EIO. */
int health_write_junit(const health_result *r, const char *path, cpm_error *e);
int health_write_prometheus(const health_result *r, const char *path, cpm_error *e);

#endif
