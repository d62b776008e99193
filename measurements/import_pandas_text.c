/* The text around printed data frames, by words that benchmarks, statistics and folders have. The
 * nearest line that says something counts; what a heading says holds until the next one. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "measurements/import_pandas.h"

const char cpm_pandas_spreads[] =
    " std sd stdev stddev deviation min max minimum maximum var variance sem count ";
const char cpm_pandas_others[] = " messages rate iterations iters repetitions overall compute "
                                 "overlap speedup ratio error errors validation window ";
const char cpm_pandas_units[] =
    " ns nsec ms msec sec seconds kb kib mib gb gib mbit gbit mbps gbps ";

/* Words that are no names of libraries or machines: of code, of benchmarks, of columns. */
static const char code[] = " df pd np data frame table results all print display stats ";
static const char named[] = " osu log pure comm test time default ignore and of the vs ";
static const char columns[] = " size bytes b us usec mb s mean avg average median med ";

/* Longer ones first. */
static const struct {
    const char *words;
    int kind;
} benchmarks[] = {{"multi latency", CPM_PANDAS_AVERAGE},
                  {"multi lat", CPM_PANDAS_AVERAGE},
                  {"latency", CPM_PANDAS_LATENCY},
                  {"lat", CPM_PANDAS_LATENCY},
                  {"bi directional bandwidth", CPM_PANDAS_EXCHANGE},
                  {"bidirectional bandwidth", CPM_PANDAS_EXCHANGE},
                  {"bibw", CPM_PANDAS_EXCHANGE},
                  {"multiple bandwidth", CPM_PANDAS_MANY},
                  {"multi pair bandwidth", CPM_PANDAS_MANY},
                  {"mbw mr", CPM_PANDAS_MANY},
                  {"mbw", CPM_PANDAS_MANY},
                  {"bandwidth", CPM_PANDAS_STREAM},
                  {"bw", CPM_PANDAS_STREAM}};

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char digits[] = "0123456789";

/* ---- words */

/* ".scatter(" is called, whatever it is. */
static bool is_method(const char *at)
{
    size_t length = *at == '.' ? strspn(at + 1, letters) : 0;
    return length && at[1 + length] == '(';
}

void cpm_pandas_spell(const char *text, char spelt[CPM_PANDAS_TEXT])
{
    size_t used = 1;
    *spelt = ' ';
    for (; *text && used + 3 < CPM_PANDAS_TEXT; text++) {
        if (isalnum((unsigned char)*text))
            spelt[used++] = (char)tolower((unsigned char)*text);
        else if (spelt[used - 1] != ' ')
            spelt[used++] = ' ';
        if (is_method(text))
            spelt[used++] = '.';
    }
    if (spelt[used - 1] != ' ')
        spelt[used++] = ' ';
    spelt[used] = '\0';
}

static bool is_among(const char *word, size_t length, const char *words)
{
    for (const char *at = words; (at = strchr(at, ' ')) && *++at;)
        if (strncmp(at, word, length) == 0 && at[length] == ' ')
            return true;
    return false;
}

bool cpm_pandas_has(const char *spelt, const char *words)
{
    for (const char *at = spelt; (at = strchr(at, ' ')) && *++at;) {
        const char *word = at + (*at == '.');
        if (is_among(word, strcspn(word, " "), words))
            return true;
    }
    return false;
}

/* "reduce scatter block" of the words that begin there. Returns how long they are; 0: none is. */
static size_t match_operation(const char *at, const char **operation)
{
    enum { WORDS = 3 };
    char name[80];
    size_t longest = 0;
    const char *end = at;
    for (int k = 0; k < WORDS && *end; k++, end++) {
        end += strcspn(end, " ");
        size_t length = (size_t)(end - at);
        if (length >= sizeof name)
            break;
        for (size_t c = 0; c < length; c++)
            name[c] = at[c] == ' ' ? '_' : at[c];
        name[length] = '\0';
        const char *found = cpm_import_operation(name);
        if (found) {
            *operation = found;
            longest = length;
        }
    }
    return longest;
}

