/* Options that say whether calls are isolated or follow each other (measurements/batch_calls.h). */
#ifndef CPM_TOOLS_FRAME_BATCH_H
#define CPM_TOOLS_FRAME_BATCH_H

#include "measurements/batch_calls.h"
#include "tools/frame/command.h"

/* --batch, where collectives are measured; the same and --timing, where they are predicted. */
extern const option batch_options[], calls_options[];

/* What --timing can be there. As cpm_names. */
const char *calls_named(int k);

/* The batch that is asked for; CPM_ISOLATED: none. */
int batch_of(const settings *s);

/* What holds where --timing is not given: isolated calls, or, with --profile, each operation as the
 * program calls it (settings.as_called). A command's settle. */
void calls_settle(void *set);

/* CPM_EINVAL: --batch without --timing batch, or that or --buffers where it has no meaning. */
int batch_check(const call *c, cpm_error *e);

#endif
