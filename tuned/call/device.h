/* Buffers that are not in the processor's own memory: CUDA's and HIP's drivers are asked, where the
 * process has one; nothing is linked with them, and no context is made. */
#ifndef CPM_TUNED_CALL_DEVICE_H
#define CPM_TUNED_CALL_DEVICE_H

#include <stdbool.h>

/* Whether the processor may not touch one of two buffers. False where no driver is in the process;
 * NULL and MPI_IN_PLACE are no buffers. */
bool tuned_on_device(const void *one, const void *other);

#endif
