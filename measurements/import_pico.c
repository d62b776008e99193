/* PICO, and other tables of collectives whose columns have names: with commas or tabs. Each file of
 * a test has the time of each repetition in ns; its name and the metadata above its folder say of
 * what.
 *
 *   collective  algorithm      nodes  ppn  bytes  n     median_us
 *   allreduce   ring_ompi      32     1    256    2000  28.782
 *
 *   collective_type,array_dim,buffer_size,algo_name,datatype,mean,median,...    median in ns
 *
 *   results/SYSTEM_metadata.csv            timestamp,test_id,nnodes,tasks_per_node,collective_type
 *   results/SYSTEM/TIMESTAMP/TEST_ID/COUNT_ALGORITHM_DATATYPE.csv
 *       highest[,rank0,rank1...]           the last process's time
 *
 * Bytes are those of all blocks of a process. Algorithms of Open MPI have CPM's names if these are
 * the same; the others have none. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "measurements/import_reader.h"

enum { BEFORE, TABLE, REPETITIONS };
enum { OPERATION, ALGORITHM, BYTES, NODES, PER_NODE, REPS, DATATYPE, TIME, COLUMNS };
enum { MOST = 64 };

static const char row_expected[] = "a collective, its algorithm, bytes, processes and a time";

/* ---- algorithms */

/* clang-format off */
static const char *const algorithms[][3] = {
    {"bcast", "linear", "star"}, {"bcast", "chain", "chains-at-once:k=4"}, {"bcast", "pipeline", "chain"},
    {"bcast", "split_binary", "split-binary"}, {"bcast", "binary", "binary-at-once"},
    {"bcast", "binomial", "binomial-at-once"}, {"bcast", "knomial", "knomial-at-once:k=4"},
    {"bcast", "scatter_allgather", "scatter-doubling"}, {"bcast", "scatter_allgather_ring", "scatter-ring"},
    {"scatter", "linear", "linear"}, {"scatter", "binomial", "binomial"}, {"scatter", "linear_nb", "star"},
    {"gather", "linear", "linear"}, {"gather", "binomial", "binomial"},
    {"allgather", "bruck", "bruck"}, {"allgather", "recursive_doubling", "recursive-doubling"},
    {"allgather", "ring", "logical-ring"}, {"allgather", "neighbor", "neighbor"},
    {"alltoall", "linear", "spreading-simple"}, {"alltoall", "pairwise", "ring"}, {"alltoall", "modified_bruck", "bruck"},
    {"reduce", "linear", "linear-backwards"}, {"reduce", "pipeline", "chain"}, {"reduce", "binary", "binary"},
    {"reduce", "binomial", "binomial"}, {"reduce", "rabenseifner", "rabenseifner-near"},
    {"allreduce", "recursive_doubling", "recursive-doubling"}, {"allreduce", "ring", "logical-ring"},
    {"allreduce", "rabenseifner", "rabenseifner-near"},
    {"reduce_scatter", "recursive_halving", "halving"}, {"reduce_scatter", "ring", "ring"},
};
/* clang-format on */

/* CPM's name of an algorithm of Open MPI, or of CPM's own; "native": the library's choice; NULL:
 * none. */
static const char *algorithm_of(const char *operation, const char *name)
{
    static const char theirs[] = "_ompi";
    size_t length = strlen(name), tail = sizeof theirs - 1;
    cpm_error unknown = {0};
    cpm_experiment what = {0};
    char own[CPM_COLLECTIVE_NAME];
    if (strncmp(name, "default", 7) == 0)
        return "native";
    if (length > tail && strcmp(name + length - tail, theirs) == 0)
        length -= tail;
    for (size_t k = 0; k < sizeof algorithms / sizeof *algorithms; k++)
        if (strcmp(operation, algorithms[k][0]) == 0 && strlen(algorithms[k][1]) == length &&
            strncmp(name, algorithms[k][1], length) == 0)
            return algorithms[k][2];
    snprintf(own, sizeof own, "%s:%s", operation, name);
    return cpm_experiment_parse(own, &what, &unknown) == CPM_OK ? name : NULL;
}

/* Bytes of a block of what each process has, or gets, in blocks. */
static size_t block(const cpm_import_reader *r, size_t bytes)
{
    static const char *const whole[] = {"bcast", "reduce", "allreduce"};
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++)
        if (strcmp(r->operation, whole[k]) == 0)
            return bytes;
    return r->processes > 0 ? bytes / (size_t)r->processes : bytes;
}

