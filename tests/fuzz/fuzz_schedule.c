/* Schedules as files: what is read is proved, and what is printed of it reads the same. */
#include <stdlib.h>
#include <string.h>

#include "collectives/schedule_file.h"
#include "fuzz/fuzz.h"

static char *printed(const cpm_messages *m)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    cpm_schedule_print(m, NULL, f);
    fclose(f);
    return text;
}

static int read_path(const char *path, cpm_messages *out, cpm_error *e)
{
    cpm_lines lines = {0};
    bool ordered;
    int status = cpm_lines_open(&lines, path, e);
    if (!status)
        status = cpm_schedule_read(&lines, out, &ordered, e);
    cpm_lines_close(&lines);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cpm_messages m = {0}, again = {0};
    cpm_error e = {0};
    int status = read_path(fuzz_file(data, size), &m, &e);
    if (status) {
        fuzz_require_sentence(status, &e);
        return 0;
    }
    char *first = printed(&m);
    fuzz_require(read_path(fuzz_file(first, strlen(first)), &again, NULL) == CPM_OK,
                 "what is printed reads");
    char *second = printed(&again);
    fuzz_require_same(first, second, "what is printed reads the same");
    free(first);
    free(second);
    cpm_messages_clear(&m);
    cpm_messages_clear(&again);
    return 0;
}
