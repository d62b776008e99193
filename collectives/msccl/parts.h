/* What the reader of MSCCL's XML has between the text and the list of messages: the steps of all
 * thread blocks, in the order of the file. */
#ifndef CPM_COLLECTIVES_MSCCL_PARTS_H
#define CPM_COLLECTIVES_MSCCL_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CPM_MSCCL_INPUT, CPM_MSCCL_OUTPUT, CPM_MSCCL_SCRATCH, CPM_MSCCL_NOWHERE };

/* What a step does: it receives count chunks or has those at src; combines what it received with
 * src, or src with dst; keeps that at dst; sends it. */
enum {
    CPM_MSCCL_RECEIVES = 1,
    CPM_MSCCL_SENDS = 2,
    CPM_MSCCL_COMBINES = 4,
    CPM_MSCCL_KEEPS = 8,
};

typedef struct {
    int buffer, offset; /* in chunks */
} cpm_msccl_place;

typedef struct {
    int gpu, tb, step; /* as the file numbers them */
    unsigned does;
    int to, from, channel; /* gpus of its thread block's connections; -1: none */
    cpm_msccl_place src, dst;
    int count;       /* of chunks */
    int64_t before;  /* the step before it in its thread block; -1: none */
    int64_t depends; /* the step of its gpu that it waits for; -1: none */
    int64_t sent;    /* the step that receives what it sends, -1: none */
    int64_t come;    /* the step that sends what it receives, -1: none */
} cpm_msccl_step;

typedef struct {
    const char *name; /* of the file; borrowed */
    char collective[32];
    int n, root;     /* root -1: the file does not say */
    int loop_chunks; /* nchunksperloop: of the larger one of input and output */
    bool in_place;
    int *scratch; /* [n] chunks */
    cpm_msccl_step *at;
    int64_t count;
} cpm_msccl;

/* Ends what was parsed, except its name. */
void cpm_msccl_clear(cpm_msccl *x);

/* Parses a text. What it keeps takes memory in proportion to the text, and to the scratch that it
 * asks for. CPM_EPARSE, CPM_ENOMEM. */
int cpm_msccl_parse(const char *name, const char *text, size_t size, cpm_msccl *out, cpm_error *e);

/* CPM_EPARSE or CPM_EDEADLOCK "NAME: gpu 0 tb 1 step 2: what". */
int cpm_msccl_wrong(const cpm_msccl *x, int64_t step, int code, cpm_error *e, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));

/* Says who receives what each step sends. CPM_EPARSE: a message has one end only; CPM_ENOMEM. */
int cpm_msccl_match(cpm_msccl *x, cpm_error *e);

/* order[count]: all steps, each behind those that it waits for. CPM_EDEADLOCK: there is none;
 * CPM_ENOMEM. */
int cpm_msccl_order(const cpm_msccl *x, int64_t *order, cpm_error *e);

/* The round of node to is that of node from, or a later one: by at least more. */
typedef struct {
    int64_t from, to;
    int more; /* 0 or 1 */
} cpm_msccl_edge;

/* The least rounds of nodes. *wrong: -1, or an edge that no rounds satisfy with the others.
 * CPM_ENOMEM. */
int cpm_msccl_rounds(int64_t nodes, const cpm_msccl_edge *edge, int64_t edges, int *round,
                     int64_t *wrong, cpm_error *e);

#ifdef __cplusplus
}
#endif
#endif
