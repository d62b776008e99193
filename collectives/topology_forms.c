#include "collectives/topology_forms.h"

#include <string.h>

static const cpm_topology_form forms[] = {
    {"Slurm's topology.conf", cpm_topology_slurm_begins, cpm_topology_slurm_read},
    {"the output of ibnetdiscover", cpm_topology_ib_begins, cpm_topology_ib_read},
};
enum { FORMS = sizeof forms / sizeof *forms };

const cpm_topology_form *cpm_topology_form_of(const cpm_lines *lines)
{
    for (size_t at = 0; at < lines->size;) {
        char line[128] = ""; /* its beginning */
        const char *begin = lines->text + at, *end = memchr(begin, '\n', lines->size - at);
        size_t length = end ? (size_t)(end - begin) : lines->size - at;
        memcpy(line, begin, length < sizeof line ? length : sizeof line - 1);
        at += length + 1;
        const char *word = line + strspn(line, " \t\r");
        if (!*word || *word == '#')
            continue;
        for (int k = 0; k < FORMS; k++)
            if (forms[k].begins(word))
                return &forms[k];
        return NULL;
    }
    return NULL;
}
