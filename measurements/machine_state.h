/* Processors of a virtual machine are moved: for seconds a message takes 0.2 us, then 0.6 us. The
 * shortest round trip of an empty message shows the state in which something was measured. */
#ifndef CPM_MEASUREMENTS_MACHINE_STATE_H
#define CPM_MEASUREMENTS_MACHINE_STATE_H

#include <stdbool.h>

/* Whether two shortest round trips are of one state: the longer is less than 1.3 times the other.
 */
bool cpm_same_state(double one, double other);

#endif
