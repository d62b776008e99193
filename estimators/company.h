/* Whether pairs of processes slow each other that have none in common: then their messages share
 * links inside the network. The two ways of each pair are measured in different company; where they
 * differ by more than noise a few are measured again alone (CPM_ALONE). The same is asked of what
 * was measured again apart from what switches explain (CPM_APART). */
#ifndef CPM_ESTIMATORS_COMPANY_H
#define CPM_ESTIMATORS_COMPANY_H

#include "measurements/measurements.h"

/* Appends round trips of so many bytes out between all n processes: from the lower of each pair to
 * the higher in a tournament's rounds, back in those of another one. CPM_ENOMEM. */
int cpm_company_roundtrips(int n, size_t bytes, cpm_design *next, cpm_error *e);

/* Appends those of the pairs that were slowed most, if they were, again and each alone. Round trips
 * of that size must be measured; again: CPM_APART or, at first, 1. CPM_ENOMEM. */
int cpm_company_plan(int n, size_t bytes, int again, const cpm_measurements *so_far,
                     cpm_design *next, cpm_error *e);

/* Whether all of that was measured which is asked for at first. CPM_ENOMEM. */
int cpm_company_asked(int n, const cpm_measurements *m, bool *asked, cpm_error *e);

/* Whether what was asked for shows that messages share links: alone they were faster. CPM_ENOMEM.
 */
int cpm_company_shares(int n, int again, const cpm_measurements *m, bool *shares, cpm_error *e);

#endif