/* The benchmark whose words begin there. Returns how long they are; 0: none's do. */
static size_t match(const char *at, cpm_pandas_subject *what)
{
    *what = (cpm_pandas_subject){CPM_PANDAS_UNSAID, NULL};
    for (size_t k = 0; k < sizeof benchmarks / sizeof *benchmarks; k++) {
        size_t length = strlen(benchmarks[k].words);
        if (strncmp(at, benchmarks[k].words, length) == 0 && at[length] == ' ') {
            what->kind = benchmarks[k].kind;
            return length;
        }
    }
    size_t length = match_operation(at, &what->operation);
    if (length)
        what->kind = CPM_PANDAS_COLLECTIVE;
    return length;
}

/* "bcast latency" is a collective's. */
static cpm_pandas_subject both(cpm_pandas_subject a, cpm_pandas_subject b)
{
    if (!a.kind || (a.kind == CPM_PANDAS_LATENCY && b.kind == CPM_PANDAS_COLLECTIVE))
        return b;
    if ((a.kind == b.kind && a.operation == b.operation) ||
        (a.kind == CPM_PANDAS_COLLECTIVE && b.kind == CPM_PANDAS_LATENCY))
        return a;
    return (cpm_pandas_subject){CPM_PANDAS_SEVERAL, NULL};
}

cpm_pandas_subject cpm_pandas_find(const char *text)
{
    char spelt[CPM_PANDAS_TEXT];
    cpm_pandas_subject found = {0}, next;
    cpm_pandas_spell(text, spelt);
    for (const char *at = spelt; (at = strchr(at, ' ')) && *++at;) {
        size_t length = match(at, &next);
        if (length)
            found = both(found, next);
        at += length;
    }
    return found;
}

const char *cpm_pandas_say(const cpm_pandas_subject *what)
{
    static const char *const said[] = {[CPM_PANDAS_LATENCY] = "latencies",
                                       [CPM_PANDAS_AVERAGE] = "latencies of many pairs",
                                       [CPM_PANDAS_STREAM] = "bandwidths",
                                       [CPM_PANDAS_EXCHANGE] = "bandwidths both ways",
                                       [CPM_PANDAS_MANY] = "bandwidths of many pairs",
                                       [CPM_PANDAS_SEVERAL] = "several benchmarks"};
    return what->operation ? what->operation : said[what->kind] ? said[what->kind] : "no benchmark";
}

/* ---- labels */

static bool is_filler(const char *word, size_t length)
{
    const char *const lists[] = {code, named, columns, cpm_pandas_spreads, cpm_pandas_others};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        if (is_among(word, length, lists[k]))
            return true;
    return false;
}

void cpm_pandas_label(const char *name, char *label, size_t size)
{
    char spelt[CPM_PANDAS_TEXT], rest[CPM_PANDAS_TEXT] = "";
    cpm_pandas_subject what;
    bool whole = true;
    cpm_pandas_spell(name, spelt);
    for (char *at = spelt; (at = strchr(at, ' ')) && *++at;) {
        size_t length = match(at, &what), word = strcspn(at, " ");
        if (!length && is_filler(at, word))
            length = word;
        if (length)
            whole = false;
        else
            sprintf(rest + strlen(rest), "%s%.*s", *rest ? " " : "", (int)word, at);
        at += length ? length : word;
    }
    snprintf(label, size, "%s", !*rest ? "" : whole ? name : rest);
}

/* "run3", "N8n288", "..": folders of all libraries. */
static bool is_anonymous(const char *name)
{
    bool run = strncmp(name, "run", 3) == 0, nodes = *name == 'N';
    name += run ? 3 : nodes;
    name += strspn(name, digits);
    if (nodes && *name == 'n')
        name += 1 + strspn(name + 1, digits);
    return name[strspn(name, "._-")] == '\0';
}

/* The innermost folder of a path, up to its end, that is one of a library or machine. */
static void find_folder(const char *path, const char *end, char *label, size_t size)
{
    char name[64], found[64];
    while (end > path) {
        const char *slash = end - 1;
        while (slash > path && *slash != '/')
            slash--;
        const char *from = *slash == '/' ? slash + 1 : slash;
        bool file = *end != '/';
        snprintf(name, sizeof name, "%.*s", (int)(end - from), from);
        cpm_pandas_label(name, found, sizeof found);
        if (!file && *found && !is_anonymous(name)) {
            snprintf(label, size, "%s", found);
            return;
        }
        end = slash;
    }
}

/* The last one between quotation marks. */
static void find_path(const char *line, char *label, size_t size)
{
    for (const char *open = line; (open = strpbrk(open, "'\"")); open++) {
        const char *close = strchr(open + 1, *open);
        if (!close)
            return;
        find_folder(open + 1, close, label, size);
        open = close;
    }
}

