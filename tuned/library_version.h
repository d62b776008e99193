/* Which MPI library the program runs with. */
#ifndef CPM_TUNED_LIBRARY_VERSION_H
#define CPM_TUNED_LIBRARY_VERSION_H

/* "MPICH Version: 4.0.2": the rest of what libraries say is how they were built. Shown as
 * base/escape.h shows it. Thread-safe. */
const char *tuned_library_version(void);

#endif
