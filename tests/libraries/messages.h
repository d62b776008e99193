/* The messages of one process in a collective, in order: those of a schedule, and those that the
 * MPI library really starts and waits for. */
#ifndef CPM_TESTS_LIBRARIES_MESSAGES_H
#define CPM_TESTS_LIBRARIES_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "collectives/schedule/schedule.h"

enum { MOST_MESSAGES = 4096, ANYBODY = -1 };

/* Sends stand where they are started, receives where they have been waited for. Neighbours of one
 * group are under way together: sends of which none is waited for before the next one is started,
 * receives that are waited for together. */
typedef struct {
    bool sends;
    bool ahead; /* a receive that was posted before the send in front of it was started */
    int peer;   /* or ANYBODY */
    long bytes; /* of a send, negative: not known; a receive may have room for more */
    int group;
} message;

typedef struct {
    int count; /* -1: more than there is room for */
    message at[MOST_MESSAGES];
} messages;

/* Whether what is heard of this library are starts only: receives stand where they are posted, each
 * for itself, and sends of so many bytes are in one group if the library did not wait between them,
 * of fewer each for itself. */
bool messages_are_starts(void);
bool messages_show_waits(size_t bytes);

/* Of rank, by the rounds of s, as messages of this library are heard. */
void messages_of_schedule(const cpm_schedule *s, int rank, const cpm_block_sizes *sizes,
                          messages *out);

/* NULL, or why this library's messages cannot be heard. Once, after MPI_Init. */
const char *messages_open(void);

/* What is heard from now on, until the end. */
void messages_begin(messages *to);
void messages_end(void);

/* As text: "S1:800,S2:800 R+3", the members of a group with commas, a + for ahead. Receives that
 * are waited for together are sorted. False: it does not fit. */
bool messages_print(const messages *m, char *text, size_t size);

/* Whether they are the same in order, peers, kind and about the same in bytes, but for what nobody
 * knows. */
bool messages_equal(const messages *a, const messages *b);

#endif
