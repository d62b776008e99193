/* What a file is that is no model. */
#ifndef CPM_TOOLS_EXAMINE_SHOW_FILE_H
#define CPM_TOOLS_EXAMINE_SHOW_FILE_H

#include "base/file_kind.h"
#include "tools/frame/command.h"

/* Prints what the file is that the operand names, and which commands read it. CPM_EPARSE: it is
 * said to be of that kind, but cannot be read. */
int show_file(call *c, cpm_file_kind kind, cpm_error *e);

#endif
