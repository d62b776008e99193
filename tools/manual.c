/* cpm manual: the man page, of the same rows as the help. Used by the build. */
#include "tools/options.h"
#include "tools/output.h"

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

static void put_command(FILE *out, const command *k)
{
    fprintf(out, ".SS %scpm %s [OPTIONS] %s\n", k->measures ? "mpiexec \\-n N " : "", k->name,
            k->operands);
    put(out, k->description);
    fputc('\n', out);
    options_each(k, put_option, out);
    fputs(".PP\nExample:\n.PP\n.nf\n.RS\n", out);
    put(out, k->example);
    fputs("\n.RE\n.fi\n", out);
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
    fputs(".SH EXIT STATUS\n0: done. 1: failed. 2: wrong usage. 3: doctor or diff found something. "
          "4: doctor "
          "cannot tell.\n"
          "Under mpiexec all processes exit "
          "alike.\n"
          ".SH ENVIRONMENT\n.TP\n.B CPM_GNUPLOT_DIR\nwhere the plot scripts are\n",
          out);
}

static int run(call *c, cpm_error *e)
{
    cpm_new_file out;
    int status = output_open(c->set.output, &out, e);
    if (status)
        return status;
    put_head(out.stream);
    for (const command *const *k = commands; *k; k++)
        put_command(out.stream, *k);
    put_tail(out.stream);
    return cpm_new_file_close(&out, CPM_OK, e);
}

/* clang-format off */
static const option own[] = {
    {"output", 'o', "FILE", "where it goes (default: standard output)", offsetof(settings, output),
     set_text},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_manual = {
    .name = "manual",
    .operands = "",
    .summary = "write the man page",
    .description = "Writes the man page.",
    .example = "cpm manual -o cpm.1",
    .options = {own},
    .run = run,
};
