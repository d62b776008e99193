/* Measurements: .meas files that are read, written, and resumed. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "measurements/measurements.h"

static bool is_raw(const cpm_measurements *m)
{
    return m->count && m->at[0].samples;
}

/* What they are as a file; the caller frees it. */
static char *written(const cpm_measurements *m)
{
    cpm_measurements header = {.metadata = m->metadata};
    cpm_meas_file *f = NULL;
    fuzz_capture();
    fuzz_require(cpm_meas_open("-", false, is_raw(m), &header, &f, NULL) == CPM_OK,
                 "measurements are written");
    int status = CPM_OK;
    for (int i = 0; i < m->count && !status; i++)
        status = cpm_meas_append(f, &m->at[i], NULL);
    if (m->duration >= 0)
        status = cpm_meas_complete(f, m->duration, NULL) || status;
    cpm_meas_close(f);
    fuzz_require(!status, "rows are written");
    return fuzz_captured();
}

static void check_found(const cpm_measurements *m)
{
    for (int i = 0; i < m->count; i++)
        fuzz_require(cpm_measurements_find(m, &m->at[i].what) == i, "what was measured is found");
}

/* Written, read and written again is the same text. */
static void check_written(const cpm_measurements *m)
{
    cpm_measurements again = {0};
    char *first = written(m);
    fuzz_require(cpm_measurements_read(fuzz_file(first, strlen(first)), &again, NULL, NULL) ==
                     CPM_OK,
                 "what is written reads");
    char *second = written(&again);
    fuzz_require(m->count == again.count, "as many are read as were written");
    fuzz_require_same(first, second, "what is written reads the same");
    cpm_measurements_clear(&again);
    free(first);
    free(second);
}

static void check_resumed(const uint8_t *data, size_t size, const cpm_measurements *m)
{
    cpm_measurements resumed = {0}, again = {0};
    cpm_meas_file *f = NULL;
    cpm_error e = {0};
    const char *path = fuzz_file(data, size);
    int status = cpm_meas_open(path, true, is_raw(m), &resumed, &f, &e);
    if (status) {
        fuzz_require_sentence(status, &e);
        cpm_measurements_clear(&resumed);
        return;
    }
    fuzz_require(resumed.count == m->count, "a campaign that is resumed has what was measured");
    fuzz_require(cpm_meas_complete(f, 1, &e) == CPM_OK, "it can end");
    cpm_meas_close(f);
    fuzz_require(cpm_measurements_read(path, &again, NULL, &e) == CPM_OK, "and be read");
    fuzz_require(again.count == m->count && again.duration >= 1, "with all that was measured");
    cpm_measurements_clear(&resumed);
    cpm_measurements_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cpm_measurements m = {0};
    cpm_error e = {0};
    char checksum[65];
    int status = cpm_measurements_read(fuzz_file(data, size), &m, checksum, &e);
    if (status) {
        fuzz_require_sentence(status, &e);
        return 0;
    }
    fuzz_require(strlen(checksum) == 64, "a file has a checksum");
    check_found(&m);
    check_written(&m);
    check_resumed(data, size, &m);
    cpm_measurements_clear(&m);
    return 0;
}
