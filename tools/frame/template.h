/* Text with places to fill in. */
#ifndef CPM_TOOLS_FRAME_TEMPLATE_H
#define CPM_TOOLS_FRAME_TEMPLATE_H

#include <stdio.h>

/* What stands for a mark, as "@words@". */
typedef struct {
    const char *mark;
    void (*put)(FILE *out);
} template_place;

/* Prints lines (ending with NULL) with what stands for their marks; places end with a NULL mark. A
 * line that is a mark alone is replaced as a whole. */
void template_put(const char *const *line, const template_place *places, FILE *out);

#endif
