#include "measurements/machine_state.h"

#include <math.h>

bool cpm_same_state(double one, double other)
{
    const double same = 1.3;
    return fmax(one, other) < same * fmin(one, other);
}
