/* Measurements: experiments with their results, in memory and as a .meas file.
 *
 * The file is text that gnuplot, R and Python read as it is (doc/meas.md):
 *   # cpm measurements 1
 *   # key: value                          header, any number of lines
 *   experiment i j k count send_bytes reply_bytes round mean median huber min max
 *   sd ci_low ci_high reps huber_half
 *   roundtrip 0 1 -1 1 0 0 0 4.1e-05 ...   one row per experiment; with --raw a last column
 *                                          "samples": t1,t2,...
 *   # duration: SECONDS                    when the campaign is complete */
#ifndef CPM_MEASUREMENTS_MEASUREMENTS_H
#define CPM_MEASUREMENTS_MEASUREMENTS_H

#include "base/hash.h"
#include "base/metadata.h"
#include "base/statistics.h"
#include "collectives/hosts.h"
#include "measurements/experiment.h"

typedef struct {
    cpm_experiment what;
    cpm_summary summary;
    int round;       /* of the campaign; experiments of one round ran at once */
    double *samples; /* [summary.reps] seconds, or NULL; owned */
} cpm_measurement;

typedef struct cpm_measurements {
    cpm_metadata metadata; /* header: "processes", "hosts", "precision", ... */
    cpm_measurement *at;
    int count;
    int n;           /* processes */
    double duration; /* seconds of the campaign; negative: it did not end */
    double elapsed;  /* seconds until it was stopped, to the second */
    cpm_statistic statistic;
    cpm_hash by_experiment; /* indices into at, for cpm_measurements_find */
} cpm_measurements;

/* The index of the result of x, or -1. */
int cpm_measurements_find(const cpm_measurements *m, const cpm_experiment *x);

/* The result of an experiment of two processes, whatever its count: that of CPM_ALONE, or else of
 * CPM_APART, is better than that in company. NULL: there is none. */
const cpm_measurement *cpm_measurements_best(const cpm_measurements *m, cpm_experiment x);

/* The value that a fit uses, in seconds: the statistic of the campaign; for the median Huber's
 * location, which is as robust and scatters less. */
double cpm_measurement_value(const cpm_measurement *m, cpm_statistic statistic);

/* Half its confidence interval, in seconds: where that of Huber's location is not known, half the
 * interval of the statistic. */
double cpm_measurement_half(const cpm_measurement *m, cpm_statistic statistic);

/* Where its collectives were measured: the fingerprint of their placement (cpm_placement). NULL: it
 * does not say (a file of before that was kept, or whose command had a placement). "plain" if it
 * holds no collectives. Owned by m, or constant. */
const char *cpm_measurements_placement(const cpm_measurements *m);

/* CPM_EINVAL, with both fingerprints, unless the collectives of the file at path were measured
 * where at is. */
int cpm_measurements_check_placement(const cpm_measurements *m, const char *path,
                                     const cpm_placement *at, cpm_error *e);

/* Who of its n processes shares a host, if it says ("layout") that those of a host were measured as
 * such; else each is alone. CPM_EDATA: it does not name a host for each. CPM_ENOMEM. */
int cpm_measurements_hosts(const cpm_measurements *m, int n, cpm_hosts *out, cpm_error *e);
/* Sets the fact "sockets" of a header, if any processes are on different sockets of a host. */
int cpm_measurements_set_sockets(const cpm_hosts *hosts, cpm_metadata *metadata, cpm_error *e);

/* Takes over r->samples. CPM_ENOMEM (then the caller keeps them). */
int cpm_measurements_add(cpm_measurements *m, const cpm_measurement *r, cpm_error *e);

void cpm_measurements_clear(cpm_measurements *m);

/* Reads a file. The header must say "processes"; "statistic" says which one the intervals belong to
 * (else the median). A last line without its newline (a killed campaign) is left out; everything
 * else that does not parse, NaN, infinite or negative times, another version: CPM_EPARSE,
 * "FILE:LINE: what". checksum (64 hex digits and '\0', SHA-256 of the file), if not NULL, is set.
 * CPM_EIO. */
int cpm_measurements_read(const char *path, cpm_measurements *out, char checksum[65], cpm_error *e);

/* The same of an open file, whatever its name leads to by now. */
int cpm_measurements_read_open(int file, const char *name, cpm_measurements *out, char checksum[65],
                               cpm_error *e);

/* A file that grows with the campaign. */
typedef struct cpm_meas_file cpm_meas_file;

/* Creates path with the header of m->metadata (measurements that are there are kept as path.~1~,
 * path.~2~ ..., and so is a file of another kind, or refused: base/new_file.h), or with resume
 * opens one for appending (a new one if it is not there): then m gets what is already in it, its
 * duration too (a torn last line is cut off), and CPM_EINVAL if it cannot be of the same campaign
 * as m->metadata (measurements/resume.h). path "-" writes to standard output (no resume). CPM_EIO
 * if it cannot be written, or another process is writing it. */
int cpm_meas_open(const char *path, bool resume, bool raw, cpm_measurements *m, cpm_meas_file **out,
                  cpm_error *e);
/* Appends a row, which outlives this process from then on. CPM_EIO (a full disk says so),
 * CPM_EINVAL (raw, and r has no samples). */
int cpm_meas_append(cpm_meas_file *f, const cpm_measurement *r, cpm_error *e);
/* Waits until all rows are on the disk, and notes once a second how long the campaign has taken:
 * elapsed seconds since cpm_meas_open. CPM_EIO. */
int cpm_meas_sync(cpm_meas_file *f, double elapsed, cpm_error *e);
/* Adds the metadata of more that belong to key (cpm_metadata_append) to the header of what is
 * measured, and to its file, which may be NULL. CPM_ENOMEM, CPM_EIO. */
int cpm_meas_add(cpm_meas_file *f, cpm_metadata *header, const char *key, const cpm_metadata *more,
                 cpm_error *e);
/* Writes the closing line: seconds since cpm_meas_open; what a resumed, complete campaign had taken
 * is added. CPM_EIO. */
int cpm_meas_complete(cpm_meas_file *f, double duration, cpm_error *e);
/* What is in the file, which nobody else can have changed until it is closed, as
 * cpm_measurements_read. */
int cpm_meas_read_back(const cpm_meas_file *f, cpm_measurements *out, char checksum[65],
                       cpm_error *e);
/* Closes and frees; others may write it from then on. f may be NULL. */
void cpm_meas_close(cpm_meas_file *f);

#endif