static int add(cpm_import_reader *r, const char *name, size_t bytes, double seconds, int reps)
{
    const char *algorithm = r->operation ? algorithm_of(r->operation, name) : NULL;
    if (!algorithm) {
        char shown[64], said[160];
        snprintf(said, sizeof said, "Times of %s by '%s' are left out: CPM has no such algorithm.",
                 r->operation ? r->operation : "an operation",
                 cpm_escape(name, shown, sizeof shown));
        cpm_import_leave_out(r, name);
        return cpm_import_caution(r, said);
    }
    return cpm_import_collective(r, algorithm, block(r, bytes), seconds, reps, CPM_IMPORT_MAX);
}

/* ---- tables with names of columns */

static char separator_of(const char *line)
{
    return strchr(line, '\t') ? '\t' : ',';
}

static int split(char *line, char **field)
{
    if (separator_of(line) == '\t')
        for (char *c = line; *c; c++)
            *c = *c == '\t' ? ',' : *c;
    return cpm_import_fields(line, field, MOST);
}

static int find(char *const *word, int words, const char *const *names)
{
    for (; *names; names++)
        for (int k = 0; k < words; k++)
            if (strcasecmp(word[k], *names) == 0)
                return k;
    return -1;
}

static const char *const names_of[COLUMNS][6] = {
    [OPERATION] = {"collective", "collective_type", "operation"},
    [ALGORITHM] = {"algorithm", "algo_name"},
    [BYTES] = {"bytes", "buffer_size", "size"},
    [NODES] = {"processes", "nprocs", "ranks", "nodes", "nnodes"},
    [PER_NODE] = {"ppn", "tasks_per_node"},
    [REPS] = {"n", "n_iter", "repetitions"},
    [DATATYPE] = {"datatype", "dtype"},
    [TIME] = {"median_us", "mean_us", "time_us", "median", "mean"}};

static bool has_names(const char *line)
{
    return (strstr(line, "collective") || strstr(line, "operation")) && strstr(line, "algo") &&
           (strstr(line, "median") || strstr(line, "mean") || strstr(line, "time_us"));
}

static bool begins(const char *line)
{
    return has_names(line) || strcmp(line, "highest") == 0 ||
           strncmp(line, "highest,rank", 12) == 0;
}

static int read_names(cpm_import_reader *r, char *line)
{
    char *word[MOST];
    int words = split(line, word);
    if (words > MOST)
        words = MOST;
    for (int k = 0; k < COLUMNS; k++)
        r->column[k] = find(word, words, names_of[k]);
    static const int needed[] = {OPERATION, ALGORITHM, BYTES, NODES, TIME};
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++)
        if (r->column[needed[k]] < 0)
            return cpm_import_wrong(r, "columns collective, algorithm, bytes, nodes (or processes) "
                                       "and median_us");
    r->table.columns = words;
    const char *time = word[r->column[TIME]];
    r->latency = strstr(time, "_us") ? 1e-6 : 1e-9; /* the unit */
    r->part = TABLE;
    cpm_import_title(r, "PICO");
    return CPM_OK;
}

static int read_row(cpm_import_reader *r, char *line)
{
    char *word[MOST];
    const int *at = r->column;
    size_t bytes;
    int reps = 1, nodes, each = 1;
    double seconds;
    if (*line == '\0' || *line == '#')
        return CPM_OK;
    if (split(line, word) != r->table.columns || !cpm_import_bytes(word[at[BYTES]], &bytes) ||
        !cpm_import_reps(word[at[NODES]], &nodes) ||
        (at[PER_NODE] >= 0 && !cpm_import_reps(word[at[PER_NODE]], &each)) ||
        (at[REPS] >= 0 && !cpm_import_reps(word[at[REPS]], &reps)) ||
        !cpm_import_seconds(word[at[TIME]], r->latency, &seconds) || each > INT_MAX / nodes)
        return cpm_import_wrong(r, row_expected);
    r->processes = nodes * each;
    if (at[DATATYPE] >= 0)
        r->combining = cpm_import_combining(word[at[DATATYPE]]);
    r->operation = cpm_import_operation(word[at[OPERATION]]);
    return add(r, word[at[ALGORITHM]], bytes, seconds, reps);
}

/* ---- a file of one test */

/* Cuts the last part off a path: "a/b" becomes "a" and "b". False: there is none. */
static bool cut(char *path, char **last)
{
    char *slash = strrchr(path, '/');
    if (!slash)
        return false;
    *slash = '\0';
    *last = slash + 1;
    return true;
}

