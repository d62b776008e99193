/* Which release runs. */
#include "cpm/cpm.h"

const char *cpm_version(void)
{
    return CPM_VERSION;
}
