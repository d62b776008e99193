/* Partners that alternate between both sides (swing.c). */
#ifndef CPM_COLLECTIVES_ALGORITHMS_SWING_H
#define CPM_COLLECTIVES_ALGORITHMS_SWING_H

/* The partner of rank in step k of n processes, a power of two. Its partner is rank. */
int cpm_swing_partner(int n, int rank, int k);

/* log2 n. */
int cpm_swing_steps(int n);

#endif
