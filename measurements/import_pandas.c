/* Printed data frames of pandas: OSU's results in notebooks and their transcripts.
 *
 *   # Broadcast, Open MPI
 *   df = read('bcast/N8n288/openmpi4/bcast.log')
 *            default  0. ignore  1. basic linear  \
 *   size
 *   1          92.66       98.55           410.47
 *
 *            2. chain
 *   size
 *   1        182.88
 *
 * Text in front says of what they are. Columns stand behind two blanks; wide frames go on below,
 * and their index may have a name. Columns are statistics, numbers of processes, algorithms, or
 * libraries and machines. Frames say little of themselves: whatever is neither printed in a column
 * nor in front is not guessed. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "base/numbers.h"
#include "measurements/import_pandas.h"

enum { MOST = 64, LABELS = 24 };

typedef enum { LEFT_OUT, SIZE, MEAN, MEDIAN, NUMBER, NUMBERED, VALUE } column_class;

typedef struct {
    column_class class;
    cpm_pandas_subject what;
    int processes;
    const char *name;
    long number; /* of Open MPI's algorithm, and what it is called */
    const char *called;
    char algorithm[64]; /* "" or CPM's own */
    char label[64];     /* "": the frame's */
} column;

/* A frame, or those of its columns that stand side by side. */
typedef struct {
    int line;
    cpm_pandas_subject what;
    char label[64];
    int processes, first; /* first: of its rows */
    bool spread, medians, more;
    char left_out[500];
    column at[MOST];
    int columns, size, rows;
    bool counted; /* its rows are called 0, 1, 2 ... so far, by an index without a name */
} frame;

typedef struct {
    cpm_import_reader *r;
    cpm_pandas_text text;
    char *line[3]; /* those before, the last one first; NULL: a blank one */
    bool indented[3];
    bool within; /* a block of rows */
    frame f;
    char label[LABELS][64];
    int labels, known; /* known: processes that --processes names */
    bool pairs;        /* how many there are is to be said */
} pandas;

/* ---- columns */

/* Columns stand behind two blanks. Returns how many there are, of which field[MOST] are set. */
static int split(char *line, char **field)
{
    int fields = 0;
    for (char *c = line; *(c += strspn(c, " \t")); fields++) {
        char *end = strstr(c, "  ");
        if (fields < MOST)
            field[fields] = c;
        if (!end)
            return fields + 1;
        *end = '\0';
        c = end + 1;
    }
    return fields;
}

static int count_fields(const char *line)
{
    char *field[MOST], *copy = line ? strdup(line) : NULL;
    int fields = copy ? split(copy, field) : 0;
    free(copy);
    return fields;
}

static bool is_size(const char *name)
{
    char spelt[CPM_PANDAS_TEXT];
    cpm_pandas_spell(name, spelt);
    return cpm_pandas_has(spelt, " size sizes bytes msgsize ") || strcmp(spelt, " message ") == 0 ||
           strcmp(spelt, " msg ") == 0;
}

static bool is_collective(const cpm_pandas_subject *what)
{
    return what->kind == CPM_PANDAS_COLLECTIVE;
}

/* What Open MPI's algorithm is called here; false: it is none of ours. */
static bool find_algorithm(const pandas *p, const column *c, size_t bytes, char *ours, size_t size)
{
    const cpm_import_options *o = p->r->options;
    return o->of_openmpi &&
           o->of_openmpi(c->what.operation, c->number, c->called, c->processes, bytes, ours, size);
}

static column_class classify_algorithm(const pandas *p, column *c, const char *spelt)
{
    char name[CPM_COLLECTIVE_NAME], *end;
    cpm_error unknown = {0};
    cpm_experiment what = {0};
    c->number = strtol(c->name, &end, 10);
    if (end > c->name && strncmp(end, ". ", 2) == 0) {
        c->called = end + 2;
        return find_algorithm(p, c, 1 << 20, name, sizeof name) ? NUMBERED : LEFT_OUT;
    }
    snprintf(name, sizeof name, "%s:%s", c->what.operation, c->name);
    if (!cpm_pandas_has(spelt, " default native ") && strlen(c->name) < sizeof c->algorithm &&
        cpm_experiment_parse(name, &what, &unknown) == CPM_OK)
        snprintf(c->algorithm, sizeof c->algorithm, "%s", c->name);
    return VALUE;
}

