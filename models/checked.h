/* How far off a model was in its own check: collectives that its campaign measured besides, and
 * that no parameter was fitted to (measurements/held_out.h). A fact of the model keeps it:
 *   checked: allgather:bruck@65536 +0.431 0.002, gather:star@65536 -0.004 0.001
 * that is predicted over observed less 1, and half its interval, from that of the observed time. */
#ifndef CPM_MODELS_CHECKED_H
#define CPM_MODELS_CHECKED_H

#include "base/metadata.h"
#include "measurements/experiment.h"

#define CPM_METADATA_CHECKED "checked"

/* A check is bad, and the model not one of its machine, where what is beyond the intervals of the
 * observed times is more than this on average, or this of any collective. Right models stay below
 * 3 and 10 % (doc/estimation.md). */
#define CPM_CHECK_MEAN  0.05
#define CPM_CHECK_WORST 0.15

typedef struct {
    int count;
    double mean, square; /* of absolute errors: the mean, and the root of the mean square */
    double worst;        /* the error whose absolute value is the largest, and of what it is */
    char of[CPM_EXPERIMENT_NAME];
    size_t bytes;
    double beyond_mean, beyond_worst; /* the same without what intervals explain */
} cpm_checked;

/* Takes in one of name and bytes. */
void cpm_checked_add(cpm_checked *c, const char *name, size_t bytes, double error, double half);

/* Reads the fact. False: there is none (the check was not made), or it makes no sense. */
bool cpm_checked_of(const cpm_metadata *facts, cpm_checked *out);

/* False: there is a fact that says nothing. */
bool cpm_checked_makes_sense(const cpm_metadata *facts);

bool cpm_checked_is_bad(const cpm_checked *c);

/* The same of a model's facts; false where nothing was checked. */
bool cpm_check_contradicts(const cpm_metadata *facts);

enum { CPM_CHECKED_TEXT = CPM_EXPERIMENT_NAME + 100 };
/* "off by 23.9 % on average, at worst +59.2 % (reduce:binomial, 65536 bytes)". */
const char *cpm_checked_text(const cpm_checked *c, char text[CPM_CHECKED_TEXT]);

#endif
