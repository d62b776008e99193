/* What the readers of foreign formats share: where they are, and how a row is handed over. */
#ifndef CPM_MEASUREMENTS_IMPORT_READER_H
#define CPM_MEASUREMENTS_IMPORT_READER_H

#include "base/lines.h"
#include "measurements/import.h"

typedef struct {
    int i, j; /* i < j */
    size_t bytes;
    double seconds; /* one way */
    int reps;
} cpm_import_row;

typedef struct {
    cpm_import_row *at;
    int count;
} cpm_import_rows;

typedef struct cpm_import_reader {
    cpm_lines lines;
    char shown[64];  /* the beginning of the line that is read, for messages */
    int i, j;        /* the pair whose file this is, i < j */
    bool averaged;   /* the times are averages over several pairs */
    char title[128]; /* what the program says that it is */
    int part;        /* of the file, in the format's own numbers; 0 at the beginning */
    double latency;  /* seconds, where the format says it apart */
    char checksum[65];
    cpm_import_rows *rows;
} cpm_import_reader;

/* CPM_EPARSE "FILE:LINE: expected WHAT, found 'LINE'". */
int cpm_import_wrong(const cpm_import_reader *r, const char *expected);

/* Keeps the program's name and version, as they stand behind "# ". */
void cpm_import_title(cpm_import_reader *r, const char *line);

/* Each whether the whole word is such a number: bytes; repetitions >= 1; microseconds > 0. */
bool cpm_import_bytes(const char *word, size_t *bytes);
bool cpm_import_reps(const char *word, int *reps);
bool cpm_import_microseconds(const char *word, double *seconds);

/* One latency of the pair. CPM_EPARSE for a line that was cut short; CPM_ENOMEM. */
int cpm_import_add(cpm_import_reader *r, size_t bytes, double seconds, int reps);

/* Puts rows (which are sorted for that) into m as round trips: m->n, its fact "processes", results.
 * CPM_EDATA: pairs without a row. */
int cpm_import_measurements(cpm_import_rows *rows, cpm_measurements *m, cpm_error *e);

/* What an average over pairs is worth, for people. */
extern const char cpm_import_caution[];

extern const cpm_import_format cpm_import_osu, cpm_import_imb, cpm_import_logp_mpi;

#endif
