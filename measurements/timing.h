/* How a collective operation is timed. */
#ifndef CPM_MEASUREMENTS_TIMING_H
#define CPM_MEASUREMENTS_TIMING_H

/* How a collective is timed (thesis 2.1.1, 3.3.1): at the root until everybody has confirmed,
 * less the confirmation's own time; the maximum over all processes' own times; or from the root's
 * start to the last process's end in global time, all processes starting at a moment agreed on.
 * Barriers leave the processes skewed, so of the three only global can be compared with a
 * prediction in which all start together; where ranks outnumber cores some start late.
 * batch: calls follow each other at once, 100 of blocks up to 3 KiB, 50, 20, 10 up to 12, 96 and
 * 384 KiB, else 5; the mean over the processes of their time for a call. Of a machine that is made
 * with the default it is global where one host has all processes, whose clock says when they start;
 * else max. */
typedef enum {
    MPIB_TIMING_ROOT,
    MPIB_TIMING_MAX,
    MPIB_TIMING_GLOBAL,
    MPIB_TIMING_BATCH,
    MPIB_TIMING_DEFAULT /* has no name */
} mpib_timing;

#endif
