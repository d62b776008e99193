#include "tuned/library_version.h"

#include <mpi.h>
#include <pthread.h>
#include <string.h>

#include "base/escape.h"

static char library[128];
static pthread_once_t library_once = PTHREAD_ONCE_INIT;

static void find_library(void)
{
    char whole[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int length = 0;
    PMPI_Get_library_version(whole, &length);
    whole[strcspn(whole, ",\n")] = '\0';
    for (char *c = whole; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    cpm_escape(whole, library, sizeof library);
}

const char *tuned_library_version(void)
{
    pthread_once(&library_once, find_library);
    return library;
}
