/* Kinds by the marks that their files begin with. A mark that people might write, too, is that of a
 * kind that is kept. */
#include "base/file_kind.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { HEAD = 4096 };

typedef struct {
    cpm_file_kind kind;
    const char *mark;   /* the file begins with it */
    const char *within; /* NULL, or what its head has besides */
} sign;

/* clang-format off */
static const sign signs[] = {
    {CPM_FILE_MEASUREMENTS, "# cpm measurements", NULL},
    {CPM_FILE_VALIDATION, "# cpm validation ", NULL},
    {CPM_FILE_RUNS, "# cpm comparison of runs ", NULL},
    {CPM_FILE_COMPARISON, "# cpm comparison ", NULL},
    {CPM_FILE_PREDICTION, "# cpm predict", NULL},
    {CPM_FILE_REPORT, "# cpm report", NULL},
    {CPM_FILE_REPORT, "collectives as process 0 ran them", NULL}, /* of before */
    {CPM_FILE_MAP, "# cpm map:", NULL},
    {CPM_FILE_SCHEDULE, "# cpm schedule:", NULL},
    {CPM_FILE_PICTURE, "\x89PNG\r\n\x1a\n", NULL},
    {CPM_FILE_PICTURE, "%PDF-", NULL},
    {CPM_FILE_PICTURE, "<svg", NULL},
    {CPM_FILE_PICTURE, "<?xml", "<svg"},
    {CPM_FILE_GRAPH, "digraph schedule {", NULL},
    {CPM_FILE_PAGE, "<!DOCTYPE html>", "<title>\nCluster report: "},
    {CPM_FILE_OPENMPI, "# Open MPI, coll/tuned, dynamic rules", "by cpm export from"},
    {CPM_FILE_OPENMPI, "# Open MPI, coll/han, dynamic rules", "by cpm export from"},
    {CPM_FILE_MPICH, "{", "\"collective="},
    {CPM_FILE_MPICH, "{", "\"algorithm=MPIR_"},
    {CPM_FILE_UCC, "# UCC, configuration", "by cpm export from"},
    {CPM_FILE_SIMGRID, "<?xml", "<!-- by cpm export, for SimGrid -->"},
    {CPM_FILE_HWLOC, "<?xml", "<!-- by cpm export, for hwloc -->"},
    {CPM_FILE_GOAL, "// cpm export:", NULL},
    {CPM_FILE_ROUTINES, "/* Collective operations as a decision table says; by cpm export --c", NULL},
    {CPM_FILE_JUNIT, "<?xml", "<testsuite name=\"cpm health\""},
    {CPM_FILE_PROMETHEUS, "# HELP cpm_health_", NULL},
    {CPM_FILE_MANUAL, ".TH CPM 1 ", "\"cpm "},
    {CPM_FILE_MANUAL, ".TH \"cpm", "\"cpm "},
    {CPM_FILE_COMPLETION, "# bash completion of cpm;", NULL},
    {CPM_FILE_COMPLETION, "#compdef cpm ", "written by cpm completion"},
    {CPM_FILE_COMPLETION, "# fish completion of cpm;", NULL},
};

/* Of JSON: the value of "format", which comes first. */
static const sign formats[] = {
    {CPM_FILE_MODEL, "cpm model", NULL},
    {CPM_FILE_TABLE, "cpm table", NULL},
    {CPM_FILE_PROFILE, "cpm profile", NULL},
    {CPM_FILE_REPORT, "cpm report", NULL},
    {CPM_FILE_PREDICTION, "cpm predict", NULL},
};

static const struct {
    const char *name;
    bool made_again;
} kinds[] = {
    [CPM_FILE_UNKNOWN] = {"something that cpm does not know", false},
    [CPM_FILE_MODEL] = {"a model", false},
    [CPM_FILE_MEASUREMENTS] = {"measurements", false},
    [CPM_FILE_HISTORY] = {"a tuning history", true /* has the older one in it */},
    [CPM_FILE_TABLE] = {"a decision table", true},
    [CPM_FILE_RULES] = {"rules", false},
    [CPM_FILE_MAP] = {"a map of processes", true},
    [CPM_FILE_SCHEDULE] = {"a schedule", false}, /* may have taken an hour, or be changed by hand */
    [CPM_FILE_TOPOLOGY] = {"a topology", false},
    [CPM_FILE_PROFILE] = {"a profile of a program", true},
    [CPM_FILE_REPORT] = {"a report of cpm run", true},
    [CPM_FILE_VALIDATION] = {"a table of cpm validate", true},
    [CPM_FILE_COMPARISON] = {"a table of cpm compare", true},
    [CPM_FILE_RUNS] = {"a comparison of two runs", true},
    [CPM_FILE_PREDICTION] = {"predictions", true},
    [CPM_FILE_PICTURE] = {"a picture", true},
    [CPM_FILE_GRAPH] = {"a graph of cpm draw", true},
    [CPM_FILE_PAGE] = {"a page of cpm report", true},
    [CPM_FILE_OPENMPI] = {"rules for Open MPI", true},
    [CPM_FILE_MPICH] = {"rules for MPICH", false},
    [CPM_FILE_UCC] = {"a configuration of UCC", true},
    [CPM_FILE_SIMGRID] = {"a SimGrid platform", true},
    [CPM_FILE_HWLOC] = {"a topology for hwloc", true},
    [CPM_FILE_GOAL] = {"a GOAL schedule", true},
    [CPM_FILE_ROUTINES] = {"routines in C", true},
    [CPM_FILE_JUNIT] = {"a JUnit file of cpm health", true},
    [CPM_FILE_PROMETHEUS] = {"metrics of cpm health", true},
    [CPM_FILE_MANUAL] = {"a manual page of cpm", true},
    [CPM_FILE_COMPLETION] = {"a completion of cpm", true},
};
/* clang-format on */