static column_class classify(const pandas *p, column *c)
{
    char spelt[CPM_PANDAS_TEXT];
    size_t number;
    if (strcmp(c->name, "...") == 0)
        return LEFT_OUT;
    if (cpm_import_bytes(c->name, &number)) {
        c->processes = number <= CPM_MOST_PROCESSES ? (int)number : -1;
        return NUMBER;
    }
    if (is_size(c->name))
        return SIZE;
    cpm_pandas_spell(c->name, spelt);
    if (c->what.kind == CPM_PANDAS_UNSAID)
        return LEFT_OUT;
    if (is_collective(&c->what) && isdigit((unsigned char)*c->name) && !strchr(c->name, '%'))
        return classify_algorithm(p, c, spelt);
    cpm_pandas_label(c->name, c->label, sizeof c->label);
    if (strcmp(c->name, "50%") == 0 || cpm_pandas_has(spelt, " median "))
        return MEDIAN;
    if (strchr(c->name, '%') || cpm_pandas_has(spelt, cpm_pandas_spreads) ||
        cpm_pandas_has(spelt, cpm_pandas_others))
        return LEFT_OUT;
    if (cpm_pandas_has(spelt, " mean avg average "))
        return MEAN;
    column_class class = is_collective(&c->what) ? classify_algorithm(p, c, spelt) : VALUE;
    if (*c->algorithm)
        *c->label = '\0';
    return class;
}

/* ---- the head of a frame */

static int wrong(const pandas *p, const char *what)
{
    return cpm_lines_wrong(&p->r->lines, "a data frame %s", what);
}

static void leave_out(frame *f, const char *name)
{
    size_t used = strlen(f->left_out);
    char shown[48];
    if (strcmp(name, "...") != 0 && used + sizeof shown + 8 < sizeof f->left_out)
        snprintf(f->left_out + used, sizeof f->left_out - used, "%s'%s'", used ? ", " : "",
                 cpm_escape(name, shown, sizeof shown));
}

/* Of statistics the median counts, else the mean: one that comes later replaces what was taken. */
static void choose_statistics(pandas *p)
{
    frame *f = &p->f;
    bool medians = f->medians;
    for (int k = 0; k < f->columns; k++)
        medians = medians || f->at[k].class == MEDIAN;
    if (medians && !f->medians && p->r->rows->count > f->first) {
        p->r->rows->count = f->first;
        leave_out(f, "mean");
    }
    f->medians = medians;
    for (int k = 0; k < f->columns; k++)
        if (medians && f->at[k].class == MEAN)
            f->at[k].class = LEFT_OUT;
}

static int check_subjects(pandas *p)
{
    frame *f = &p->f;
    bool said = false, several = false;
    for (int k = 0; k < f->columns; k++) {
        int kind = f->at[k].what.kind;
        several = several || kind == CPM_PANDAS_SEVERAL;
        said = said || kind;
    }
    if (several)
        return wrong(p, "has several benchmarks named in front of it: put a line before it that "
                        "names its own, such as '# osu_latency'");
    if (!said)
        return wrong(p, "has nothing in front that says what was measured: put a line before it "
                        "such as '# osu_latency', '# osu_bw' or '# osu_bcast'");
    return CPM_OK;
}

/* columns: what all of them are called, if they have such a name. */
static int check_column(pandas *p, column *c, const char *columns)
{
    char spelt[CPM_PANDAS_TEXT];
    cpm_pandas_spell(c->name, spelt);
    if (c->class == LEFT_OUT)
        leave_out(&p->f, c->name);
    if (c->class < MEAN)
        return CPM_OK;
    if (cpm_pandas_has(spelt, cpm_pandas_units))
        return wrong(p, "of other units than us and MB/s: convert it");
    bool runs = cpm_pandas_has(columns, " run runs rep reps repetition iteration trial ");
    if (c->class == NUMBER && !runs && !is_collective(&c->what))
        return wrong(p, "whose columns are numbers: name them, or print "
                        "df.median(axis=1).to_frame('median')");
    if (c->class == NUMBER && runs)
        c->processes = p->f.processes;
    return CPM_OK;
}

