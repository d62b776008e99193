/* Walking through a schedule with a model. */
#ifndef CPM_MODELS_WALKING_H
#define CPM_MODELS_WALKING_H

#include "measurements/batch_calls.h"
#include "models/model.h"

/* A fact of models whose collectives were timed by each process itself, from when it left a barrier
 * on: seconds that each process left later than the one before it. */
#define CPM_METADATA_LEAVING "leaving"
/* Whether it can be read; 0 s without it. */
bool cpm_leaving_of(const cpm_metadata *facts, double *seconds);
double cpm_model_leaving(const cpm_model *m);

/* How to walk; NULL and {0} are the usual way. Everything is borrowed. */
typedef struct {
    bool plain;       /* by the plain walk, even where messages of the model hinder each other */
    bool exact;       /* flow walks without any tolerance */
    double tolerance; /* of crowds in flow walks (sharing.h); 0: CPM_CROWD_TOLERANCE */
    double computing; /* seconds; the call is a nonblocking one (collectives/schedule/walk.h) */
    int batch;        /* seconds of an isolated call, or of one in a batch: predict.h alone */
    double leaving;   /* seconds, of isolated calls: each process begins so much later than the one
                         before it, and the time is the longest that one takes itself */
    bool mean;        /* of isolated calls: the time is the mean of the processes' own */
    bool same;        /* what processes send of their own is as in the call before */
    const int *process;       /* rank i of the schedule is process[i] of the model; NULL: i */
    const cpm_trace *trace;   /* watches every walk that it takes; NULL: nobody does */
    _Atomic int64_t *through; /* messages that are walked are added here; NULL: nobody counts */
} cpm_walking;

/* Seconds until the last process has finished s, by the walk that the model asks for: cpm_walk or
 * cpm_flow_walk, whose contracts hold. It costs as much as the ranks of s, which may be fewer than
 * the processes of m where how->process says which. */
double cpm_model_walk(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes,
                      const cpm_walking *how, double *finish, cpm_error *e);

#endif
