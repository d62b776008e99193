/* The picture of cpm draw, for others to show too. */
#ifndef CPM_TOOLS_PREDICT_DRAW_H
#define CPM_TOOLS_PREDICT_DRAW_H

#include "collectives/collective.h"

/* Draws who sends which blocks of so many bytes to whom into output (.svg, .pdf, .png). Errors as
 * of program_draw (program.h) and cpm_collective_schedule. */
int draw_collective(const cpm_collective *x, size_t bytes, const char *title, const char *output,
                    cpm_error *e);

#endif
