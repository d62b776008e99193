/* What measured times of collectives contain that programs do not see. */
#ifndef CPM_MEASUREMENTS_BENCHMARK_CONDITIONS_H
#define CPM_MEASUREMENTS_BENCHMARK_CONDITIONS_H

#include <stdbool.h>

#include "base/metadata.h"

typedef struct {
    bool same;  /* what is sent is the same in all repetitions (measurements/buffers.h) */
    bool apart; /* each process took its own time, behind a barrier (measurements/timing.h) */
    bool mean;  /* then: the time is the mean of these, else the longest */
} cpm_benchmark_conditions;

/* Of a file with such facts. Benchmarks that do not say it send the same, and take the longest of
 * the processes' own times; simulated machines (models/synthetic.h) do neither. */
cpm_benchmark_conditions cpm_benchmark_conditions_of(const cpm_metadata *metadata);

#endif
