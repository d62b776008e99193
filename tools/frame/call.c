/* A call of a subcommand, as it goes into files for provenance. */
#include <stdio.h>

#include "tools/frame/command.h"

int call_describe(const call *c, cpm_metadata *metadata, cpm_error *e)
{
    char line[2048];
    size_t used = (size_t)snprintf(line, sizeof line, "cpm");
    for (int i = 1; i < c->argc && used < sizeof line; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", c->argv[i]);
    return cpm_metadata_set(metadata, e, "command", "%s", line);
}
