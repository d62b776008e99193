/* What is said when a campaign ends before its time: by a signal, or because a process was lost. */
#ifndef CPM_TOOLS_LAST_WORDS_H
#define CPM_TOOLS_LAST_WORDS_H

#include "tools/command.h"

/* From now on SIGTERM and SIGINT end the first process with one sentence that says where the
 * measurements are (path; NULL: nowhere) and exit code 1. */
void last_words_prepare(const call *c, const char *path);
/* Signals do again what they did before. */
void last_words_forget(void);

/* A mpib_lost (mpib/watch.h): one sentence, exit code 1. */
void last_words_lost(void *context, const char *who);

#endif
