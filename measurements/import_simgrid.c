/* SimGrid's calibration of a platform: each call of a process, without a heading.
 *
 *   MPI_Send,765921,31.460829,6.406500e-04      call, bytes, when it began, seconds
 *   MPI_Recv,765921,31.460829,1.504263e-03
 *
 * A send and a receive that follow each other are the two halves of a round trip. Files of
 * MPI_Isend alone have what starting a send takes, those of MPI_Recv alone what receiving a message
 * takes that has arrived long before. */
#include <stdio.h>
#include <string.h>

#include "measurements/import_reader.h"

enum { FIELDS = 5, USUAL = 4 };

static const char row_expected[] = "a call, bytes, when it began and seconds, with commas";

/* Where the call stands: 0, or 1 behind a rank; -1: nowhere. */
static int call_at(char *const *field, int fields)
{
    size_t rank;
    if (fields == USUAL && strncmp(field[0], "MPI_", 4) == 0)
        return 0;
    return fields == FIELDS && cpm_import_bytes(field[0], &rank) &&
                   strncmp(field[1], "MPI_", 4) == 0
               ? 1
               : -1;
}

static int call_in(const char *line)
{
    char copy[200], *field[FIELDS];
    if (!strstr(line, "MPI_") || strlen(line) >= sizeof copy)
        return -1;
    strcpy(copy, line);
    return call_at(field, cpm_import_fields(copy, field, FIELDS));
}

static bool begins(const char *line)
{
    return call_in(line) >= 0;
}

/* The send that nobody has answered starts nothing but itself: MPI_Send alone. */
static int flush(cpm_import_reader *r)
{
    if (!r->last.n)
        return CPM_OK;
    r->last.n = 0;
    return cpm_import_add(r, &r->last.what, r->last.seconds, 1);
}

static int add_call(cpm_import_reader *r, const char *call, size_t bytes, double seconds)
{
    const cpm_experiment send = cpm_experiment_pair(CPM_SEND_TIME, r->i, r->j, bytes, 0);
    const cpm_experiment late = cpm_experiment_pair(CPM_LATE_RECEIVE, r->i, r->j, 0, bytes);
    bool answers = r->last.n && r->last.what.send_bytes == bytes && strcmp(call, "MPI_Recv") == 0;
    double sent = r->last.seconds;
    if (answers) {
        r->last.n = 0;
        return cpm_import_latency(r, bytes, (sent + seconds) / 2, 1);
    }
    int status = flush(r);
    if (status || strcmp(call, "MPI_Send") == 0) {
        r->last = (cpm_import_row){.what = send, .seconds = seconds, .n = 1};
        return status;
    }
    return cpm_import_add(r, strcmp(call, "MPI_Recv") == 0 ? &late : &send, seconds, 1);
}

static int read_line(cpm_import_reader *r, char *line)
{
    char *field[FIELDS];
    size_t bytes;
    double seconds;
    int at = call_in(line);
    if (at)
        return at < 0 ? CPM_OK /* text */ : cpm_import_simgrid_load(r, line);
    cpm_import_fields(line, field, FIELDS);
    const char *call = field[0];
    bool known =
        !strcmp(call, "MPI_Send") || !strcmp(call, "MPI_Recv") || !strcmp(call, "MPI_Isend");
    if (!known) {
        cpm_import_leave_out(r, call);
        return CPM_OK;
    }
    if (!cpm_import_bytes(field[1], &bytes) || !cpm_import_seconds(field[3], 1, &seconds))
        return cpm_import_wrong(r, row_expected);
    return add_call(r, call, bytes, seconds);
}

const cpm_import_format cpm_import_simgrid = {
    .name = "simgrid",
    .programs = "SimGrid's calibration",
    .begins = begins,
    .read = read_line,
    .end = flush,
    .expected = "calls of MPI_Send, MPI_Recv or MPI_Isend, or those of its load test",
};
