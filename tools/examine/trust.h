/* How far to trust a model on a machine, from what was predicted and then measured there. */
#ifndef CPM_TOOLS_EXAMINE_TRUST_H
#define CPM_TOOLS_EXAMINE_TRUST_H

#include <stddef.h>

#include "collectives/operation.h"

/* An algorithm of an operation at one size; seconds. */
typedef struct {
    const cpm_operation *operation;
    size_t bytes;
    double predicted, observed; /* above 0 */
} trust_pair;

enum { TRUST_TEXT = 200 };

/* In a sentence: exp of the mean |log(predicted / observed)|, and the share within 0.8 to 1.25.
 * Where an operation has several algorithms at a size, also what the one with the least prediction
 * takes over the fastest one: the geometric mean, and the most. algorithms: how many were measured.
 * Local. */
void trust_describe(const trust_pair *at, int count, int algorithms, char text[TRUST_TEXT]);

#endif
