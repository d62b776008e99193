/* What the text around a printed data frame says of it: the benchmark, the library, processes. */
#ifndef CPM_MEASUREMENTS_IMPORT_PANDAS_H
#define CPM_MEASUREMENTS_IMPORT_PANDAS_H

#include "measurements/import_reader.h"

enum { CPM_PANDAS_TEXT = 2000 };

typedef struct {
    enum {
        CPM_PANDAS_UNSAID,
        CPM_PANDAS_LATENCY,
        CPM_PANDAS_AVERAGE, /* latency of many pairs */
        CPM_PANDAS_STREAM,
        CPM_PANDAS_EXCHANGE,
        CPM_PANDAS_MANY,
        CPM_PANDAS_COLLECTIVE,
        CPM_PANDAS_SEVERAL
    } kind;
    const char *operation; /* of a collective, else NULL */
} cpm_pandas_subject;

/* What has been said so far. */
typedef struct {
    cpm_pandas_subject near, heading; /* since the last frame; by the last heading that says one */
    char path[64], title[64];         /* labels: a folder since then; the last heading */
    char statement[CPM_PANDAS_TEXT];  /* the last one, which printed the frame */
    int heading_level, title_level;   /* how many '#' these have; 0: there is none */
    int processes;                    /* 0: unknown */
} cpm_pandas_text;

/* Words as " lower case ", between single blanks; a called method as " .mean ". */
void cpm_pandas_spell(const char *text, char spelt[CPM_PANDAS_TEXT]);
/* Whether one of these words, " a b ", is among those that are spelt so. */
bool cpm_pandas_has(const char *spelt, const char *words);

/* Words of spreads and extremes, of other columns than times, and of other units than us, MB/s. */
extern const char cpm_pandas_spreads[], cpm_pandas_others[], cpm_pandas_units[];

/* The benchmark that a text names. */
cpm_pandas_subject cpm_pandas_find(const char *text);
/* What of a name does not say what was measured and how: the library or machine; "": nothing. */
void cpm_pandas_label(const char *name, char *label, size_t size);

/* A line of text, without indentation. */
void cpm_pandas_text_add(cpm_pandas_text *t, const char *line);
/* What it says of the frame behind it. *spread: that is of deviations or extremes. */
void cpm_pandas_text_take(const cpm_pandas_text *t, cpm_pandas_subject *what, char *label,
                          size_t size, bool *spread);
/* The frame has ended. */
void cpm_pandas_text_end(cpm_pandas_text *t);

/* For people: "bcast". */
const char *cpm_pandas_say(const cpm_pandas_subject *what);

#endif
