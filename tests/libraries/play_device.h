/* Memory of a device, played (play_device.c), and its driver (play_driver.c). */
#ifndef CPM_TESTS_LIBRARIES_PLAY_DEVICE_H
#define CPM_TESTS_LIBRARIES_PLAY_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *play_device_allocate(size_t bytes);
void play_device_copy(void *to, const void *from, size_t bytes);

/* Whether an address is in a device's memory, and in which range; size 0: that is not known. */
bool play_device_find(uintptr_t at, uintptr_t *from, size_t *size);

#endif
