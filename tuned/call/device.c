/* A program may load a driver at any time, so what is loaded is looked at whenever something was
 * loaded; that costs some 20 ns.
 *
 * Level Zero is not asked: its functions need a context, which only the program has. */
#include "tuned/call/device.h"

#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Attributes of CUDA's driver (cuda.h, CUpointer_attribute) and of HIP's (hip_runtime_api.h). */
enum { MEMORY_TYPE = 2, RANGE_START = 11, RANGE_SIZE = 12 };
/* cuda.h, CUmemorytype. HIP's numbers have changed: what it knows at all is passed on. */
enum { CUDA_HOST = 1 };

typedef struct {
    const char *library; /* its name begins so */
    const char *function;
    int ordinary; /* the type of memory that the processor may touch; -1: none is */
    int (*ask)(void *value, int attribute, uintptr_t pointer);
} driver;

static driver drivers[] = {{"libcuda.so", "cuPointerGetAttribute", CUDA_HOST, NULL},
                           {"libamdhip64.so", "hipPointerGetAttribute", -1, NULL}};
enum { DRIVERS = sizeof drivers / sizeof *drivers };

/* The devices' ranges that were heard of last, in this thread. One that is the processor's by now
 * is not touched either, which is right. Addresses of the processor's are not remembered: a
 * device's memory may come to lie there. */
enum { REMEMBERED = 8 };
static _Thread_local struct {
    struct {
        uintptr_t from, to;
    } range[REMEMBERED];
    unsigned next;
} known;

static atomic_ullong looked_at; /* libraries that were loaded until then */
static atomic_bool some;        /* driver is there */
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;

/* ---- which drivers there are */

static int count_loads(struct dl_phdr_info *of, size_t size, void *loads)
{
    (void)size;
    *(unsigned long long *)loads = of->dlpi_adds;
    return 1;
}

static const char *without_folders(const char *path)
{
    const char *last = strrchr(path, '/');
    return last ? last + 1 : path;
}

static int look_at(struct dl_phdr_info *of, size_t size, void *found)
{
    (void)size;
    const char **path = found;
    for (int k = 0; of->dlpi_name && k < DRIVERS; k++)
        if (strncmp(without_folders(of->dlpi_name), drivers[k].library,
                    strlen(drivers[k].library)) == 0)
            path[k] = of->dlpi_name;
    return 0;
}

/* Drivers stay: who has their functions keeps them. */
static void look(unsigned long long loads)
{
    const char *path[DRIVERS] = {NULL};
    pthread_mutex_lock(&looking);
    dl_iterate_phdr(look_at, path);
    for (int k = 0; k < DRIVERS; k++) {
        void *library =
            path[k] && !drivers[k].ask ? dlopen(path[k], RTLD_LAZY | RTLD_NOLOAD) : NULL;
        void *function = library ? dlsym(library, drivers[k].function) : NULL;
        if (function) {
            memcpy(&drivers[k].ask, &function, sizeof function);
            atomic_store(&some, true);
        }
    }
    atomic_store(&looked_at, loads);
    pthread_mutex_unlock(&looking);
}

static bool is_some(void)
{
    unsigned long long loads = 0;
    dl_iterate_phdr(count_loads, &loads);
    if (loads != atomic_load_explicit(&looked_at, memory_order_acquire))
        look(loads);
    return atomic_load_explicit(&some, memory_order_acquire);
}

/* ---- asking */

static bool is_remembered(uintptr_t at)
{
    for (int k = 0; k < REMEMBERED; k++)
        if (known.range[k].from <= at && at < known.range[k].to)
            return true;
    return false;
}

static void remember_device(const driver *d, uintptr_t at)
{
    uintptr_t from = 0;
    size_t size = 0;
    if (d->ask(&from, RANGE_START, at) != 0 || d->ask(&size, RANGE_SIZE, at) != 0 || !size)
        return;
    const unsigned k = known.next++ % REMEMBERED;
    known.range[k].from = from;
    known.range[k].to = from + size;
}

static bool ask(const void *buffer)
{
    const uintptr_t at = (uintptr_t)buffer;
    for (int k = 0; k < DRIVERS; k++) {
        unsigned type = 0;
        const driver *d = &drivers[k];
        if (!d->ask || d->ask(&type, MEMORY_TYPE, at) != 0 || (int)type == d->ordinary)
            continue;
        remember_device(d, at);
        return true;
    }
    return false;
}

static bool is_on_device(const void *buffer)
{
    return buffer && buffer != MPI_IN_PLACE && (is_remembered((uintptr_t)buffer) || ask(buffer));
}

bool tuned_on_device(const void *one, const void *other)
{
    return is_some() && (is_on_device(one) || is_on_device(other));
}
