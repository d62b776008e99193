/* What the preloaded count_sends.c notes, found by name at run time. */
#ifndef CPM_TESTS_LIBRARIES_COUNT_SENDS_H
#define CPM_TESTS_LIBRARIES_COUNT_SENDS_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_STARTED = 8192 };

/* A message that was started. */
typedef struct {
    void *endpoint; /* to whom; NULL: a receive */
    size_t bytes;
    bool waited; /* the library has waited, or looked, for something since the one before it */
} started_message;

extern unsigned long count_sends;
extern started_message count_sends_started[MOST_STARTED];
extern int count_sends_starts;

#endif