/* ---- texts */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static const char *behind_space(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* Behind that word and white space; NULL: something else is there. */
static const char *behind(const char *text, const char *word)
{
    return text && begins(text, word) ? behind_space(text + strlen(word)) : NULL;
}

/* ---- JSON */

/* Whether the file has that text, in pieces that overlap. */
static bool has(int file, const char *text)
{
    char piece[1 << 16];
    size_t length = strlen(text), used = 0;
    ssize_t more;
    lseek(file, 0, SEEK_SET);
    while ((more = read(file, piece + used, sizeof piece - used)) > 0) {
        used += (size_t)more;
        if (memmem(piece, used, text, length))
            return true;
        size_t rest = used < length ? used : length - 1;
        memmove(piece, piece + used - rest, rest);
        used = rest;
    }
    return false;
}

/* A tuning history is a decision table as well, and has its lessons besides. */
static cpm_file_kind kind_of_json(const char *head, int file)
{
    const char *value = behind(behind(behind(behind(head, "{"), "\"format\""), ":"), "\"");
    for (size_t k = 0; value && k < sizeof formats / sizeof *formats; k++) {
        size_t length = strlen(formats[k].mark);
        if (!begins(value, formats[k].mark) || value[length] != '"')
            continue;
        bool history = formats[k].kind == CPM_FILE_TABLE && has(file, "\"lessons\"");
        return history ? CPM_FILE_HISTORY : formats[k].kind;
    }
    return CPM_FILE_UNKNOWN;
}

/* ---- what people may write: lines of words */

/* The first line that is no remark. */
static const char *first_line(const char *text)
{
    for (text = behind_space(text); *text == '#'; text = behind_space(text))
        text += strcspn(text, "\n");
    return text;
}

static bool is_algorithm(const char *line)
{
    size_t operation = strspn(line, "abcdefghijklmnopqrstuvwxyz_");
    return operation && line[operation] == ':' && islower((unsigned char)line[operation + 1]);
}

static cpm_file_kind kind_of_words(const char *head)
{
    const char *line = first_line(head);
    if (begins(line, "if ") || is_algorithm(line))
        return CPM_FILE_RULES;
    if (begins(line, "switch ") || begins(line, "link ") || begins(line, "host "))
        return CPM_FILE_TOPOLOGY;
    return CPM_FILE_UNKNOWN;
}

/* ---- what was cut by a full disk before it said what it is, and goes on being written */

static const sign beginnings[] = {
    {CPM_FILE_MEASUREMENTS, "# cpm measurements", NULL},
    {CPM_FILE_HISTORY, "{\n  \"format\": \"cpm table\",\n  \"version\": 1,\n  \"lessons\": [",
     NULL},
};

static cpm_file_kind kind_of_beginning(const char *head)
{
    for (size_t k = 0; k < sizeof beginnings / sizeof *beginnings; k++)
        if (begins(beginnings[k].mark, head))
            return beginnings[k].kind;
    return CPM_FILE_UNKNOWN;
}

/* ---- all */

/* Its first bytes, as a text. */
static bool read_head(int file, char head[HEAD + 1])
{
    ssize_t length = pread(file, head, HEAD, 0);
    head[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static cpm_file_kind kind_of_signs(const char *head)
{
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++)
        if (begins(head, signs[k].mark) && (!signs[k].within || strstr(head, signs[k].within)))
            return signs[k].kind;
    return CPM_FILE_UNKNOWN;
}

cpm_file_kind cpm_file_kind_of_text(const char *text, size_t size)
{
    char head[HEAD + 1];
    size_t length = size < HEAD ? size : HEAD;
    memcpy(head, text, length);
    head[length] = '\0';
    cpm_file_kind kind = kind_of_signs(head);
    return kind ? kind : kind_of_words(head);
}

cpm_file_kind cpm_file_kind_of(int file)
{
    char head[HEAD + 1];
    if (!read_head(file, head))
        return CPM_FILE_UNKNOWN;
    if (kind_of_signs(head))
        return kind_of_signs(head);
    if (kind_of_beginning(head))
        return kind_of_beginning(head);
    const char *text = behind_space(head);
    return *text == '{' ? kind_of_json(text, file) : kind_of_words(head);
}

const char *cpm_file_kind_named(cpm_file_kind kind)
{
    return kinds[kind].name;
}

bool cpm_file_kind_is_made_again(cpm_file_kind kind)
{
    return kinds[kind].made_again;
}
