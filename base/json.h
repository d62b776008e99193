/* The JSON files of CPM: models, decision tables, profiles, tuning history. What is wrong in one is
 * said with the line of the value. A reader is a table of fields:
 *
 *     const cpm_json_field fields[] = {{"bytes", CPM_JSON_REAL, .out = &c->bytes},
 *                                      {"calls", CPM_JSON_INT, &c->calls, .least = 1, .most = 99},
 *                                      {0}};
 *     int status = cpm_json_fields(&object, fields);
 */
#ifndef CPM_BASE_JSON_H
#define CPM_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json_line.h"
#include "base/metadata.h"

/* The text being read: what messages need. */
typedef struct {
    const char *where, *text;
    cpm_error *e;
} cpm_json_text;

/* A value and the way to it from the outermost one. */
typedef struct {
    const cpm_json_text *of;
    json_t *value; /* borrowed; NULL: it is not there */
    cpm_json_step step[6];
    int steps;
} cpm_json;

cpm_json cpm_json_member(const cpm_json *object, const char *key);
cpm_json cpm_json_element(const cpm_json *list, int index);

/* ---- reading a file */

typedef struct {
    const char *kind,
        *format; /* what such a file is, and what it says: "model file", "cpm model" */
    int (*read)(const cpm_json *root, void *out); /* root is an object */
} cpm_json_form;

/* Gives out what such a text of size bytes says, version 1. CPM_EPARSE: "WHERE:LINE: sentence"; as
 * the form's read. */
int cpm_json_unpack(const char *text, size_t size, const char *where, const cpm_json_form *form,
                    void *out, cpm_error *e);
/* The same of a file. CPM_EIO. */
int cpm_json_read(const char *path, const cpm_json_form *form, void *out, cpm_error *e);

/* ---- complaints, which are all CPM_EPARSE */

/* "FILE:LINE: sentence". */
int cpm_json_complain(const cpm_json *at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "a list", "nothing" */
const char *cpm_json_kind(const json_t *value);

/* "expected a list as "calls", found a number" */
int cpm_json_expected(const cpm_json *at, const char *what);

/* Complains unless it is a list of n values; what names it. */
int cpm_json_check_length(const cpm_json *list, const char *what, int n);

/* ---- members */

typedef enum {
    CPM_JSON_INT,    /* int, */
    CPM_JSON_LONG,   /* long, */
    CPM_JSON_SIZE,   /* size_t: of these least and most are the limits */
    CPM_JSON_REAL,   /* double from 0 on, */
    CPM_JSON_SIGNED, /* any: both finite */
    CPM_JSON_STRING, /* const char *, borrowed from the value */
    CPM_JSON_LIST    /* cpm_json */
} cpm_json_type;

typedef struct {
    const char *name; /* NULL ends the fields */
    cpm_json_type type;
    void *out; /* of that type */
    long least, most;
    bool optional; /* may be left out, or null: out stays as it was */
} cpm_json_field;

/* The members of an object; outs in the order of the fields, up to the first that is wrong. */
int cpm_json_fields(const cpm_json *object, const cpm_json_field *fields);

/* The member "provenance" of a file, if it has one: an object of strings, added to metadata. */
int cpm_json_provenance(const cpm_json *root, cpm_metadata *metadata);

/* ---- writing; where it is a bool, false is a text that is not UTF-8. Numbers as in the locale "C"
 * (base/locale.h), which the caller sets. */

/* The brace, "format": "cpm WHAT" and "version", without a comma behind it. */
void cpm_json_put_head(FILE *f, const char *what);
bool cpm_json_put_text(FILE *f, const char *text);
/* As short as such a number of digits can be, and no whole number: 1.5e-6, 2.0; not finite: null.
 */
void cpm_json_put_number(FILE *f, double value, int digits);

/* Members of a file, with the comma and the end of the line behind them. */
bool cpm_json_put_texts(FILE *f, const char *key, char *const *text, int count);
bool cpm_json_put_provenance(FILE *f, const cpm_metadata *metadata);

#endif
