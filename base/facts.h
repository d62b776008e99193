/* Ordered "key: value" pairs: the header of a .meas file and the provenance of a .mod file; and
 * notes, sentences for people. */
#ifndef CPM_BASE_FACTS_H
#define CPM_BASE_FACTS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/hash.h"

typedef struct {
    char *key, *value; /* both owned by the list, as base/shown.h shows them: parts of one line */
} cpm_fact;

typedef struct {
    cpm_fact *items;
    int count;
    cpm_hash by_key; /* indices into items */
} cpm_facts;

/* Sets key to the formatted value; a key that is there already gets the new value in its place.
 * Newlines in either become spaces, what else cannot be shown is escaped. CPM_ENOMEM. */
int cpm_facts_set(cpm_facts *f, cpm_error *e, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same where several values may belong to a key: the second is kept as key_2, the third as
 * key_3; one that is there already is not added. CPM_ENOMEM. */
int cpm_facts_append(cpm_facts *f, cpm_error *e, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends so the values of all facts of from that belong to key. CPM_ENOMEM. */
int cpm_facts_append_all(cpm_facts *f, const cpm_facts *from, const char *key, cpm_error *e);

/* Whether key is that key, or key_2, key_3 ... */
bool cpm_facts_belongs(const char *key, const char *to);

/* Sets "date" to now: 2026-01-31T12:00:00Z. CPM_ENOMEM. */
int cpm_facts_date(cpm_facts *f, cpm_error *e);

/* The value of key as it is kept (newlines are spaces, the rest is as base/shown.h shows it), or
 * NULL. Owned by f. */
const char *cpm_facts_get(const cpm_facts *f, const char *key);

/* The index-th pair, owned by f. False past the last. */
bool cpm_facts_at(const cpm_facts *f, int index, const char **key, const char **value);

/* Appends a copy of all pairs of from to f (replacing equal keys). CPM_ENOMEM. */
int cpm_facts_copy(cpm_facts *f, const cpm_facts *from, cpm_error *e);

/* Appends a sentence to notes, which are NULL or have one per line. CPM_ENOMEM. */
int cpm_note(char **notes, cpm_error *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Frees the items and empties the list; f itself belongs to the caller. */
void cpm_facts_clear(cpm_facts *f);

#endif
