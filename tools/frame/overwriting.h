/* What is written must not take the place of what is read, or of another thing that is written. */
#ifndef CPM_TOOLS_FRAME_OVERWRITING_H
#define CPM_TOOLS_FRAME_OVERWRITING_H

#include "tools/frame/command.h"

/* Looks at the files that c names by options and operands. CPM_EINVAL: one is named twice. */
int overwriting_check(const call *c, cpm_error *e);

#endif
