/* Ordered "key: value" pairs: the header of a .meas file and the provenance of a .mod file; and
 * notes, sentences for people. */
#ifndef CPM_BASE_METADATA_H
#define CPM_BASE_METADATA_H

#include <stdbool.h>

#include "base/error.h"
#include "base/hash.h"

typedef struct {
    char *key, *value; /* both owned by the list, as base/escape.h shows them: parts of one line */
} cpm_fact;

typedef struct {
    cpm_fact *items;
    int count;
    cpm_hash by_key; /* indices into items */
} cpm_metadata;

/* Sets key to the formatted value; a key that is there already gets the new value in its place.
 * Newlines in either become spaces, what else cannot be shown is escaped. CPM_ENOMEM. */
int cpm_metadata_set(cpm_metadata *f, cpm_error *e, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same where several values may belong to a key: the second is kept as key_2, the third as
 * key_3; one that is there already is not added. CPM_ENOMEM. */
int cpm_metadata_append(cpm_metadata *f, cpm_error *e, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends so the values of all metadata of from that belong to key. CPM_ENOMEM. */
int cpm_metadata_append_all(cpm_metadata *f, const cpm_metadata *from, const char *key,
                            cpm_error *e);

/* Whether key is that key, or key_2, key_3 ... */
bool cpm_metadata_belongs(const char *key, const char *to);

/* Sets "date" to now: 2026-01-31T12:00:00Z. CPM_ENOMEM. */
int cpm_metadata_date(cpm_metadata *f, cpm_error *e);

/* The value of key as it is kept (newlines are spaces, the rest is as base/escape.h shows it), or
 * NULL. Owned by f. */
const char *cpm_metadata_get(const cpm_metadata *f, const char *key);

/* The index-th pair, owned by f. False past the last. */
bool cpm_metadata_at(const cpm_metadata *f, int index, const char **key, const char **value);

/* Appends a copy of all pairs of from to f (replacing equal keys). CPM_ENOMEM. */
int cpm_metadata_copy(cpm_metadata *f, const cpm_metadata *from, cpm_error *e);

/* Appends a sentence to notes, which are NULL or have one per line. CPM_ENOMEM. */
int cpm_note(char **notes, cpm_error *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Frees the items and empties the list; f itself belongs to the caller. */
void cpm_metadata_clear(cpm_metadata *f);

#endif
