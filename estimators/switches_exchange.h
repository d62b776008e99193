/* Which hosts are at the same switch, from how exchanges at once slow each other: where all hosts
 * exchange messages in pairs, those of two switches share these switches' trunks, and those of one
 * have nothing but their own link ends. Trunks that are never full are not seen. */
#ifndef CPM_ESTIMATORS_SWITCHES_EXCHANGE_H
#define CPM_ESTIMATORS_SWITCHES_EXCHANGE_H

#include "measurements/measurements.h"

/* Appends what is to be measured next among n hosts, whose numbers the processes of so_far are: all
 * pairs four times, so many of them at once as there are hosts for, in other company each time;
 * then, four times, a few rounds of pairs between the two halves of the hosts that seem to share
 * most trunks, so that these are full. Nothing if all is there. About 4 rounds for each host.
 * CPM_ENOMEM. */
int cpm_switches_exchange_plan(int n, const cpm_measurements *so_far, cpm_design *next,
                               cpm_error *e);

/* Whether the last of that was measured. */
bool cpm_switches_exchange_is_known(const cpm_measurements *m);

/* What pairs took longer, if others exchanged messages at once that would slow them: 1 is as long.
 */
typedef struct {
    double within; /* most, on average, of the hosts that were taken together */
    double across; /* least of two switches; of one what within is */
} cpm_switches_signs;

/* of[n]: of each host the first one at its switch. CPM_ENOMEM. */
int cpm_switches_exchange_group(int n, const cpm_measurements *m, int *of, cpm_switches_signs *out,
                                cpm_error *e);

#endif
