/* The noise of a laboratory: what tests of estimators add to times that are too good. */
#ifndef CPM_MEASUREMENTS_NOISE_H
#define CPM_MEASUREMENTS_NOISE_H

#include "measurements/machine.h"

/* Each time is multiplied by exp(N(0, relative)), and, if relative > 0, one in a hundred by a
 * further uniform 2..20 (doc/background/estimation.md, "test noise"). Same seed, same noise. */
typedef struct cpm_noise cpm_noise;

/* CPM_EINVAL unless relative is in 0..10, CPM_ENOMEM. */
int cpm_noise_create(double relative, unsigned long seed, cpm_noise **out, cpm_error *e);
double cpm_noise_disturb(cpm_noise *n, double seconds);
void cpm_noise_free(cpm_noise *n);

/* A machine whose times are those of inner, every sample of them disturbed; it says so in its
 * description ("noise"). How often inner repeats is its own matter. Takes over inner, also when it
 * fails. Collective if inner is. */
int cpm_noisy_create(cpm_machine *inner, double relative, unsigned long seed, cpm_machine **out,
                     cpm_error *e);

#endif
