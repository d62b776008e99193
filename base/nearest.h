/* What a mistyped word was probably meant to be. */
#ifndef CPM_BASE_NEAREST_H
#define CPM_BASE_NEAREST_H

#include <stddef.h>

enum { CPM_NEAREST_LONGEST = 48 }; /* bytes of a word: longer ones are near none */

/* typed is set, the rest is zero in the beginning. */
typedef struct {
    const char *typed;
    char word[CPM_NEAREST_LONGEST + 1]; /* the nearest so far; empty: none is near */
    int distance;
} cpm_nearest;

/* Takes word into account. It is near if at most a third of the letters are wrong, missing, too
 * many, or changed places with their neighbours (Damerau-Levenshtein, of neighbours once). */
void cpm_nearest_try(cpm_nearest *n, const char *word);

/* "; did you mean 'bcast'?", or nothing if none is near; returns text. */
const char *cpm_nearest_ask(const cpm_nearest *n, char *text, size_t size);

enum { CPM_NEAREST_TEXT = 80 }; /* room for it */

#endif
