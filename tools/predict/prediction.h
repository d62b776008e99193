/* What cpm predict has computed, and how it is printed. */
#ifndef CPM_TOOLS_PREDICT_PREDICTION_H
#define CPM_TOOLS_PREDICT_PREDICTION_H

#include "models/checked.h"
#include "models/draws.h"
#include "selection/libraries.h"
#include "tools/frame/choices.h"
#include "tools/frame/command.h"
#include "tools/frame/placement.h"
#include "tools/predict/beyond.h"
#include "tools/predict/method.h"

/* What to predict, and how. */
typedef struct {
    settings shared;
    const char *method, *library;
    cpm_sizes segments; /* owned */
    int processes;
    double tolerance;
    bool intervals, no_intervals, crossovers, overlap, bound;
    double computing; /* seconds, with overlap; 0: as long as the call takes alone */
} predict_settings;

static inline predict_settings *predict_of(const call *c)
{
    return (predict_settings *)c->set;
}

/* Times of all sizes and algorithms: at[size * choices + choice]. */
typedef struct prediction {
    const call *c;
    const cpm_model *model;
    placement placed;
    cpm_draws *draws;         /* NULL: there are none, or they were not asked for */
    cpm_checked checked;      /* how far off the model was in its own check; count 0: not known */
    bool intervals;           /* by draws, the check, or both */
    cpm_model *shared;        /* in which messages share what they may share; NULL: that is known */
    char beyond[BEYOND_TEXT]; /* in what it goes beyond what was measured; empty: in nothing */
    bool too_many;            /* messages to walk through for intervals */
    choices which;
    cpm_library library; /* whose own routine is "native", if that is one of which */
    method by;
    predicted *at;
    struct announcement *said; /* to who waits */
} prediction;

/* What a choice is for blocks of so many bytes: itself, or what the library's own routine is.
 * CPM_EUNKNOWN: that is not known. */
int prediction_what(const prediction *p, int choice, size_t bytes, cpm_collective *out,
                    cpm_error *e);

/* The time of one algorithm at one size, by the method that was asked for. */
int prediction_time(const prediction *p, int choice, size_t bytes, predicted *out, cpm_error *e);

/* Prints all times in the format that was asked for: one algorithm by size; several as one row
 * each, those of an operation in the order of their times. */
int prediction_print(const prediction *p, cpm_error *e);

/* Prints, for each operation, from which size on which algorithm is the fastest, between the
 * smallest and the largest size that were asked for; sizes are right to 1 %. */
int crossovers_print(const prediction *p, cpm_error *e);

/* Prints, for each operation and size, the least time of any schedule beside the fastest of p->at.
 */
int bounds_print(const prediction *p, cpm_error *e);

/* Prints, for each choice and size, what computing hides of a nonblocking call. */
int overlap_predict(const prediction *p, cpm_error *e);

#endif
