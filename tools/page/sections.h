/* The sections of a page: each makes its part for one cluster (page.h). */
#ifndef CPM_TOOLS_PAGE_SECTIONS_H
#define CPM_TOOLS_PAGE_SECTIONS_H

#include "tools/page/page.h"

int page_verdict(const page_cluster *k, cpm_error *e);
int page_history(const page_cluster *k, cpm_error *e);
int page_accuracy(const page_cluster *k, cpm_error *e);
int page_parameters(const page_cluster *k, cpm_error *e);
int page_decisions(const page_cluster *k, cpm_error *e);
int page_health(const page_cluster *k, cpm_error *e);
int page_in_words(const page_cluster *k, cpm_error *e);
int page_measured(const page_cluster *k, cpm_error *e);
int page_observations(const page_cluster *k, cpm_error *e);
int page_programs(const page_cluster *k, cpm_error *e);

/* All pairs of more processes take long. */
enum { PAGE_MOST_EXAMINED = 1024 };

/* Whether a file can be compared with the cluster's main model, and whether there are observations
 * for that; whether there are tables of comparisons, too, and any observed collectives. */
bool page_is_comparable(const page_cluster *k, const page_file *f);
bool page_has_comparable(const page_cluster *k);
bool page_has_observed(const page_cluster *k);
bool page_has_collectives(const page_cluster *k);

#endif