static int check_columns(pandas *p, const char *columns)
{
    frame *f = &p->f;
    for (int k = 0; k < f->columns; k++)
        if (f->at[k].class == SIZE)
            f->size = k;
    int status = f->spread ? CPM_OK : check_subjects(p);
    for (int k = 0; k < f->columns && !status && !f->spread; k++)
        status = check_column(p, &f->at[k], columns);
    return status;
}

/* It stays while its columns go on below. */
static void open_frame(pandas *p)
{
    p->f = (frame){.line = p->r->lines.number, .first = p->r->rows->count};
    cpm_pandas_text_take(&p->text, &p->f.what, p->f.label, sizeof p->f.label, &p->f.spread);
    p->f.processes = p->text.processes ? p->text.processes : p->known;
}

/* A column's own, unless it only says that what the frame has are times, or rates. What columns of
 * a collective are called are algorithms ("scatter_allgather"). */
static cpm_pandas_subject subject_of(const char *name, cpm_pandas_subject of)
{
    cpm_pandas_subject own = cpm_pandas_find(name);
    bool rates = of.kind == CPM_PANDAS_EXCHANGE || of.kind == CPM_PANDAS_MANY;
    bool says_less = !own.kind || of.kind == CPM_PANDAS_COLLECTIVE ||
                     (own.kind == CPM_PANDAS_LATENCY && of.kind == CPM_PANDAS_AVERAGE) ||
                     (own.kind == CPM_PANDAS_STREAM && rates);
    return says_less ? of : own;
}

static int read_columns(pandas *p, char *head, int values, const char *index)
{
    frame *f = &p->f;
    char *field[MOST], spelt[CPM_PANDAS_TEXT] = " ";
    if (!f->more)
        open_frame(p);
    size_t length = strlen(head);
    while (length && strchr(" \t", head[length - 1]))
        length--;
    f->more = length && head[length - 1] == '\\';
    head[length - f->more] = '\0';
    int fields = split(head, field), first = fields > values;
    if (fields > MOST)
        return wrong(p, "of more than 64 columns: print fewer");
    if (first && !is_size(field[0])) /* the name of all columns */
        cpm_pandas_spell(field[0], spelt);
    f->columns = fields - first;
    f->size = -1;
    f->rows = 0;
    f->counted = !index && !(first && is_size(field[0]));
    for (int k = 0; k < f->columns; k++) {
        column *c = &f->at[k];
        *c = (column){.name = field[k + first], .processes = f->processes};
        c->what = subject_of(c->name, f->what);
        c->class = classify(p, c);
    }
    choose_statistics(p);
    int status = check_columns(p, spelt);
    if (!status && index && !is_size(index) && f->size < 0)
        return wrong(p, "whose rows are not message sizes: make these its index, called 'size'");
    return status;
}

/* A head that goes on below ends in a backslash, which is no column. */
static int count_columns(const char *line)
{
    size_t length = line ? strlen(line) : 0;
    return count_fields(line) - (length > 2 && strcmp(line + length - 3, "  \\") == 0);
}

/* The names of levels, "mpi size", under a head. */
static bool is_of_levels(const pandas *p, int k)
{
    return p->line[k] && p->line[k + 1] && !p->indented[k] && p->indented[k + 1] &&
           is_size(p->line[k]);
}

/* Which of the lines in front of the first row, of so many values, is the head; -1: none. */
static int find_head(const pandas *p, int values)
{
    const char *last = p->line[0], *before = p->line[1];
    int fields = count_columns(last), above = count_columns(before);
    bool named = fields == 1 && !p->indented[0] && before;
    if (named && (above == values + 1 || (above == values && p->indented[1])))
        return 1;
    bool head =
        fields == values ? p->indented[0] : fields == values + 1 && !isdigit((unsigned char)*last);
    return head ? 0 : -1;
}

