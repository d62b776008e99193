/* Options that several subcommands share, by what they are about. What options of a subcommand set
 * is a struct beside its code, NAME_settings, that begins with these; NAME_of(c) gives it. */
#ifndef CPM_TOOLS_FRAME_SETTINGS_H
#define CPM_TOOLS_FRAME_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/report_table.h"
#include "base/sizes.h"
#include "base/summary.h"
#include "collectives/combining.h"
#include "measurements/buffers.h"
#include "measurements/timing.h"

/* Where results go. Texts belong to argv. */
typedef struct {
    const char *path;
    cpm_format format;
    bool overwrite, quiet;
} output_settings;

/* Which calls of collectives. */
typedef struct {
    cpm_sizes sizes, processes; /* owned */
    int root;
    cpm_combining combining; /* of reductions */
    const char *profile;     /* of a program */
    mpib_timing timing;
    mpib_buffers buffers;
    int batch;      /* calls of one; 0: by size */
    bool as_called; /* isolated or not as the program calls it */
} calls_settings;

/* Where their processes are. */
typedef struct {
    const char *map, *blocks, *topology, *layout, *placement, *graph;
} place_settings;

/* What is measured: a model that simulates the cluster, or the processes of MPI. */
typedef struct {
    const char *model; /* NULL: the processes of MPI */
    double noise;
    unsigned seed;
    double patience; /* seconds */
} machine_settings;

/* How it is measured. */
typedef struct {
    cpm_precision precision;
    bool serial, raw, resume;
    double budget; /* seconds; 0: no limit */
} measuring_settings;

/* How a model predicts. */
typedef struct {
    int threads;
    double budget; /* seconds; 0: no limit */
} predicting_settings;

typedef struct {
    output_settings out;
    calls_settings calls;
    place_settings where;
    machine_settings machine;
    measuring_settings how;
    predicting_settings predicting;
} settings;

#endif
