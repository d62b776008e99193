/* What the readers of foreign formats share: where they are, and how a row is handed over. */
#ifndef CPM_MEASUREMENTS_IMPORT_READER_H
#define CPM_MEASUREMENTS_IMPORT_READER_H

#include "base/lines.h"
#include "measurements/import.h"

/* One time of an experiment. */
typedef struct {
    cpm_experiment what;
    double seconds;
    int reps;
    int n;         /* of a collective: its processes, 0: unknown; else 0 */
    bool averaged; /* over several pairs that ran at once */
} cpm_import_row;

/* How a collective was timed: until the last process has finished, or the mean over processes. */
typedef enum { CPM_IMPORT_UNTIMED, CPM_IMPORT_MAX, CPM_IMPORT_MEAN } cpm_import_timing;

typedef struct {
    cpm_import_row *at;
    int count;
    cpm_import_timing timing; /* of all collectives so far */
    cpm_combining combining;  /* of all reductions so far */
    bool combines;            /* there are reductions */
    char *hosts;              /* of the processes, between blanks; NULL: unknown. Owned */
    cpm_metadata *metadata;   /* of the measurements; borrowed */
    char label[64];           /* of the library or machine that all are of; "": none has one */
} cpm_import_rows;

/* Messages that OSU's bandwidth tests send at once unless they are told otherwise. */
enum { CPM_IMPORT_WINDOW = 64 };

/* A table within text. */
typedef struct {
    int columns;   /* of its rows; 0: not known yet */
    bool begun;    /* there are rows */
    size_t before; /* size of the row before */
    int decimals;  /* of that row's last word; -1: none yet */
    bool broken;   /* text followed the rows: what is no row is text, too */
} cpm_import_table;

typedef struct cpm_import_reader {
    cpm_lines lines;
    char shown[64];          /* the beginning of the line that is read, for messages */
    int labels;              /* words that lines begin with before what the program printed */
    int i, j;                /* the pair whose file this is, i < j */
    bool named;              /* ... as it was given */
    bool averaging;          /* times of the table are averages over several pairs */
    bool averaged;           /* there were such times */
    char title[128];         /* what the program says that it is */
    char left_out[128];      /* the last test that cannot be read; "": none */
    int part;                /* of the file, in the format's own numbers; 0 at the beginning */
    int kind;                /* of the table, likewise */
    const char *operation;   /* of its collective; NULL: none */
    int value;               /* the column of its times */
    int processes;           /* of it; 0: unknown */
    int pairs, window;       /* of it; 0: unknown */
    size_t bytes;            /* of it, where it has one size */
    int column[8];           /* where a format's own columns are; -1: nowhere */
    double latency;          /* seconds, where the format says it apart */
    cpm_combining combining; /* of its reductions */
    cpm_import_table table;
    cpm_import_row last; /* what waits for its other half; n is 1 if there is any */
    char checksum[65];
    cpm_import_rows *rows;
    const cpm_import_options *options; /* borrowed */
} cpm_import_reader;

/* CPM_EPARSE "FILE:LINE: expected WHAT, found 'LINE'". */
int cpm_import_wrong(const cpm_import_reader *r, const char *expected);

/* Keeps the program's name and version, as they stand behind "# ". */
void cpm_import_title(cpm_import_reader *r, const char *line);
/* Keeps the name of a test that cannot be read. */
void cpm_import_leave_out(cpm_import_reader *r, const char *line);
/* Adds a sentence for people to the metadata, once. CPM_ENOMEM. */
int cpm_import_caution(cpm_import_reader *r, const char *sentence);

/* The line without a byte order mark, colours, indentation and a launcher's label. */
char *cpm_import_plain(cpm_import_reader *r, char *line);

/* Each whether the whole word is such a number: bytes; repetitions >= 1; seconds > 0, which are
 * written in such units; any number. */
bool cpm_import_bytes(const char *word, size_t *bytes);
bool cpm_import_reps(const char *word, int *reps);
bool cpm_import_seconds(const char *word, double unit, double *seconds);
bool cpm_import_microseconds(const char *word, double *seconds);
bool cpm_import_number(const char *word, double *value);

/* Cuts line at each comma into fields without blanks around them; returns how many there are. Of
 * field[most] those are set that are there. */
int cpm_import_fields(char *line, char **field, int most);

/* A new table begins. */
void cpm_import_begin(cpm_import_reader *r);
/* Whether a line of so many words is a row of the table, whose first word is its size and one
 * other (value) a number. Sizes ascend. What is nearly a row is one, too, unless text has
 * followed the rows already: its reader then says what is wrong with it. */
bool cpm_import_is_row(cpm_import_reader *r, char *const *word, int words, int value);

/* One time of an experiment, in seconds. CPM_EPARSE for a line that was cut short; CPM_ENOMEM. */
int cpm_import_add(cpm_import_reader *r, const cpm_experiment *what, double seconds, int reps);
/* A latency of the pair, in seconds one way. */
int cpm_import_latency(cpm_import_reader *r, size_t bytes, double seconds, int reps);
/* A stream of count messages between the pair, at so many bytes a second. */
int cpm_import_stream(cpm_import_reader *r, size_t bytes, int count, double rate);
/* The same both ways at once; the rate is of both together. */
int cpm_import_exchange(cpm_import_reader *r, size_t bytes, int count, double rate);
/* Streams of all the table's pairs at once; the rate is of all together. Rank p of the first half
 * sends to rank p of the second: the mean over the pairs stands for the last one, so that there are
 * as many processes as there were. */
int cpm_import_many(cpm_import_reader *r, size_t bytes, int count, double rate);
/* A collective of the table's processes and combining, with blocks of so many bytes. algorithm
 * NULL: the MPI library's own. */
int cpm_import_collective(cpm_import_reader *r, const char *algorithm, size_t bytes, double seconds,
                          int reps, cpm_import_timing timing);
/* The operation that MPI, OSU or IMB call so: "MPI_Reduce_scatter", "Iallreduce", "Broadcast",
 * "All-to-All Personalized Exchange"; NULL: none that CPM knows. */
const char *cpm_import_operation(const char *name);
/* The class of combining of an MPI datatype: "MPI_FLOAT", "int32". */
cpm_combining cpm_import_combining(const char *datatype);
/* Bytes of a block where the program counts those of all blocks of a process (reduce_scatter). */
size_t cpm_import_block(const cpm_import_reader *r, size_t bytes);

/* SimGrid's load test, all of it from this line on. */
int cpm_import_simgrid_load(cpm_import_reader *r, char *line);

/* Puts rows (which are sorted for that) into m: m->n, its facts, results. */
int cpm_import_measurements(const cpm_import_options *options, cpm_import_rows *rows,
                            cpm_measurements *m, cpm_error *e);

/* What an average over pairs is worth, for people. */
extern const char cpm_import_averaged[];

extern const cpm_import_format cpm_import_osu, cpm_import_imb, cpm_import_logp_mpi,
    cpm_import_nxnlatbw, cpm_import_mpigraph, cpm_import_mpibench, cpm_import_simgrid,
    cpm_import_pico, cpm_import_netgauge, cpm_import_skampi, cpm_import_repro, cpm_import_pandas;

#endif