static bool take_fact(cpm_import_reader *r, char *const *word, const int *at)
{
    int nodes, each;
    r->operation = cpm_import_operation(word[at[2]]);
    if (!r->operation || !cpm_import_reps(word[at[3]], &nodes) ||
        !cpm_import_reps(word[at[4]], &each) || each > INT_MAX / nodes)
        return false;
    r->processes = nodes * each;
    return true;
}

/* The line of a test in the metadata. False: it is not there. */
static bool find_test(cpm_import_reader *r, cpm_lines *l, const char *timestamp, const char *test)
{
    static const char *const keys[][4] = {{"timestamp"},
                                          {"test_id", "test_number"},
                                          {"collective_type", "collective"},
                                          {"nnodes", "nodes"},
                                          {"tasks_per_node", "ppn"}};
    enum { KEYS = 5 };
    char *word[MOST];
    int at[KEYS], status = CPM_OK, columns = 0;
    for (char *line; (line = cpm_lines_next(l, &status));) {
        int words = cpm_import_fields(line, word, MOST);
        if (columns && words >= columns && !strcmp(word[at[0]], timestamp) &&
            !strcmp(word[at[1]], test))
            return take_fact(r, word, at);
        for (int k = 0; k < KEYS && !columns; k++)
            if ((at[k] = find(word, words > MOST ? MOST : words, keys[k])) < 0)
                return false;
        if (!columns)
            columns = words > MOST ? MOST : words;
    }
    return false;
}

/* What SYSTEM_metadata.csv says of .../SYSTEM/TIMESTAMP/TEST/FILE. */
static bool read_metadata(cpm_import_reader *r)
{
    char path[PATH_MAX], file[PATH_MAX + 20], *name, *test, *timestamp;
    cpm_lines l;
    cpm_error unreadable = {0};
    if (!realpath(r->lines.name, path) || !cut(path, &name) || !cut(path, &test) ||
        !cut(path, &timestamp))
        return false;
    snprintf(file, sizeof file, "%s_metadata.csv", path);
    if (cpm_lines_open(&l, file, &unreadable))
        return false;
    bool found = find_test(r, &l, timestamp, test);
    cpm_lines_close(&l);
    return found;
}

static size_t bytes_of(const char *datatype)
{
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = {{"int8", 1}, {"char", 1}, {"int16", 2}, {"int64", 8}, {"double", 8}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (strncmp(datatype, types[k].name, strlen(types[k].name)) == 0)
            return types[k].bytes;
    return 4;
}

/* COUNT_ALGORITHM_DATATYPE.csv: kept in the title, r->bytes. */
static bool read_name(cpm_import_reader *r)
{
    const char *slash = strrchr(r->lines.name, '/');
    char name[NAME_MAX + 1], *end;
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : r->lines.name);
    name[strcspn(name, ".")] = '\0';
    char *datatype = strrchr(name, '_');
    unsigned long long count = strtoull(name, &end, 10);
    if (end == name || *end != '_' || !datatype || datatype <= end || count > PTRDIFF_MAX / 8)
        return false;
    *datatype = '\0';
    r->combining = cpm_import_combining(datatype + 1);
    r->bytes = (size_t)count * bytes_of(datatype + 1);
    cpm_import_title(r, end + 1);
    return true;
}

static int open_test(cpm_import_reader *r)
{
    r->part = REPETITIONS;
    if (read_name(r) && read_metadata(r))
        return CPM_OK;
    return cpm_lines_wrong(&r->lines,
                           "which collective this is is said by its name and folder in PICO's "
                           "results: SYSTEM_metadata.csv beside SYSTEM/TIMESTAMP/TEST/"
                           "COUNT_ALGORITHM_DATATYPE.csv");
}

static int read_repetition(cpm_import_reader *r, char *line)
{
    double seconds;
    line[strcspn(line, ",")] = '\0';
    if (*line == '\0')
        return CPM_OK;
    if (!cpm_import_seconds(line, 1e-9, &seconds))
        return cpm_import_wrong(r, "a time in ns");
    return add(r, r->title, r->bytes, seconds, 1);
}

static int read_line(cpm_import_reader *r, char *line)
{
    if (has_names(line))
        return read_names(r, line);
    if (begins(line))
        return open_test(r);
    return r->part == TABLE         ? read_row(r, line)
           : r->part == REPETITIONS ? read_repetition(r, line)
                                    : CPM_OK;
}

const cpm_import_format cpm_import_pico = {
    .name = "pico",
    .programs = "PICO",
    .begins = begins,
    .read = read_line,
    .expected = "a table with columns collective, algorithm, bytes, nodes and median_us, and an "
                "algorithm that CPM has",
};
