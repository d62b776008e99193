/* cpm export: algorithms, decision tables and models in the languages of other programs. */
#include "tools/choose/export.h"

#include <stdint.h>
#include <string.h>

#include "tools/frame/options.h"
#include "tools/frame/placement.h"

typedef struct {
    size_t flag; /* offset in settings */
    int (*run)(call *c, cpm_error *e);
} language;

static const language languages[] = {
    {offsetof(export_settings, goal), export_messages},
    {offsetof(export_settings, schedule), export_messages},
    {offsetof(export_settings, openmpi), export_openmpi},
    {offsetof(export_settings, han), export_han},
    {offsetof(export_settings, ucc), export_ucc},
    {offsetof(export_settings, mpich), export_mpich},
    {offsetof(export_settings, simgrid), export_simgrid},
    {offsetof(export_settings, hwloc), export_hwloc},
    {offsetof(export_settings, routines), export_routines},
};
enum { LANGUAGES = sizeof languages / sizeof *languages };

#define SIZE_UNSET SIZE_MAX /* --size was not given */

static bool is_asked_for(const call *c, const language *l)
{
    return *(const bool *)((const char *)c->set + l->flag);
}

/* Of MPI libraries, whose files differ: the first one is the default. */
static int check_release(const export_settings *s, cpm_error *e)
{
    static const char *const openmpi[] = {"4", "5", "6", NULL}, *const mpich[] = {"4", "5.1", NULL};
    if (!s->release)
        return CPM_OK;
    if (!s->openmpi && !s->mpich)
        return cpm_fail(e, CPM_EINVAL, "--release: is for --openmpi and --mpich");
    for (const char *const *known = s->openmpi ? openmpi : mpich; *known; known++)
        if (strcmp(*known, s->release) == 0)
            return CPM_OK;
    return cpm_fail(e, CPM_EINVAL, "--release: '%s' is none of %s", s->release,
                    s->openmpi ? "Open MPI's that are known: 4, 5, 6"
                               : "MPICH's that are known: 4, 5.1");
}

static int check(const call *c, cpm_error *e)
{
    int count = 0;
    for (int k = 0; k < LANGUAGES; k++)
        count += is_asked_for(c, &languages[k]);
    if (count != 1)
        return cpm_fail(e, CPM_EINVAL,
                        "in which language? --c, --goal, --han, --hwloc, --openmpi, --mpich, "
                        "--schedule, --simgrid or --ucc");
    if (!export_of(c)->goal && !export_of(c)->schedule && export_of(c)->message != SIZE_UNSET)
        return cpm_fail(e, CPM_EINVAL,
                        "--size: is for --goal and --schedule; of a table all sizes are exported, "
                        "and cpm tune -m makes one for others");
    if (!export_of(c)->goal && export_of(c)->model)
        return cpm_fail(e, CPM_EINVAL, "--model: is for --goal");
    if (!export_of(c)->hwloc && export_of(c)->host)
        return cpm_fail(e, CPM_EINVAL, "--host: is for --hwloc");
    if (!export_of(c)->model && export_of(c)->picoseconds)
        return cpm_fail(e, CPM_EINVAL, "--picoseconds: is the unit of --model's parameters");
    return check_release(export_of(c), e);
}

static int run(call *c, cpm_error *e)
{
    int k = 0;
    if (export_of(c)->message == SIZE_UNSET)
        export_of(c)->message = 1024;
    while (!is_asked_for(c, &languages[k]))
        k++;
    return languages[k].run(c, e);
}

static void defaults(void *set)
{
    export_settings *s = set;
    s->message = SIZE_UNSET;
    s->processes = EXPORT_UNSET;
    s->prefix = "CPM";
}