/* "lat_impi" of "stats(lat_impi)": the first name that is not called. */
static void find_variable(const char *statement, char *label, size_t size)
{
    char name[64];
    *label = '\0';
    if (strchr(statement, ' ') && !strpbrk(statement, "()=[]"))
        return; /* prose */
    for (const char *at = statement; (at = strpbrk(at, letters));) {
        size_t length = strspn(at, letters);
        length += strspn(at + length, digits);
        bool called = at[length] == '(' || (at > statement && at[-1] == '.');
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (!called) {
            cpm_pandas_label(name, label, size);
            return;
        }
        at += length;
    }
}

/* ---- lines */

/* "N8n288", "np=288", "288 processes": how many; 0: it is none of these. */
static int processes_at(const char *at)
{
    char *end = NULL;
    long n = 0;
    if (*at == 'N' && isdigit((unsigned char)at[1])) {
        strtol(at + 1, &end, 10);
        n = *end == 'n' ? strtol(end + 1, NULL, 10) : 0;
    } else if (strncmp(at, "np", 2) == 0) {
        size_t blanks = strspn(at + 2, "= ");
        n = blanks ? strtol(at + 2 + blanks, NULL, 10) : 0;
    } else if (isdigit((unsigned char)*at)) {
        n = strtol(at, &end, 10);
        n = strncmp(end, " processes", 10) == 0 ? n : 0;
    }
    return n > 0 && n <= CPM_MOST_PROCESSES ? (int)n : 0;
}

/* Several in a line say nothing. */
static int find_processes(const char *line, int before)
{
    int found = 0;
    for (const char *at = line; *at; at++) {
        int n = at > line && isalnum((unsigned char)at[-1]) ? 0 : processes_at(at);
        if (n)
            found = !found || found == n ? n : -1;
    }
    return !found ? before : found > 0 ? found : 0;
}

static void add_heading(cpm_pandas_text *t, const char *line, cpm_pandas_subject what)
{
    char label[64];
    int level = 0;
    for (; *line == '#' || *line == ' '; line++)
        level += *line == '#';
    if (level <= t->heading_level || what.kind) {
        t->heading = what;
        t->heading_level = what.kind ? level : 0;
    }
    cpm_pandas_label(line, label, sizeof label);
    if (level <= t->title_level || *label) {
        snprintf(t->title, sizeof t->title, "%s", label);
        t->title_level = *label ? level : 0;
        *t->path = '\0';
    }
    *t->statement = '\0';
}

void cpm_pandas_text_add(cpm_pandas_text *t, const char *line)
{
    if (!*line || strncmp(line, "Out[", 4) == 0)
        return;
    cpm_pandas_subject what = cpm_pandas_find(line);
    t->processes = find_processes(line, t->processes);
    if (what.kind)
        t->near = what;
    if (*line == '#' && !strpbrk(line, "=()[]'\":/")) {
        add_heading(t, line, what);
        return;
    }
    find_path(line, t->path, sizeof t->path);
    for (const char *next; (next = strstr(line, " | "));)
        line = next + 3;
    static const char *const prompts[] = {"## IN:", ">>>", "In ["};
    for (size_t k = 0; k < sizeof prompts / sizeof *prompts; k++)
        if (strncmp(line, prompts[k], strlen(prompts[k])) == 0)
            line += strcspn(line, k == 1 ? " " : ":") + 1;
    snprintf(t->statement, sizeof t->statement, "%s", line + strspn(line, " "));
}

void cpm_pandas_text_take(const cpm_pandas_text *t, cpm_pandas_subject *what, char *label,
                          size_t size, bool *spread)
{
    char spelt[CPM_PANDAS_TEXT];
    *what = t->near.kind ? t->near : t->heading;
    cpm_pandas_spell(t->statement, spelt);
    *spread = cpm_pandas_has(spelt, cpm_pandas_spreads);
    snprintf(label, size, "%s", *t->path ? t->path : t->title);
    if (!*label)
        find_variable(t->statement, label, size);
}

void cpm_pandas_text_end(cpm_pandas_text *t)
{
    t->near = (cpm_pandas_subject){CPM_PANDAS_UNSAID, NULL};
    *t->path = *t->statement = '\0';
}
