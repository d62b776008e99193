/* Units for people. */
#include "tools/units.h"

#include <stddef.h>
#include <string.h>

static const unit units[] = {
    {"s", "us", 1e6, 2}, {"s/B", "ns/B", 1e9, 3}, {"B", "B", 1, 0}, {NULL, "", 1, 3}};

const unit *unit_named(const char *si)
{
    const unit *u = units;
    while (u->si && strcmp(u->si, si) != 0)
        u++;
    return u;
}
