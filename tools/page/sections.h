/* The sections of a page: each writes its part for one cluster (page.h). */
#ifndef CPM_TOOLS_PAGE_SECTIONS_H
#define CPM_TOOLS_PAGE_SECTIONS_H

#include "tools/page/page.h"

int page_measured(const page_cluster *k, cpm_error *e);
int page_in_words(const page_cluster *k, cpm_error *e);
int page_parameters(const page_cluster *k, cpm_error *e);
int page_accuracy(const page_cluster *k, cpm_error *e);
int page_observations(const page_cluster *k, cpm_error *e);
int page_decisions(const page_cluster *k, cpm_error *e);
int page_health(const page_cluster *k, cpm_error *e);
int page_programs(const page_cluster *k, cpm_error *e);

/* Whether there are observations of CPM's algorithms for page_accuracy, or tables of them, and of
 * any collectives for page_observations. */
bool page_has_observed(const page_cluster *k);
bool page_has_collectives(const page_cluster *k);

#endif
