/* What the readers of models, decision tables and profiles share: the text, what it says that it
 * is, and complaints about a place in it. */
#ifndef CPM_MODELS_MOD_SOURCE_H
#define CPM_MODELS_MOD_SOURCE_H

#include <jansson.h>
#include <stdio.h>

#include "models/json_line.h"
#include "models/model.h"

/* The text being read: what messages need. */
typedef struct {
    const char *where, *text;
    cpm_error *e;
} mod_source;

/* The way to a value that is wrong: at most parameters, name, value or ci, size, i, j. */
typedef struct {
    cpm_json_step step[6];
    int steps;
} mod_place;

mod_place mod_top(const char *key);
mod_place mod_inside(mod_place p, const char *key, int index);

/* CPM_EPARSE: "FILE:LINE: sentence". */
int mod_complain(const mod_source *s, const mod_place *p, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "a list", "nothing" */
const char *mod_kind(const json_t *value);

/* The JSON of a text of size bytes, an object of that format ("cpm model"), version 1; kind says
 * what such a file is ("model file"). CPM_EPARSE: it is something else. */
int mod_load(const mod_source *s, size_t size, const char *kind, const char *format, json_t **out);

/* Complains unless list is one of n values; what names it. */
int mod_check_length(const mod_source *s, const mod_place *p, const char *what, const json_t *list,
                     int n);

/* The members with the message sizes of the levels. */
extern const char *const mod_regimes[CPM_LEVELS];

/* How many there are of what shapes depend on. */
typedef struct {
    int classes, switches;   /* switches: 0 where nothing is known of these */
    int regimes[CPM_LEVELS]; /* of each level; 0 likewise */
} mod_counts;

/* Complains unless the parameters are those of the type in the shapes that so many classes,
 * switches and regimes ask for. Comes before anything is allocated, so that
 * memory is bounded by the file. */
int mod_check_shapes(const mod_source *s, const json_t *root, const cpm_model_type *type,
                     const mod_counts *counts);

/* Fills value and ci of m, whose shapes were checked. */
int mod_read_values(const mod_source *s, const json_t *root, cpm_model *m);

/* The member "provenance" of a file, if it has one: an object of texts, added to facts. CPM_EPARSE.
 */
int mod_provenance(const mod_source *s, json_t *root, cpm_facts *facts);
/* Writes it, with the comma and the end of the line behind it. False: no memory, or a text that is
 * not UTF-8. */
bool mod_put_provenance(FILE *f, const cpm_facts *facts);

#endif