/* clang-format off */
static const option own[] = {
    {"openmpi", 0, NULL, "a decision table as a rules file of Open MPI", offsetof(export_settings, openmpi), NULL},
    {"han", 0, NULL, "where a decision table runs collectives by hosts, as a rules file of Open MPI's "
     "HAN", offsetof(export_settings, han), NULL},
    {"ucc", 0, NULL, "a decision table as a configuration file of UCC, for programs that run its collectives "
     "(Open MPI)", offsetof(export_settings, ucc), NULL},
    {"mpich", 0, NULL, "a decision table as a selection file of MPICH", offsetof(export_settings, mpich), NULL},
    {"c", 0, NULL, "a decision table as a C file that needs MPI only", offsetof(export_settings, routines), NULL},
    {"simgrid", 0, NULL, "an lmo or lmo2 model as a platform of SimGrid", offsetof(export_settings, simgrid), NULL},
    {"hwloc", 0, NULL, "latency and bandwidth between the cores and NUMA nodes of a host, by a model, "
     "as a topology of hwloc", offsetof(export_settings, hwloc), NULL},
    {"host", 0, "NAME", "with --hwloc: the host (default: the first one with most processes)",
     offsetof(export_settings, host), set_text},
    {"goal", 0, NULL, "an algorithm as GOAL, the language of LogGOPSim", offsetof(export_settings, goal), NULL},
    {"schedule", 0, NULL, "an algorithm as a schedule file: a line for each message",
     offsetof(export_settings, schedule), NULL},
    {"model", 0, "FILE.mod", "with --goal: print the parameters of this loggp model for LogGOPSim",
     offsetof(export_settings, model), set_text},
    {"picoseconds", 0, NULL, "print these in picoseconds instead of nanoseconds; LogGOPSim takes "
                             "whole numbers",
     offsetof(export_settings, picoseconds), NULL},
    {"commuting", 0, NULL, "with --openmpi and --han: also rules that are wrong for operations that do not "
     "commute", offsetof(export_settings, commuting), NULL},
    {"release", 0, "N", "with --openmpi: the release that reads the file: 4 (default), 5, or 6, which reads "
     "JSON. With --mpich: 4 (default, also 5.0), or 5.1", offsetof(export_settings, release), set_text},
    {"mpich-library", 0, "FILE", "with --mpich: the libmpich.so whose decisions remain where the table "
     "has none (default: the one that cpm was built with)", offsetof(export_settings, library), set_text},
    {"processes", 'n', "N", "with --goal and --schedule: number of processes (default 16). A C file (--c) gets "
     "only the rules of this number", offsetof(export_settings, processes), set_integer},
    {"prefix", 0, "NAME", "with --c: the routines are NAME_Bcast and so on (default CPM)",
     offsetof(export_settings, prefix), set_text},
    {"size", 'm', "SIZE", "with --goal and --schedule: block size (default 1K)", offsetof(export_settings, message),
     set_size},
    {"root", 0, "R", "with --goal and --schedule: root process (default 0)", offsetof(settings, calls.root),
     set_integer},
    {"output", 'o', "FILE", "write the result to FILE (default: standard output)", offsetof(settings, out.path),
     set_new_file},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_export = {
    .name = "export",
    .operands = "TABLE.json|FILE.mod|OP:ALGORITHM",
    .summary = "write tables, models and algorithms for other programs",
    .description =
        "Writes a decision table of cpm tune for Open MPI or MPICH, or as C routines that follow "
        "the table and need nothing of CPM. Also writes a model for SimGrid's SMPI, or a host of "
        "one for hwloc. Also writes the ordered messages of an algorithm for LogGOPSim, or as a "
        "schedule file. Instructions for the file go to standard error.",
    .example = "cpm export --openmpi table.json -o rules.conf\n"
               "cpm export --c table.json -o routines.c\n"
               "cpm export --simgrid cluster.mod -o platform.xml\n"
               "cpm export --hwloc node.mod -o host.xml\n"
               "cpm export --goal bcast:binomial -n 1024 -m 64K -o bcast.goal\n"
               "cpm export --schedule bcast:binomial -n 8 -o bcast.schedule",
    .min_operands = 1,
    .max_operands = 1,
    .defaults = defaults,
    .check = check,
    .settings = sizeof(export_settings),
    .options = {own, topology_options, layout_options, force_options},
    .run = run,
};
