/* Units for people: microseconds and nanoseconds per byte. */
#ifndef CPM_TOOLS_UNITS_H
#define CPM_TOOLS_UNITS_H

typedef struct {
    const char *si, *shown;
    double factor;
    int digits;
} unit;

/* Of a unit in files ("s/B"); anything else is shown as it is. Never NULL. */
const unit *unit_named(const char *si);

#endif