/* Heads of levels stand above each other, and more tightly than columns of one. */
static bool has_levels(const pandas *p, int head, int values)
{
    if (head < 0)
        return is_of_levels(p, 0) || is_of_levels(p, 1) ||
               (values > 1 && p->line[0] && p->line[1] && p->indented[0] && p->indented[1]);
    const char *over = p->line[head + 1];
    return over && p->indented[head + 1] && !strpbrk(over, "()=[]");
}

/* *found: there is a head, and what stands above it is text. */
static int find_columns(pandas *p, int values, bool *found)
{
    int head = find_head(p, values);
    if (has_levels(p, head, values))
        return wrong(p, "with several levels of rows or columns: print one of them, by df.xs()");
    *found = head >= 0;
    if (!*found)
        return CPM_OK;
    char *columns = p->line[head], *index = head ? p->line[0] : NULL;
    for (int k = 2; k > head; k--)
        if (p->line[k] && !p->f.more)
            cpm_pandas_text_add(&p->text, p->line[k]);
    memset(p->line, 0, sizeof p->line);
    return read_columns(p, columns, values, index);
}

/* ---- rows */

static bool same_label(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strcspn(a, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        b += strcspn(b, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (!*a || tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return !*a && !*b;
    }
}

/* Whether the column is of the library that is asked for, which is kept as one that there is. */
static bool is_asked(pandas *p, const column *c)
{
    const char *label = *c->label ? c->label : *p->f.label ? p->f.label : "unnamed";
    int k = 0;
    while (k < p->labels && !same_label(p->label[k], label))
        k++;
    if (k == p->labels && k < LABELS)
        snprintf(p->label[p->labels++], sizeof p->label[0], "%s", label);
    return !p->r->options->only || same_label(p->r->options->only, label);
}

static int add_collective(pandas *p, const column *c, size_t bytes, double seconds)
{
    cpm_import_reader *r = p->r;
    char ours[CPM_COLLECTIVE_NAME];
    const char *algorithm = *c->algorithm ? c->algorithm : NULL;
    r->operation = c->what.operation;
    r->processes = c->processes;
    if (c->class == NUMBERED) {
        if (!find_algorithm(p, c, bytes, ours, sizeof ours))
            return CPM_OK;
        algorithm = strchr(ours, ':') + 1;
    }
    return cpm_import_collective(r, algorithm, cpm_import_block(r, bytes), seconds, 1,
                                 CPM_IMPORT_MEAN);
}

static int add_rate(pandas *p, const column *c, size_t bytes, double rate)
{
    cpm_import_reader *r = p->r;
    if (c->what.kind == CPM_PANDAS_STREAM)
        return cpm_import_stream(r, bytes, CPM_IMPORT_WINDOW, rate);
    if (c->what.kind == CPM_PANDAS_EXCHANGE)
        return cpm_import_exchange(r, bytes, CPM_IMPORT_WINDOW, rate);
    if (c->processes < 2) {
        p->pairs = true;
        return CPM_OK;
    }
    r->pairs = c->processes / 2;
    return cpm_import_many(r, bytes, CPM_IMPORT_WINDOW, rate);
}

static int add_value(pandas *p, const column *c, size_t bytes, const char *word)
{
    bool time = is_collective(&c->what) || c->what.kind == CPM_PANDAS_LATENCY ||
                c->what.kind == CPM_PANDAS_AVERAGE;
    double value;
    if (c->class < MEAN || strcmp(word, "NaN") == 0 || !is_asked(p, c))
        return CPM_OK;
    if (!cpm_import_number(word, &value) || value < 0 || (time && !(value > 0)))
        return cpm_import_wrong(p->r, time ? "times above 0" : "rates");
    if (is_collective(&c->what))
        return add_collective(p, c, bytes, value * 1e-6);
    if (!time)
        return add_rate(p, c, bytes, value * 1e6);
    p->r->averaging = c->what.kind == CPM_PANDAS_AVERAGE;
    return cpm_import_latency(p->r, bytes, value * 1e-6, 1);
}

static int refuse_counted(const pandas *p)
{
    return wrong(p,
                 "whose rows are called 0, 1, 2: their message sizes are not printed; make these "
                 "its index");
}

static int read_row(pandas *p, char *const *word, int words)
{
    frame *f = &p->f;
    double size;
    if (words != f->columns + 1)
        return cpm_import_wrong(p->r, "a row with a number in each column of its frame");
    bool good = cpm_import_number(word[0], &size);
    f->counted = f->counted && f->size < 0 && good && size == f->rows;
    f->rows++;
    if (f->spread)
        return CPM_OK;
    if (f->counted && f->rows > 3)
        return refuse_counted(p);
    good = cpm_import_number(word[f->size + 1], &size) && size >= 0 && size <= 1e15 &&
           size == floor(size);
    if (!good)
        return cpm_import_wrong(p->r, "a size in bytes");
    int status = CPM_OK;
    for (int k = 0; k < f->columns && !status; k++)
        status = add_value(p, &f->at[k], (size_t)size, word[k + 1]);
    return status;
}

/* ---- what is said of it */

static int say_frame(pandas *p)
{
    const frame *f = &p->f;
    const cpm_pandas_subject *what = &f->what;
    char processes[40] = "", shown[64], sentence[700];
    for (int k = 0; k < f->columns && !what->kind; k++) /* it is said in its columns */
        what = &f->at[k].what;
    if (f->processes && is_collective(what) && f->at[0].class != NUMBER)
        snprintf(processes, sizeof processes, " of %d processes", f->processes);
    snprintf(sentence, sizeof sentence,
             "Line %d: a frame of %s%s%s%s, by its columns and the text in front.%s%s%s", f->line,
             cpm_pandas_say(what), processes, *f->label ? " of " : "",
             cpm_escape(f->label, shown, sizeof shown), *f->left_out ? " Left out: " : "",
             f->left_out, *f->left_out ? "." : "");
    return cpm_import_caution(p->r, sentence);
}

static int say_spread(pandas *p)
{
    char sentence[100];
    snprintf(sentence, sizeof sentence, "Line %d: a frame of deviations or extremes is left out.",
             p->f.line);
    cpm_import_leave_out(p->r, "deviations or extremes");
    return cpm_import_caution(p->r, sentence);
}

/* Of a frame that was taken, or left out; a frame of another label is not spoken of. */
static int close_frame(pandas *p)
{
    frame *f = &p->f;
    int status = CPM_OK;
    if (!f->line || f->more)
        return CPM_OK;
    if (f->counted && f->rows == 3 && !f->spread)
        return refuse_counted(p);
    if (f->spread)
        status = say_spread(p);
    else if (p->r->rows->count > f->first)
        status = say_frame(p);
    f->line = 0;
    cpm_pandas_text_end(&p->text);
    return status;
}

static int end_block(pandas *p)
{
    p->within = false;
    return close_frame(p);
}

static int fail(const pandas *p, const char *format, const char *a, const char *b)
{
    char what[400];
    snprintf(what, sizeof what, format, a, b);
    return cpm_fail(p->r->lines.e, CPM_EDATA, "%s: %s", p->r->lines.name, what);
}

/* Several labels are several machines: nothing is taken unless one is asked for. */
static int check_labels(pandas *p)
{
    char list[300] = "", shown[64], *kept = p->r->rows->label;
    const char *only = p->r->options->only, *label = only ? only : p->label[0];
    bool there = false;
    for (int k = 0; k < p->labels; k++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                 cpm_escape(p->label[k], shown, sizeof shown));
        there = there || same_label(label, p->label[k]);
    }
    cpm_escape(label, shown, sizeof shown);
    if (p->labels && !there)
        return fail(p, "has nothing of '%s', only of: %s", shown, list);
    if (!only && p->labels > 1)
        return fail(p, "has results of several: %s%s. Choose one by --only NAME", list, "");
    if (p->labels && *kept && !same_label(kept, label))
        return fail(p, "has results of %s, files before it of %s: import them separately", shown,
                    kept);
    if (p->labels)
        snprintf(kept, sizeof p->r->rows->label, "%s", label);
    return CPM_OK;
}

static int finish(pandas *p)
{
    int status = check_labels(p);
    if (!status && p->pairs)
        return fail(p,
                    "does not say how many pairs ran at once%s%s: add --processes N, twice as "
                    "many",
                    "", "");
    if (status || !p->labels)
        return status;
    return cpm_import_caution(p->r, "Data frames print no units. As OSU prints them, times are "
                                    "taken to be us, rates to be MB/s of 64 messages at once.");
}

/* ---- lines */

/* Numbers only, also those that are not there. */
static bool is_row(char *const *word, int words)
{
    double value;
    for (int k = 0; k < words; k++)
        if (strcmp(word[k], "NaN") != 0 && strcmp(word[k], "...") != 0 &&
            !cpm_import_number(word[k], &value))
            return false;
    return words > 1 && isdigit((unsigned char)*word[0]);
}

/* Lines are text once they can be no head of a frame any more. */
static void keep_text(pandas *p, char *line, bool indented)
{
    if (p->line[2] && !p->f.more)
        cpm_pandas_text_add(&p->text, p->line[2]);
    p->line[2] = p->line[1];
    p->line[1] = p->line[0];
    p->indented[2] = p->indented[1];
    p->indented[1] = p->indented[0];
    p->line[0] = *line ? line : NULL;
    p->indented[0] = indented;
}

/* Rows that are not printed are dots. */
static int read_text(pandas *p, char *line, bool indented)
{
    bool dots = *line == '.' && strspn(line, ".") == strcspn(line, " ");
    int status = CPM_OK;
    if (p->within && dots)
        return CPM_OK;
    if (p->within)
        status = end_block(p);
    keep_text(p, line, indented);
    return status;
}

static int read_one(pandas *p, char *line, bool indented)
{
    char *word[MOST + 2], *copy = strdup(line);
    if (!copy)
        return cpm_no_memory(p->r->lines.e);
    int words = cpm_words(copy, word, MOST + 2), status = CPM_OK;
    bool row = words <= MOST + 1 && is_row(word, words);
    if (row && !p->within)
        status = find_columns(p, words - 1, &p->within);
    if (!status && row && p->within)
        status = read_row(p, word, words);
    else if (!status)
        status = read_text(p, line, indented);
    free(copy);
    return status;
}

/* All lines at once: what a frame is stands in several of them. */
static int read_all(cpm_import_reader *r, char *line)
{
    pandas p = {.r = r, .known = r->processes};
    int status = CPM_OK;
    char *whole = r->lines.text;
    do {
        bool indented = line > whole;
        snprintf(r->shown, sizeof r->shown, "%s", line);
        status = read_one(&p, line, indented);
        whole = status ? NULL : cpm_lines_next(&r->lines, &status);
        line = whole ? cpm_import_plain(r, whole) : NULL;
    } while (line);
    p.f.more = false;
    if (!status)
        status = close_frame(&p);
    return status ? status : finish(&p);
}

/* A line of code, a heading, the index's name, a head that goes on below, or one of statistics. */
static bool begins(const char *line)
{
    static const char *const marks[] = {"## IN:", ">>> ", "In [", "# osu_"};
    char spelt[CPM_PANDAS_TEXT];
    size_t length = strlen(line);
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        if (strncmp(line, marks[k], strlen(marks[k])) == 0)
            return true;
    if (length > 3 && strcmp(line + length - 3, "  \\") == 0)
        return true;
    cpm_pandas_spell(line, spelt);
    return strcmp(spelt, " size ") == 0 || strncmp(spelt, " mean std ", 10) == 0 ||
           strncmp(spelt, " count mean std ", 16) == 0;
}

const cpm_import_format cpm_import_pandas = {
    .name = "pandas",
    .programs = "data frames that pandas prints",
    .begins = begins,
    .read = read_all,
    .expected = "a data frame of latencies, bandwidths or a collective by message size",
};
