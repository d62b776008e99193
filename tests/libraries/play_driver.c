/* libcuda.so.1 as far as CPM asks it: what an address is (cuda.h, CUpointer_attribute). */
#include <string.h>

#include "play_device.h"

int cuPointerGetAttribute(void *value, int attribute, unsigned long long at);

int cuPointerGetAttribute(void *value, int attribute, unsigned long long at)
{
    enum { MEMORY_TYPE = 2, RANGE_START = 11, RANGE_SIZE = 12, DEVICE = 2, INVALID_VALUE = 1 };
    const unsigned type = DEVICE;
    uintptr_t from;
    size_t size;
    if (!play_device_find((uintptr_t)at, &from, &size) || (attribute != MEMORY_TYPE && !size))
        return INVALID_VALUE;
    if (attribute == MEMORY_TYPE)
        memcpy(value, &type, sizeof type);
    else if (attribute == RANGE_START)
        memcpy(value, &from, sizeof from);
    else if (attribute == RANGE_SIZE)
        memcpy(value, &size, sizeof size);
    else
        return INVALID_VALUE;
    return 0;
}
