/* cpm manual: the man pages, of the same rows as the help. Used by the build. */
#include <limits.h>
#include <string.h>

#include "tools/frame/options.h"
#include "tools/frame/output.h"

/* Text of a man page: a hyphen that is to be copied is \-, a line must not begin with a dot. */
static void put(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
}

static void put_option(void *context, const option *o)
{
    FILE *out = context;
    fputs(".TP\n", out);
    if (o->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", out);
    put(out, o->name);
    fputs("\\fR", out);
    if (o->argument)
        fprintf(out, "%s\\fI%s\\fR", *o->argument == '[' ? "" : " ", o->argument);
    fputc('\n', out);
    put(out, o->help);
    fputc('\n', out);
}

static void put_options(FILE *out, const command *k)
{
    options_each(k, put_option, out);
}

static void put_example(FILE *out, const command *k)
{
    fputs(".nf\n.RS\n", out);
    put(out, k->example);
    fputs("\n.RE\n.fi\n", out);
}

static void put_command(FILE *out, const command *k)
{
    fprintf(out, ".SS %scpm %s [OPTIONS] %s\n", k->measures ? "mpiexec \\-n N " : "", k->name,
            k->operands);
    put(out, k->description);
    fputc('\n', out);
    put_options(out, k);
    fputs(".PP\nExample:\n.PP\n", out);
    put_example(out, k);
}

static void put_head(FILE *out)
{
    fputs(".TH CPM 1 \"\" \"cpm " CPM_VERSION "\" \"User Commands\"\n"
          ".SH NAME\n"
          "cpm \\- measure MPI communication, fit performance models, predict collectives\n"
          ".SH SYNOPSIS\n"
          ".B cpm\n.I COMMAND\n[OPTIONS] [ARGUMENTS]\n"
          ".SH DESCRIPTION\n"
          "Sizes are written as 64, 1K, 2M (powers of 1024), lists as 1K,2K, doubling ranges as\n"
          "1K:1M, and ranges with a stride as 0:256K:4K. Times are printed in microseconds; in\n"
          "files they are seconds.\n"
          ".SH COMMANDS\n",
          out);
}

static void put_tail(FILE *out)
{
    fputs(
        ".SH EXIT STATUS\n0: done. 1: failed. 2: wrong usage. 3: doctor, diff or health found "
        "something. "
        "4: they "
        "cannot tell.\n"
        "Under mpiexec all processes exit "
        "alike.\n"
        ".SH SEE ALSO\nEvery command has a page of its own: man cpm\\-predict; cpm help COMMAND.\n"
        ".SH ENVIRONMENT\n.TP\n.B CPM_GNUPLOT_DIR\nwhere the plot scripts are\n",
        out);
}

/* ---- a page for each command */

/* "cpm-bench-coll"; of tune --measure "cpm-tune-measure". */
static void page_name(const command *k, char name[64])
{
    size_t used = (size_t)snprintf(name, 64, "cpm-");
    for (const char *c = k->name; *c && used < 63; c++)
        if (*c != '-' || name[used - 1] != '-')
            name[used++] = *c == ' ' ? '-' : *c;
    name[used] = '\0';
}

static void put_page(FILE *out, const command *k)
{
    char name[64];
    page_name(k, name);
    fputs(".TH \"", out);
    put(out, name);
    fputs("\" 1 \"\" \"cpm " CPM_VERSION "\" \"User Commands\"\n.SH NAME\n", out);
    put(out, name);
    fputs(" \\- ", out);
    put(out, k->summary);
    fprintf(out, "\n.SH SYNOPSIS\n%scpm ", k->measures ? "mpiexec \\-n N " : "");
    put(out, k->name);
    fprintf(out, " [OPTIONS] %s\n.SH DESCRIPTION\n", k->operands);
    put(out, k->description);
    fputs("\n.SH OPTIONS\n", out);
    put_options(out, k);
    fputs(".SH EXAMPLE\n", out);
    put_example(out, k);
    fputs(".SH SEE ALSO\n.BR cpm (1)\n", out);
}

static int write_page(const char *folder, const command *k, cpm_error *e)
{
    char path[PATH_MAX], name[64];
    cpm_new_file out;
    page_name(k, name);
    snprintf(path, sizeof path, "%s/%s.1", folder, name);
    int status = output_open(path, CPM_FILE_MANUAL, &out, e);
    if (status)
        return status;
    put_page(out.stream, k);
    return cpm_new_file_close(&out, CPM_OK, e);
}

static int write_all(const char *output, cpm_error *e)
{
    cpm_new_file out;
    int status = output_open(output, CPM_FILE_MANUAL, &out, e);
    if (status)
        return status;
    put_head(out.stream);
    for (const command *const *k = commands; *k; k++)
        put_command(out.stream, *k);
    put_tail(out.stream);
    return cpm_new_file_close(&out, CPM_OK, e);
}

static int run(call *c, cpm_error *e)
{
    int status = c->operands && !c->set->out.path ? CPM_OK : write_all(c->set->out.path, e);
    for (const command *const *k = commands; *k && c->operands && !status; k++)
        status = write_page(c->operand[0], *k, e);
    return status;
}

/* clang-format off */
static const option own[] = {
    {"output", 'o', "FILE", "write the page of all commands to FILE (default: standard output)", offsetof(settings, out.path),
     set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_manual = {
    .name = "manual",
    .operands = "[FOLDER]",
    .summary = "write the man pages",
    .description = "Writes the man page, and into a folder one for each subcommand.",
    .example = "cpm manual -o cpm.1",
    .max_operands = 1,
    .options = {own, force_options},
    .run = run,
};
