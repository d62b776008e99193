/* "-" as the name of a file that is read. */
#ifndef CPM_TOOLS_FRAME_STANDARD_INPUT_H
#define CPM_TOOLS_FRAME_STANDARD_INPUT_H

#include "tools/frame/command.h"

/* Where operands or options name "-" as a file to read, keeps all that standard input holds, and
 * lets them name that. CPM_EINVAL: it cannot be read here; CPM_EIO. */
int standard_input_take(call *c, cpm_error *e);

#endif
