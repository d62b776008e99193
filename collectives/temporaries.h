/* Memory that MPI libraries ask the system for anew in each call of a long collective. Their
 * routines get what they keep in between by malloc and free it at the end; glibc then gives it back
 * where a block has more than 32 MiB, or where twice the largest block or more is free. The next
 * call has a page fault for each page that it touches, and a network that reads and writes memory
 * itself must register it. CPM's own executor keeps its memory. A program that freed longer blocks
 * before has more kept than this says.
 *
 * Pages were counted with Open MPI 4.1 and MPICH 4.0 (tests/tools/test_library_memory.sh). What
 * glibc does: mallopt(3), M_MMAP_THRESHOLD and M_TRIM_THRESHOLD. */
#ifndef CPM_COLLECTIVES_TEMPORARIES_H
#define CPM_COLLECTIVES_TEMPORARIES_H

#include "collectives/collective.h"

/* Of measurements: whose routines ran the algorithms that they name: "library"; not there: CPM's.
 */
#define CPM_METADATA_ROUTINES "routines"
#define CPM_ROUTINES_LIBRARY  "library"

/* Bytes that the process which takes most gets anew in each call of an algorithm as libraries have
 * it, with blocks of so many bytes; 0: none, or not known. */
double cpm_temporaries(const cpm_collective *c, double bytes);

#endif
