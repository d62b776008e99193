/* The names of the policies by which calls themselves decide. */
#ifndef CPM_ADAPT_POLICY_H
#define CPM_ADAPT_POLICY_H

#include "adapt/adapt.h"

/* "budget", "star", "star-basic", "threshold". As cpm_names. */
const char *cpm_adapt_policy_named(int k);

/* CPM_EUNKNOWN with the known ones. */
int cpm_adapt_policy_parse(const char *text, cpm_adapt_policy *out, cpm_error *e);

#endif
