/* State of the process by nature: memory is the process's. A block as large as this one is given
 * back to the system, or to malloc, when it is freed. */
#include "executor/emergency.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool is_kept;
static _Atomic(void *) reserve; /* NULL: given away */

static bool fill(void)
{
    if (atomic_load(&reserve))
        return true;
    void *empty = NULL, *block = malloc(MPIB_EMERGENCY);
    if (block && !atomic_compare_exchange_strong(&reserve, &empty, block))
        free(block); /* another thread was faster */
    return block;
}

bool mpib_emergency_keep(void)
{
    atomic_store(&is_kept, true);
    return fill();
}

void mpib_emergency_renew(void)
{
    if (atomic_load(&is_kept))
        fill();
}

bool mpib_emergency_spend(void)
{
    free(atomic_exchange(&reserve, NULL));
    return atomic_load(&is_kept);
}

void *mpib_emergency_malloc(size_t bytes)
{
    mpib_emergency_renew();
    void *at = malloc(bytes);
    return at || !mpib_emergency_spend() ? at : malloc(bytes);
}

void *mpib_emergency_calloc(size_t count, size_t bytes)
{
    mpib_emergency_renew();
    void *at = calloc(count, bytes);
    return at || !mpib_emergency_spend() ? at : calloc(count, bytes);
}
