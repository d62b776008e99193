/* A sentence for each kind of file, and the commands that read it. */
#include "tools/examine/show_file.h"

#include <limits.h>
#include <string.h>

#include "base/escape.h"
#include "measurements/measurements.h"
#include "tools/frame/output.h"

static const struct {
    cpm_file_kind kind;
    const char *read; /* commands, one a line; FILE is the file */
} readers[] = {
    {CPM_FILE_MEASUREMENTS, "cpm fit FILE -o NEW.mod\ncpm plot FILE\ncpm compare MODEL.mod FILE"},
    {CPM_FILE_HISTORY, "cpm rules FILE\ncpm run --learn FILE -- PROGRAM"},
    {CPM_FILE_TABLE, "cpm rules FILE\ncpm run --table FILE -- PROGRAM\ncpm export --mpich FILE"},
    {CPM_FILE_RULES, "cpm rules FILE\ncpm run --rules FILE -- PROGRAM"},
    {CPM_FILE_MAP, "cpm predict MODEL.mod OP:ALGORITHM --map FILE"},
    {CPM_FILE_SCHEDULE, "cpm check OP:@FILE -n N\ncpm predict MODEL.mod OP:@FILE -m SIZE\ncpm run "
                        "--force OP:@FILE -- PROGRAM"},
    {CPM_FILE_TOPOLOGY, "cpm model --topology FILE -o NEW.mod"},
    {CPM_FILE_PROFILE, "cpm predict MODEL.mod --profile FILE\ncpm tune MODEL.mod --profile FILE"},
    {CPM_FILE_REPORT, "cpm report MODEL.mod FILE -o NEW.html (if it is JSON)"},
    {CPM_FILE_VALIDATION, "cpm plot FILE"},
    {CPM_FILE_COMPARISON, "cpm plot FILE"},
    {CPM_FILE_OPENMPI, "cpm rules FILE"},
};

static const char *commands_of(cpm_file_kind kind)
{
    for (size_t k = 0; k < sizeof readers / sizeof *readers; k++)
        if (readers[k].kind == kind)
            return readers[k].read;
    return NULL;
}

static int count_hosts(const cpm_measurements *m, cpm_error *e)
{
    cpm_hosts on = {0};
    int status = cpm_measurements_hosts(m, m->n, &on, e), count = on.count;
    cpm_hosts_clear(&on);
    return status ? 0 : count;
}

static void put_collectives(const cpm_measurements *m)
{
    int collectives = 0;
    for (int k = 0; k < m->count; k++)
        collectives += m->at[k].what.collective.operation != NULL;
    printf("%d experiments, %d of them collectives\n", m->count, collectives);
}

static int put_measurements(const char *path, cpm_error *e)
{
    cpm_measurements m = {0};
    cpm_error none = {0};
    int status = cpm_measurements_read(path, &m, NULL, e);
    if (!status) {
        int hosts = count_hosts(&m, &none);
        printf("%d processes%s", m.n, hosts ? "" : "\n");
        if (hosts)
            printf(" on %d host%s\n", hosts, hosts == 1 ? "" : "s");
        put_collectives(&m);
        for (int i = 0; i < m.metadata.count; i++)
            if (strcmp(m.metadata.items[i].key, "date") == 0 ||
                strcmp(m.metadata.items[i].key, "command") == 0)
                printf("%s: %s\n", m.metadata.items[i].key, m.metadata.items[i].value);
        if (m.duration < 0)
            puts("the campaign did not end: --resume continues it");
    }
    cpm_measurements_clear(&m);
    return status;
}

int show_file(call *c, cpm_file_kind kind, cpm_error *e)
{
    char shown[PATH_MAX];
    const char *path = c->operand[0], *read = commands_of(kind);
    if (c->set->out.format != CPM_FORMAT_TEXT)
        return cpm_fail(e, CPM_EINVAL, "%s: is %s: --format is for models", path,
                        cpm_file_kind_named(kind));
    printf("%s: %s\n", cpm_escape(path, shown, sizeof shown), cpm_file_kind_named(kind));
    int status = kind == CPM_FILE_MEASUREMENTS ? put_measurements(path, e) : CPM_OK;
    if (!status && read) {
        puts("\nread by:");
        output_lines("  ", read, stdout);
    }
    return status;
}
