/* What is said when a campaign ends before its time: by a signal, or because a process was lost. */
#ifndef CPM_TOOLS_MEASURE_LAST_WORDS_H
#define CPM_TOOLS_MEASURE_LAST_WORDS_H

#include "tools/frame/command.h"

/* What is said is said of that command. */
void last_words_begin(const call *c);

/* When MPI and the machine have started: from now on SIGHUP, SIGINT, SIGPIPE and SIGTERM end the
 * process as if nobody handled them, but with one sentence that says where measurements are and how
 * to go on. What was ignored when the process started, as SIGHUP below nohup, stays so. The first
 * process speaks, another one where the signal was meant for it alone. */
void last_words_listen(const call *c);

/* What follows is measured into path; NULL: nowhere. */
void last_words_prepare(const char *path);
/* All is measured; what follows is fitted and printed. */
void last_words_measured(void);

/* The command has ended, well or not, and is about to say so: a launcher may end this process as
 * soon as another one has failed. */
void last_words_over(void);

/* Where measurements are, and how to go on, as a part of a sentence; NULL: in no file. */
const char *last_words_kept(void);

/* A mpib_lost (mpib/watch.h): one sentence, exit code 1. */
void last_words_lost(void *context, const char *who);

#endif
