/* Preloaded: counts the messages that an MPI library sends through UCX, for collectives.c. */
#include <dlfcn.h>
#include <stddef.h>

typedef void *send_function(void *endpoint, const void *buffer, size_t count, unsigned long tag,
                            const void *parameters);
extern unsigned long count_sends;
extern send_function ucp_tag_send_nbx;
unsigned long count_sends;

void *ucp_tag_send_nbx(void *endpoint, const void *buffer, size_t count, unsigned long tag,
                       const void *parameters)
{
    static send_function *next;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
    count_sends++;
    return next(endpoint, buffer, count, tag, parameters);
}
