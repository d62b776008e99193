/* The account of all calls as a profile (doc/profile.md). */
#ifndef CPM_TUNED_REPORT_PROFILE_H
#define CPM_TUNED_REPORT_PROFILE_H

#include "tuned/report/observed.h"

/* Process 0. As cpm_profile_write; CPM_ENOMEM. Local. */
int tuned_profile_write(const tuned_account *a, const char *path, cpm_error *e);

#endif
