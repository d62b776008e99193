/* The C file: a comment that says what it is, then the executor's text with the tables in it.
 *
 * The text (routines.c.in) is C, but for PREFIX_, and comments that stand on lines of their own:
 * the one for the tables, and those around what only some files need. */
#include <string.h>

#include "base/escape.h"
#include "libraries/export.h"
#include "libraries/routine.h"

static const char *const text[] = {
#include "routines_text.inc"
    NULL,
};

/* ---- which parts of it */

static bool has(const cpm_routines *r, int operation)
{
    for (int k = 0; k < r->rule_count; k++)
        if (r->rules[k].operation == operation && r->rules[k].first >= 0)
            return true;
    return false;
}

/* What several routines use, by the operations that do: bits. */
enum {
    REDUCTIONS = 1 << CPM_OP_REDUCE | 1 << CPM_OP_ALLREDUCE | 1 << CPM_OP_REDUCE_SCATTER |
                 1 << CPM_OP_SCAN | 1 << CPM_OP_EXSCAN,
    DATA = ~(1 << CPM_OP_BARRIER),
    BLOCKS = DATA & ~REDUCTIONS,
    MEANS = REDUCTIONS | 1 << CPM_OP_ALLGATHERV,
    SUMS = 1 << CPM_OP_REDUCE_SCATTER | 1 << CPM_OP_ALLGATHERV,
    COUNTS = SUMS | 1 << CPM_OP_SCATTERV | 1 << CPM_OP_GATHERV | 1 << CPM_OP_ALLTOALLV,
};

static const struct {
    const char *name;
    int users;
} parts[] = {
    /* the operations that have routines, and others */
    [CPM_OP_BCAST] = {"BCAST", 1 << CPM_OP_BCAST},
    [CPM_OP_SCATTER] = {"SCATTER", 1 << CPM_OP_SCATTER},
    [CPM_OP_SCATTERV] = {"SCATTERV", 1 << CPM_OP_SCATTERV},
    [CPM_OP_GATHER] = {"GATHER", 1 << CPM_OP_GATHER},
    [CPM_OP_GATHERV] = {"GATHERV", 1 << CPM_OP_GATHERV},
    [CPM_OP_REDUCE] = {"REDUCE", 1 << CPM_OP_REDUCE},
    [CPM_OP_REDUCE_SCATTER] = {"REDUCE_SCATTER", 1 << CPM_OP_REDUCE_SCATTER},
    [CPM_OP_ALLGATHER] = {"ALLGATHER", 1 << CPM_OP_ALLGATHER},
    [CPM_OP_ALLGATHERV] = {"ALLGATHERV", 1 << CPM_OP_ALLGATHERV},
    [CPM_OP_ALLTOALL] = {"ALLTOALL", 1 << CPM_OP_ALLTOALL},
    [CPM_OP_ALLTOALLV] = {"ALLTOALLV", 1 << CPM_OP_ALLTOALLV},
    [CPM_OP_ALLREDUCE] = {"ALLREDUCE", 1 << CPM_OP_ALLREDUCE},
    [CPM_OP_SCAN] = {"SCAN", 1 << CPM_OP_SCAN},
    [CPM_OP_EXSCAN] = {"EXSCAN", 1 << CPM_OP_EXSCAN},
    [CPM_OP_BARRIER] = {"BARRIER", 1 << CPM_OP_BARRIER},
    [CPM_OPERATIONS] = {"REDUCTIONS", REDUCTIONS},
    {"DATA", DATA},
    {"BLOCKS", BLOCKS},
    {"MEANS", MEANS},
    {"SUMS", SUMS},
    {"COUNTS", COUNTS},
};
enum { PARTS = sizeof parts / sizeof *parts };

static int operations_of(const cpm_routines *r)
{
    int bits = 0;
    for (int o = 0; o < CPM_OPERATIONS; o++)
        bits |= has(r, o) << o;
    return bits;
}

static bool is_needed(const char *name, int operations)
{
    size_t length = strcspn(name, " ");
    for (int k = 0; k < PARTS; k++)
        if (parts[k].name && strlen(parts[k].name) == length &&
            memcmp(parts[k].name, name, length) == 0)
            return parts[k].users & operations;
    return false;
}

/* ---- the comment */

static const char *const names[CPM_OPERATIONS] = {
    [CPM_OP_BCAST] = "Bcast",
    [CPM_OP_SCATTER] = "Scatter",
    [CPM_OP_SCATTERV] = "Scatterv",
    [CPM_OP_GATHER] = "Gather",
    [CPM_OP_GATHERV] = "Gatherv",
    [CPM_OP_REDUCE] = "Reduce",
    [CPM_OP_REDUCE_SCATTER] = "Reduce_scatter",
    [CPM_OP_ALLGATHER] = "Allgather",
    [CPM_OP_ALLGATHERV] = "Allgatherv",
    [CPM_OP_ALLTOALL] = "Alltoall",
    [CPM_OP_ALLTOALLV] = "Alltoallv",
    [CPM_OP_ALLREDUCE] = "Allreduce",
    [CPM_OP_SCAN] = "Scan",
    [CPM_OP_EXSCAN] = "Exscan",
    [CPM_OP_BARRIER] = "Barrier",
};

/* A name cannot end the comment that it stands in. */
static void put_in_comment(const char *name, FILE *out)
{
    char shown[512];
    cpm_escape(name, shown, sizeof shown);
    for (const char *p = shown; *p; p++) {
        putc(*p, out);
        if (*p == '*' && p[1] == '/')
            putc(' ', out);
        if (*p == '/' && p[1] == '*')
            putc(' ', out);
    }
}

