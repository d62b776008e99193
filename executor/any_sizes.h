/* Inside of the planned collectives: scatterv and gatherv of which the root alone knows the sizes.
 *
 * The schedule is made for sizes that are expected, which all ranks know, and is run with whatever
 * sizes a call has, by the rounds of an ordinary plan. A rank knows the size of its own block, the
 * root those of all. A message with a block that its receiver does not know is *named*: 8 bytes
 * with its size stand before each block. What a child gets on is a part of what its parent got, so
 * it is passed on from where it arrived.
 *
 * A named message that is longer than expected does not come: its first word says so, and how long
 * it is, and it follows with the next tag. Its sender waits for that at the end only, and its
 * receiver expects nothing else in between, so a schedule that cannot deadlock still cannot. */
#ifndef CPM_EXECUTOR_ANY_SIZES_H
#define CPM_EXECUTOR_ANY_SIZES_H

#include <stdint.h>

#include "executor/layout.h"
#include "executor/plan.h"

/* What stands before a block. The highest bit: no block follows, but this is the length of the
 * message that does. */
typedef uint64_t mpib_word;
#define MPIB_LATER ((mpib_word)1 << 63)

/* Part of a unit: what a schedule has as a position. */
typedef struct {
    int unit, piece;
    char *at; /* in this run: where it lies, NULL: not known yet */
    size_t bytes;
    bool named; /* its size stands before it */
} mpib_block;

/* A unit that a rank knows: where the user has it, and where it lies as bytes. */
typedef struct {
    char *user, *at;
    size_t elements, bytes;
} mpib_unit;

/* Memory that grows, losing what it holds. */
typedef struct {
    char *at;
    size_t room;
} mpib_buffer;

/* What a message has besides that of the plan. */
typedef struct {
    bool named;
    size_t capacity; /* bytes of a named one as expected */
    char *landing;   /* [capacity] where a named one is received */
    mpib_buffer own; /* for what is packed, or is longer than expected */
    /* In this run: */
    bool packed;         /* it is received into own, and goes to its blocks from there */
    mpib_word announced; /* a named one that comes later: its length and MPIB_LATER */
    char *late;          /* its bytes */
    MPI_Request request;
} mpib_parcel;

typedef struct {
    const cpm_operation *op;
    int n, root, rank, pieces;
    mpib_plan *plan;
    mpib_parcel *parcels; /* [messages] */
    mpib_block *blocks;
    int count;
    char *space;      /* landings; before them the own block, if it is passed on with others */
    size_t before;    /* bytes for it */
    mpib_unit *units; /* [known] in this run: all at the root, the own one elsewhere */
    int known;
    mpib_buffer flat; /* of a type with holes: all elements without them */
} mpib_any_sizes;

static inline mpib_block *mpib_block_at(const mpib_any_sizes *x, const mpib_message *m, int k)
{
    return &x->blocks[x->plan->pieces[m->first_piece + k].place.offset];
}

/* expected: [n] bytes. CPM_ENOMEM. Local. */
int mpib_any_sizes_create(const mpib_arguments *a, const cpm_schedule *s, const size_t *expected,
                          mpib_any_sizes **out, cpm_error *e);

/* Returns MPI's error code; MPI_ERR_TRUNCATE where a block is longer than its buffer, and
 * MPI_ERR_NO_MEM. Allocates where blocks are longer than ever before. Uses tag and tag + 1. */
int mpib_any_sizes_run(mpib_any_sizes *x, const mpib_arguments *a, MPI_Comm comm, const void *send,
                       void *recv, int tag);

void mpib_any_sizes_free(mpib_any_sizes *x);

#endif
