/* Text line by line: whoever reads a file that people write says where in it what is wrong. */
#ifndef CPM_BASE_LINES_H
#define CPM_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct {
    const char *name; /* of the file, for messages; borrowed */
    int number;       /* of the line that was read last, from 1; 0: none yet */
    bool whole;       /* it has its end: nothing in it was cut short */
    size_t next;      /* where the line after it begins */
    char *text;       /* all of the file; owned */
    size_t size;
    cpm_error *e; /* borrowed */
} cpm_lines;

/* Reads all of a file, or of a pipe. What fails to open may be closed as well. CPM_EIO. */
int cpm_lines_open(cpm_lines *l, const char *path, cpm_error *e);
/* The same of an open file, from its beginning; messages call it name. CPM_EIO. */
int cpm_lines_open_file(cpm_lines *l, int file, const char *name, cpm_error *e);
/* The lines of a text; messages call it name. CPM_ENOMEM. */
int cpm_lines_open_text(cpm_lines *l, const char *name, const char *text, cpm_error *e);
void cpm_lines_close(cpm_lines *l);

/* Forgets what stands behind the last end of a line: who wrote it was stopped. */
void cpm_lines_drop_torn(cpm_lines *l);

/* The next line without its end, the caller's to change until it closes; NULL: there is none, or
 * *status is an error, or became one: CPM_EPARSE, a line with a zero byte. */
char *cpm_lines_next(cpm_lines *l, int *status);

/* CPM_EPARSE "NAME:LINE: what". */
int cpm_lines_wrong(const cpm_lines *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Cuts line into words at spaces and tabs; returns how many there are. Of word[most] those are set
 * that are there. */
int cpm_words(char *line, char **word, int most);

/* The same, without what follows a '#'. */
int cpm_words_before_remark(char *line, char **word, int most);

#endif
