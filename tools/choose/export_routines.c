/* cpm export --c: a decision table as a C file. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "libraries/export.h"
#include "tools/choose/export.h"
#include "tools/frame/output.h"
#include "tools/frame/placement.h"

/* More would take minutes, and more than a compiler likes. */
enum { MOST_PROCESSES = 1024 };

static int check_prefix(const char *prefix, cpm_error *e)
{
    bool good = isalpha((unsigned char)*prefix);
    for (const char *p = prefix; *p && good; p++)
        good = isalnum((unsigned char)*p) || *p == '_';
    if (strcmp(prefix, "MPI") == 0 || strcmp(prefix, "PMPI") == 0)
        return cpm_fail(
            e, CPM_EINVAL,
            "--prefix: %s_Bcast is MPI's own: take another name, and -DCPM_AS_MPI where "
            "the routines are to take its place",
            prefix);
    return good ? CPM_OK
                : cpm_fail(e, CPM_EINVAL, "--prefix: '%s' cannot begin the name of a routine in C",
                           prefix);
}

static int check_processes(const call *c, const cpm_table *t, cpm_error *e)
{
    int n = export_of(c)->processes;
    bool placed = c->set->where.topology || c->set->where.layout;
    if (n != EXPORT_UNSET && (n < 1 || n > MOST_PROCESSES))
        return cpm_fail(e, CPM_EINVAL, "--processes: %d is not in 1..%d", n, MOST_PROCESSES);
    if (n == EXPORT_UNSET && placed)
        return cpm_fail(e, CPM_EINVAL, "--%s needs one number of processes: add -n",
                        c->set->where.topology ? "topology" : "layout");
    for (int k = 0; k < t->count && n == EXPORT_UNSET; k++)
        if (t->at[k].n > MOST_PROCESSES)
            return cpm_fail(e, CPM_EINVAL,
                            "the table has rules for %d processes, and routines are for at most "
                            "%d: name a number of processes (-n)",
                            t->at[k].n, MOST_PROCESSES);
    return CPM_OK;
}

static void say(const call *c, const cpm_table *t, const cpm_exported *counts, const char *notes)
{
    char file[512] = "FILE.c", timing[80];
    if (cpm_table_batch(t))
        fprintf(stderr, "cpm export: the table is not for isolated calls (timing: %s)\n",
                cpm_escape(cpm_table_batch(t), timing, sizeof timing));
    if (c->set->out.path)
        cpm_escape(c->set->out.path, file, sizeof file);
    if (counts->left)
        fprintf(stderr, "cpm export: %d of %d rules are left to MPI's own routines:\n",
                counts->left, counts->rules);
    output_lines("cpm export: ", notes, stderr);
    fprintf(stderr,
            "cpm export: use it with mpicc -DCPM_AS_MPI program.c %s, or call %s_Bcast and the "
            "like\n",
            file, export_of(c)->prefix);
}

static int write_routines(const call *c, const cpm_table *t, const placement *placed, cpm_error *e)
{
    char *notes = NULL;
    size_t size = 0;
    cpm_exported counts;
    cpm_new_file out;
    const cpm_routine_options options = {
        .table = c->operand[0],
        .prefix = export_of(c)->prefix,
        .n = export_of(c)->processes == EXPORT_UNSET ? 0 : export_of(c)->processes,
        .topology = placed->known.topology,
        .hosts = placed->known.hosts};
    FILE *noted = open_memstream(&notes, &size);
    int status =
        noted ? output_open(c->set->out.path, CPM_FILE_ROUTINES, &out, e) : cpm_no_memory(e);
    if (!status) {
        status = cpm_export_c(t, &options, out.stream, noted, &counts, e);
        status = cpm_new_file_close(&out, status, e);
    }
    if (noted)
        fclose(noted);
    if (!status)
        say(c, t, &counts, notes);
    free(notes);
    return status;
}

int export_routines(call *c, cpm_error *e)
{
    cpm_table *t = NULL;
    placement placed = {0};
    int status = check_prefix(export_of(c)->prefix, e);
    status = status ? status : cpm_table_read(c->operand[0], &t, e);
    status = status ? status : check_processes(c, t, e);
    status = status ? status : output_check(c->set->out.path, CPM_FILE_ROUTINES, e);
    if (!status && export_of(c)->processes != EXPORT_UNSET)
        status = placement_open(c->set, export_of(c)->processes, &placed, e);
    status = status ? status : write_routines(c, t, &placed, e);
    placement_close(&placed);
    cpm_table_free(t);
    return status;
}
