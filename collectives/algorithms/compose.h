/* Algorithms made of others: one after the other, or in the rows and columns of a mesh. */
#ifndef CPM_COLLECTIVES_ALGORITHMS_COMPOSE_H
#define CPM_COLLECTIVES_ALGORITHMS_COMPOSE_H

#include "collectives/algorithm.h"

/* The variant of a sequence: algorithms that follow each other over all processes. */
typedef struct {
    const char *first, *second; /* "scatter:binomial"; of the operations that the row combines */
} cpm_sequence;

/* A rank's part in a phase of a composition: it is a process of a smaller schedule, whose other
 * processes are rank_of[base], rank_of[base + stride] and so on (rank_of NULL: these numbers
 * themselves). add adds what count positions of the smaller schedule stand for to the last message
 * of out, with cpm_add_positions. */
typedef struct {
    const cpm_schedule *inner;
    int process, base, stride;
    const int *rank_of;
    void (*add)(const void *map, int64_t first, int64_t count, cpm_steps *out);
    const void *map;
} cpm_part;

/* Appends the steps of a part, and ends their last round. */
void cpm_part_build(const cpm_part *p, cpm_steps *out);

/* Adds positions to the last message, growing its last run where it can. */
void cpm_add_positions(cpm_steps *out, int64_t first, int64_t count);

/* CPM_EINVAL if a schedule of that row cannot be a phase: it keeps contributions apart. */
int cpm_can_be_phase(const cpm_algorithm *a, const cpm_schedule *inner, cpm_error *e);

#endif
