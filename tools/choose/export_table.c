/* cpm export --openmpi, --mpich: a decision table for an MPI library. */
#include <limits.h>
#include <string.h>

#include "base/escape.h"
#include "libraries/export.h"
#include "tables/gains.h"
#include "tools/choose/export.h"
#include "tools/choose/mpich_library.h"
#include "tools/frame/output.h"

/* What standard error says once the file is there. */
typedef struct {
    const char *library, *usage; /* %s: the file */
    cpm_file_kind kind;
} language;

/* Writes the table to out. */
typedef int writer(const call *c, const cpm_table *t, FILE *out, cpm_exported *counts,
                   cpm_error *e);

static void say_gains(const language *l, const cpm_gains *g)
{
    if (g->unsure)
        fprintf(stderr,
                "cpm export: %d of %d rules are not surely faster than %s's own routine, which "
                "stays there\n",
                g->unsure, g->rules, l->library);
    if (g->predicted)
        fprintf(stderr,
                "cpm export: %d of %d rules are predicted, not measured: try them with cpm tune "
                "--verify\n",
                g->predicted, g->rules);
}

static void say(const call *c, const language *l, const cpm_table *t, const cpm_exported *counts)
{
    char file[PATH_MAX], timing[80];
    if (cpm_table_batch(t))
        fprintf(stderr, "cpm export: the table is not for isolated calls (timing: %s)\n",
                cpm_escape(cpm_table_batch(t), timing, sizeof timing));
    if (counts->left)
        fprintf(stderr,
                "cpm export: %d of %d rules name what %s does not have or cannot express; there "
                "it decides by itself\n",
                counts->left, counts->rules, l->library);
    if (counts->even)
        fprintf(
            stderr,
            "cpm export: %d of %d rules exchange with neighbors; on an odd number of processes %s "
            "runs a logical ring instead\n",
            counts->even, counts->rules, l->library);
    if (c->set->out.path)
        fprintf(stderr, "cpm export: use it with %s%s\n", l->usage,
                cpm_escape(c->set->out.path, file, sizeof file));
}

static int write_to_output(const call *c, const language *l, const cpm_table *t, writer *put,
                           cpm_exported *counts, cpm_error *e)
{
    cpm_new_file out;
    int status = output_open(c->set->out.path, l->kind, &out, e);
    if (status)
        return status;
    status = put(c, t, out.stream, counts, e);
    return cpm_new_file_close(&out, status, e);
}

static int export_table(const call *c, const language *l, writer *put, cpm_error *e)
{
    cpm_table *t = NULL;
    cpm_exported counts;
    cpm_gains gains = {0};
    int status = cpm_table_read(c->operand[0], &t, e);
    if (!status)
        gains = cpm_table_keep_gains(t);
    if (!status)
        status = output_check(c->set->out.path, l->kind, e);
    if (!status)
        status = write_to_output(c, l, t, put, &counts, e);
    if (!status)
        say_gains(l, &gains);
    if (!status)
        say(c, l, t, &counts);
    cpm_table_free(t);
    return status;
}

/* The comment at the beginning. */
static void put_title(FILE *out, const char *what, const call *c)
{
    fprintf(out, "# %s; by cpm export from ", what);
    cpm_put_shown(out, c->operand[0]);
}

static bool is_release(const call *c, const char *release)
{
    return export_of(c)->release && strcmp(export_of(c)->release, release) == 0;
}

/* ---- Open MPI */

static int put_openmpi(const call *c, const cpm_table *t, FILE *out, cpm_exported *counts,
                       cpm_error *e)
{
    (void)e;
    if (is_release(c, "6")) {
        cpm_export_openmpi_json(t, export_of(c)->commuting, out, counts);
        return CPM_OK;
    }
    put_title(out, "Open MPI, coll/tuned, dynamic rules, format version 1", c);
    if (cpm_table_batch(t))
        fputs(", timing ", out);
    if (cpm_table_batch(t))
        cpm_put_shown(out, cpm_table_batch(t));
    putc('\n', out);
    cpm_export_openmpi(t, export_of(c)->commuting, out, counts);
    return CPM_OK;
}

int export_openmpi(call *c, cpm_error *e)
{
    static const language openmpi = {"Open MPI",
                                     "mpiexec --mca coll_tuned_use_dynamic_rules 1 --mca "
                                     "coll_tuned_dynamic_rules_filename ",
                                     CPM_FILE_OPENMPI};
    static const language later = {"Open MPI",
                                   "mpiexec --mca coll ^han --mca coll_tuned_use_dynamic_rules 1 "
                                   "--mca coll_tuned_dynamic_rules_filename ",
                                   CPM_FILE_OPENMPI};
    bool is_later = is_release(c, "5") || is_release(c, "6");
    return export_table(c, is_later ? &later : &openmpi, put_openmpi, e);
}

/* ---- HAN */

static int put_han(const call *c, const cpm_table *t, FILE *out, cpm_exported *counts, cpm_error *e)
{
    (void)e;
    put_title(out, "Open MPI, coll/han, dynamic rules", c);
    putc('\n', out);
    cpm_export_han(t, export_of(c)->commuting, out, counts);
    return CPM_OK;
}

int export_han(call *c, cpm_error *e)
{
    static const language han = {"HAN",
                                 "mpiexec --mca coll_han_use_dynamic_file_rules 1 --mca "
                                 "coll_han_dynamic_rules_filename ",
                                 CPM_FILE_OPENMPI};
    return export_table(c, &han, put_han, e);
}

/* ---- UCC */

static int put_ucc(const call *c, const cpm_table *t, FILE *out, cpm_exported *counts, cpm_error *e)
{
    (void)e;
    put_title(out, "UCC, configuration", c);
    putc('\n', out);
    cpm_export_ucc(t, out, counts);
    return CPM_OK;
}

int export_ucc(call *c, cpm_error *e)
{
    static const language ucc = {"UCC",
                                 "mpiexec --mca coll_ucc_enable 1 --mca coll_ucc_priority 100 -x "
                                 "UCC_CONFIG_FILE=",
                                 CPM_FILE_UCC};
    return export_table(c, &ucc, put_ucc, e);
}

/* ---- MPICH */

static int put_mpich(const call *c, const cpm_table *t, FILE *out, cpm_exported *counts,
                     cpm_error *e)
{
    const char *library;
    int status = mpich_library(export_of(c)->library, &library, e);
    return status ? status : cpm_export_mpich(t, library, is_release(c, "5.1"), out, counts, e);
}

int export_mpich(call *c, cpm_error *e)
{
    static const language mpich = {"MPICH",
                                   "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=", CPM_FILE_MPICH};
    static const language later = {"MPICH", "MPIR_CVAR_COLL_SELECTION_JSON_FILE=", CPM_FILE_MPICH};
    return export_table(c, is_release(c, "5.1") ? &later : &mpich, put_mpich, e);
}
