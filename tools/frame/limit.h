/* The end of what takes too long. */
#ifndef CPM_TOOLS_FRAME_LIMIT_H
#define CPM_TOOLS_FRAME_LIMIT_H

#include "tools/frame/command.h"

/* With --budget: from now on the process ends, with one sentence and exit code 1, after so many
 * seconds. Files that it writes are as they were before. */
void limit_begin(const call *c);

#endif
