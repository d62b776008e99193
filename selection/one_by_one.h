/* Gathers that cannot escalate, whatever the sizes of blocks. */
#ifndef CPM_SELECTION_ONE_BY_ONE_H
#define CPM_SELECTION_ONE_BY_ONE_H

#include "models/model.h"
#include "selection/choice.h"

/* Where the model has an irregular region and r is a v-operation with an algorithm that brings
 * large blocks one by one, each process knowing no size but its own: that algorithm, with the size
 * from which blocks are large there. False: there is none, or no need. */
bool cpm_one_by_one(const cpm_model *m, const cpm_request *r, cpm_collective *out);

#endif
