/* Preloaded: refuses memory to CPM's own code, as a test asks for. Who else allocates is served. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *at, size_t bytes);

/* Allocations of at least so many bytes until some are refused, and how many of them are. */
static int left, times, refused;
static size_t least;

/* The k-th allocation of at least bytes from now on is refused, and the next count - 1 as well; k
 * is 0: none. Returns how many were refused since this was called before. */
int refuse_allocations(int k, int count, size_t bytes);

int refuse_allocations(int k, int count, size_t bytes)
{
    int before = refused;
    left = k;
    times = count;
    least = bytes;
    refused = 0;
    return before;
}

/* A program that does not ask itself: REFUSE_ALLOCATION=k, and REFUSED=FILE, which is made when it is
 * refused. */
__attribute__((constructor)) static void read_environment(void)
{
    const char *k = getenv("REFUSE_ALLOCATION");
    if (k)
        refuse_allocations(atoi(k), 1, 0);
}

static void tell(void)
{
    const char *file = getenv("REFUSED");
    int made = file ? open(file, O_WRONLY | O_CREAT, 0600) : -1;
    if (made >= 0)
        close(made);
}

static bool is_own(const void *caller)
{
    Dl_info info;
    if (!dladdr(caller, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
    return strncmp(name, "libmpib", 7) == 0 || strncmp(name, "libcpm", 6) == 0 ||
           strcmp(name, "cpm") == 0;
}

static bool refuses(const void *caller, size_t bytes)
{
    if (left == 0 || bytes < least || !is_own(caller))
        return false;
    if (left > 1) {
        left--;
        return false;
    }
    if (--times == 0)
        left = 0;
    refused++;
    tell();
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return refuses(__builtin_return_address(0), bytes) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return refuses(__builtin_return_address(0), count * bytes) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *at, size_t bytes)
{
    return refuses(__builtin_return_address(0), bytes) ? NULL : __libc_realloc(at, bytes);
}
