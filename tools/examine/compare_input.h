/* What cpm compare is given: models, observations and algorithms, told apart by what they are. */
#ifndef CPM_TOOLS_EXAMINE_COMPARE_INPUT_H
#define CPM_TOOLS_EXAMINE_COMPARE_INPUT_H

#include "measurements/benchmark_conditions.h"
#include "measurements/measurements.h"
#include "selection/libraries.h"
#include "tools/frame/placement.h"

/* One collective of one size and root; seconds. */
typedef struct {
    cpm_experiment what;
    double value, low, high; /* mean of the files' values; the widest of their intervals */
    double least, most;      /* of the files' values */
    int files;
    cpm_benchmark_conditions taken; /* how the first file's was */
} observation;

typedef struct {
    cpm_model **model; /* [models], each followed by its average */
    const char **file; /* [models] the operand that each was read from */
    int models;
    observation *at; /* [count] by algorithm, root and size */
    int count;
    cpm_measurements known; /* what they are of, with the same indices, while files are read */
    choices which;          /* algorithms, in that order */
    int n;                  /* processes */
    char buffers[40];       /* their state (measurements/buffers.h); empty: not known */
    cpm_library library;    /* whose own choices the natives are */
    bool mean;              /* times are means over the processes */
    int batch;              /* how the calls followed each other (measurements/batch_calls.h) */
    placement placed;
    char hosts[4096];
} compare_input;

/* Reads all operands. Without algorithms among them all that were observed count. CPM_EIO,
 * CPM_EPARSE, CPM_EPROCESS (files of different numbers of processes), CPM_EINVAL (a model or an
 * observation is missing), CPM_EDATA (nothing in common), CPM_ENOMEM. out is freed in any case. */
int compare_read(call *c, compare_input *out, cpm_error *e);
void compare_input_free(compare_input *x);

#endif
