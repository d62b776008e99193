/* Text from elsewhere (names of files and hosts, notes, values of headers) as it is shown to people
 * and put into lines: nothing in it moves a cursor, ends a line or is no text. */
#ifndef CPM_BASE_ESCAPE_H
#define CPM_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CPM_SHOWN_PIECE = 17 }; /* bytes: an escape for each of a character's, and the end */

/* Printable UTF-8 as it is; control characters, marks that turn the direction of writing, and bytes
 * that are not UTF-8 as \n, \t or \x1b, byte by byte. What was escaped stays as it is. At most size
 * - 1 characters, never half of an escape or of a character; returns shown. */
char *cpm_escape(const char *text, char *shown, size_t size);

/* The same, as long as it is; the caller frees it. NULL: no memory. */
char *cpm_escape_copy(const char *text);

/* The next character of text as it is shown; returns how many bytes of text it is. */
int cpm_escape_next(const char *text, char piece[CPM_SHOWN_PIECE]);

/* Writes it to a stream. */
void cpm_put_shown(FILE *out, const char *text);
/* The same between quotation marks, those in it twice, as in CSV. */
void cpm_put_quoted(FILE *out, const char *text);

/* The same in an element of HTML or XML, or in an attribute between quotation marks. */
void cpm_put_entities(FILE *out, const char *text);

bool cpm_is_utf8(const char *text);

/* A host's name as one word of a line: spaces become '-', the rest is as above. */
char *cpm_escape_word(const char *text, char *shown, size_t size);

#endif