static const char *first_name(const cpm_routines *r)
{
    int o = 0;
    while (!has(r, o))
        o++;
    return names[o];
}

static void put_use(const cpm_routines *r, const cpm_routine_options *o, FILE *out)
{
    fprintf(out,
            " *\n"
            " * The routines have MPI's signatures. MPI's own run where the table says nothing. "
            "That is\n"
            " * for other numbers of processes, inter-communicators, and operations that do not\n"
            " * commute where the table's algorithm changes the order.\n"
            " *\n"
            " * By their own names: the program calls %s_%s. It takes the declarations from here,\n"
            " *     #define CPM_DECLARATIONS\n"
            " *     #include \"this file\"\n"
            " * and this file is compiled and linked with it: mpicc program.c FILE.c\n"
            " *\n"
            " * By MPI's names: with -DCPM_AS_MPI they are MPI_%s and so on, which call PMPI_%s.\n"
            " * The program is not changed: mpicc -DCPM_AS_MPI program.c FILE.c, or as a library:\n"
            " *     mpicc -DCPM_AS_MPI -shared -fPIC FILE.c -o libroutines.so\n"
            " *     LD_PRELOAD=./libroutines.so mpiexec ./program\n"
            " * (Fortran's routines are not replaced.)\n",
            o->prefix, first_name(r), first_name(r), first_name(r));
}

static void put_rule(const cpm_routine_rule *rule, FILE *out)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective_print_algorithm(&rule->what, name, sizeof name);
    bool runs = rule->first >= 0;
    fprintf(out, " *   %s, %d processes, from %d bytes: %s", rule->what.operation->name,
            rule->processes, rule->from, runs ? name : "MPI's own");
    if (runs && cpm_routines_root(&rule->what) >= 0)
        fprintf(out, ", from root %d only", cpm_routines_root(&rule->what));
    putc('\n', out);
}

static void put_comment(const cpm_routines *r, const cpm_routine_options *o, FILE *out)
{
    fputs("/* Collective operations as a decision table says; by cpm export --c from ", out);
    put_in_comment(o->table, out);
    fputs(".\n * It needs nothing but MPI. Other than CPM itself it may be used, changed and "
          "passed on\n"
          " * without any conditions, and without any warranty.\n",
          out);
    put_use(r, o, out);
    fputs(" *\n * The table:\n", out);
    for (int k = 0; k < r->rule_count; k++)
        put_rule(&r->rules[k], out);
    if (r->note_count)
        fputs(" *\n * Left to MPI's own routines, because they cannot be written so:\n", out);
    for (int k = 0; k < r->note_count; k++) {
        fputs(" *   ", out);
        put_in_comment(r->notes[k], out);
        putc('\n', out);
    }
    fputs(" */\n", out);
}

/* ---- the tables */

static void put_numbers(const char *name, const cpm_numbers *n, FILE *out)
{
    enum { LINE = 96 };
    int column = 0;
    fprintf(out, "static const int %s[] = {\n", name);
    for (int64_t k = 0; k < n->count; k++) {
        column += fprintf(out, "%d,", n->at[k]);
        if (column > LINE)
            column = 0, putc('\n', out);
    }
    fputs("};\n", out);
}

static void put_tables(const cpm_routines *r, FILE *out)
{
    static const char *const from[] = {"AS_THEY_ARE", "FROM_ROOT", "FROM_RANK", "XOR_RANK"};
    fprintf(out, "enum { RULES = %d, MOST_MESSAGES = %d, MOST_CHUNKS = %d };\n\n", r->rule_count,
            r->messages + 1, r->chunks + 1);
    fputs("static const rule rules[] = {\n", out);
    for (int k = 0; k < r->rule_count; k++) {
        const cpm_routine_rule *x = &r->rules[k];
        fprintf(out, "    {%s, %d, %d, %d, %d, %d},\n", parts[x->operation].name, x->processes,
                x->from, x->segment, x->first, x->plans);
    }
    fputs("};\n\nstatic const plan plans[] = {\n", out);
    for (int k = 0; k < r->plan_count; k++) {
        const cpm_routine_plan *x = &r->plans[k];
        fprintf(out, "    {%d, %d, %d, %s, %d, %d, %d, %d, %d},\n", x->segments, x->pieces, x->more,
                from[x->from], x->order, x->apart, x->passing, x->starts, x->root);
    }
    fputs("};\n\n", out);
    put_numbers("starts", &r->starts, out);
    putc('\n', out);
    put_numbers("programs", &r->programs, out);
}

/* ---- the file */

static void put_line(const char *line, const char *prefix, FILE *out)
{
    const char *mark = strstr(line, "PREFIX_");
    if (!mark)
        fputs(line, out);
    else
        fprintf(out, "%.*s%s%s", (int)(mark - line), line, prefix, mark + strlen("PREFIX"));
}

/* What follows the words that a line says; NULL: it says others. */
static const char *says(const char *line, const char *words)
{
    line += strspn(line, " ");
    return strncmp(line, words, strlen(words)) == 0 ? line + strlen(words) : NULL;
}

void cpm_routines_write(const cpm_routines *r, const cpm_routine_options *o, FILE *out)
{
    int operations = operations_of(r);
    bool written = true; /* in one part there is no other */
    put_comment(r, o, out);
    for (const char *const *line = text; *line; line++)
        if (says(*line, "/* @if "))
            written = is_needed(says(*line, "/* @if "), operations);
        else if (says(*line, "/* @else"))
            written = !written;
        else if (says(*line, "/* @end"))
            written = true;
        else if (written && says(*line, "/* @tables"))
            put_tables(r, out);
        else if (written)
            put_line(*line, o->prefix, out);
}
