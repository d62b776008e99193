/* Whether a campaign may go on in the file of another one, by what both say of themselves. */
#ifndef CPM_MEASUREMENTS_RESUME_H
#define CPM_MEASUREMENTS_RESUME_H

#include <stdio.h>

#include "measurements/measurements.h"

/* What a file of before does not say, and so could not be compared: "sizes, root". */
#define CPM_METADATA_UNKNOWN "not_compared"

/* The end of the design of a campaign that seeks no thresholds. */
#define CPM_DESIGN_WITHOUT ", no thresholds"

/* CPM_EINVAL, with both values, if something that changes a measurement is not what it was: the
 * machine, or what simulates it, its noise and seed, processes and where they are, timing,
 * precision, root, model. Sizes and collectives may be more than they were, collectives any where
 * those of the file are complete, and what was without thresholds may get them. What only one of
 * both says is not compared, unless to say nothing is to have none.
 */
int cpm_resume_check(const char *path, const cpm_measurements *old, const cpm_metadata *now,
                     cpm_error *e);

/* Adds to old, the header of the file at path, what now says of the part to come: its command, and
 * its sizes, collectives and design where they are more; its warnings; what could not be compared,
 * which is said, too (base/notice.h), and from now on is known, but for those that may be more. The
 * lines that are new are written to f. CPM_ENOMEM. */
int cpm_resume_merge(const char *path, cpm_metadata *old, const cpm_metadata *now, FILE *f,
                     cpm_error *e);

#endif
