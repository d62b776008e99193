/* The monotonic clock of the system. */
#include "base/monotonic.h"

#include <time.h>

double cpm_monotonic_seconds(void)
{
    struct timespec t;
    (clock_gettime)(CLOCK_MONOTONIC, &t); /* not a simulated clock: SMPI has a macro of that name */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
