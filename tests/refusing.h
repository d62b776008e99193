/* Memory that is refused: of requests that this program makes itself, the refuse_after-th. For one
 * file of a program. Its functions are hidden from MPI's and other libraries. */
#ifndef CPM_TESTS_REFUSING_H
#define CPM_TESTS_REFUSING_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __SANITIZE_ADDRESS__
#define REFUSING 0 /* the sanitizer has the place of malloc */
#else
#define REFUSING 1
#endif

static int refuse_after; /* requests until one is refused; 0: never */

#if REFUSING
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *at, size_t bytes);

static bool refused(void)
{
    return refuse_after > 0 && --refuse_after == 0;
}

void *malloc(size_t bytes)
{
    return refused() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return refused() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *at, size_t bytes)
{
    return refused() ? NULL : __libc_realloc(at, bytes);
}
#endif

#endif
