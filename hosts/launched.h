/* Who speaks for all, before MPI can be asked. */
#ifndef CPM_HOSTS_LAUNCHED_H
#define CPM_HOSTS_LAUNCHED_H

#include <stdbool.h>

#include "base/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether this is the first of the processes that a launcher has started, as the environment says;
 * true where no launcher is known. Local. */
CPM_API bool mpib_launched_first(void);

#ifdef __cplusplus
}
#endif

#endif
