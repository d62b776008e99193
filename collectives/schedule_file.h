/* Schedules as files that a person can read, and what of them a process knows (doc/schedules.md).
 *
 * "bcast:@FILE" is the row that is made of one: it is read once, proved, and known until the
 * process ends. */
#ifndef CPM_COLLECTIVES_SCHEDULE_FILE_H
#define CPM_COLLECTIVES_SCHEDULE_FILE_H

#include <stdio.h>

#include "base/lines.h"
#include "collectives/schedule/messages.h"

/* What the name of such an algorithm begins with, before the path. */
enum { CPM_SCHEDULE_FILE = '@', CPM_SCHEDULE_PATH = 90 /* most bytes of the path */ };

/* Writes a list, hosts as one line each with their names as comments (NULL: without); the caller
 * looks at ferror. */
void cpm_schedule_print(const cpm_messages *m, char *const *host_of, FILE *out);

/* Reads all lines, which are open, or the XML of MSCCL (msccl/msccl.h), and proves that the list
 * does what its operation demands.
 * *ordered: contributions are combined in the order of ranks. *out must be empty. CPM_EPARSE
 * "FILE:LINE: what", also where it is too large to be proved; CPM_EWRONG, CPM_EDEADLOCK: the proof
 * fails, with who lacks what or who waits for whom; CPM_ENOMEM. */
int cpm_schedule_read(cpm_lines *lines, cpm_messages *out, bool *ordered, cpm_error *e);

/* The row of a file, of the algorithms of operation; read at the first time. Rows have numbers from
 * 0 on. CPM_EIO; CPM_EINVAL: it is of another operation, or its name has blanks, commas or colons
 * or is too long; as cpm_schedule_read. Of any thread. */
int cpm_schedule_file_find(const cpm_operation *operation, const char *path,
                           const cpm_algorithm **out, cpm_error *e);

/* The number of a row that is of a file. */
int cpm_schedule_file_number(const cpm_algorithm *row);
/* The row of a number; NULL: there is none. */
const cpm_algorithm *cpm_schedule_file_numbered(int number);

/* All that are known as one text with size bytes, in order, for processes that shall know the same;
 * the caller frees it. CPM_ENOMEM. */
int cpm_schedule_files_pack(char **text, size_t *size, cpm_error *e);
/* Makes them known here, where none are. Errors as cpm_schedule_read. */
int cpm_schedule_files_unpack(const char *text, size_t size, cpm_error *e);
/* From now on no other file is read, as processes that know the same no longer would. apply false:
 * some do not, and what is known applies to no call. */
void cpm_schedule_files_close(bool apply);

#endif
