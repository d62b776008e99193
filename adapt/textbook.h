/* A cluster of which nothing is known, as textbooks have it. */
#ifndef CPM_ADAPT_TEXTBOOK_H
#define CPM_ADAPT_TEXTBOOK_H

#include "selection/choice.h"

/* Seconds of r by what, which applies to it, where a message occupies both of its link ends for
 * 20 us and 10 ns for each byte, inside a host for 1 us and 0.3 ns (Hockney's model with the
 * figures of gigabit Ethernet). It says nothing of any real cluster, but orders algorithms by their
 * rounds and volumes. Where all ranks do the same, or walking all of them would take long (more
 * than some 100 us), it is the sum of the rounds of a few of them; where ranks run ahead of the
 * root (r->ahead) the work of the busiest of a few. CPM_ENOMEM. */
int cpm_textbook_seconds(const cpm_request *r, const cpm_collective *what, double *seconds,
                         cpm_error *e);

/* Bytes of the segments with which a pipeline of n processes is as fast as can be there, a power of
 * 4; 0: blocks of so many bytes are better left whole. */
size_t cpm_textbook_segment(int n, size_t bytes);

#endif
