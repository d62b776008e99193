/* From imported rows to measurements: the rows of one experiment are its repetitions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/temporaries.h"
#include "measurements/import_reader.h"

const char cpm_import_averaged[] =
    "The times are averages over all pairs that ran at once. They stand for one homogeneous pair, "
    "with what the pairs took from each other.";

/* ---- order */

static int compare_integers(long a, long b)
{
    return (a > b) - (a < b);
}

static int compare_bytes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_collectives(const cpm_collective *a, const cpm_collective *b)
{
    char first[CPM_COLLECTIVE_NAME], second[CPM_COLLECTIVE_NAME];
    if (a->operation != b->operation)
        return a->operation < b->operation ? -1 : 1;
    if (cpm_collective_same(a, b))
        return 0;
    cpm_collective_print(a, first, sizeof first);
    cpm_collective_print(b, second, sizeof second);
    return strcmp(first, second);
}

/* Experiments between processes come first. */
static int compare_experiments(const cpm_experiment *a, const cpm_experiment *b)
{
    if (a->kind != b->kind)
        return !a->kind ? 1 : !b->kind ? -1 : a->kind < b->kind ? -1 : 1;
    int order = a->kind ? 0 : compare_collectives(&a->collective, &b->collective);
    if (a->kind && a->kind->contended) /* those that ran at once follow each other */
        order = compare_bytes(a->send_bytes, b->send_bytes);
    if (!order && a->kind && a->kind->contended)
        order = compare_integers(a->j - a->i, b->j - b->i);
    if (!order)
        order = compare_integers(a->i, b->i);
    if (!order)
        order = compare_integers(a->j, b->j);
    if (!order)
        order = compare_bytes(a->send_bytes, b->send_bytes);
    if (!order)
        order = compare_bytes(a->reply_bytes, b->reply_bytes);
    return order ? order : compare_integers(a->count, b->count);
}

static int compare_rows(const void *left, const void *right)
{
    const cpm_import_row *a = left, *b = right;
    int order = compare_experiments(&a->what, &b->what);
    return order ? order : (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

/* ---- which of them */

static bool is_in_company(const cpm_import_row *row)
{
    return row->what.kind && row->what.kind->contended && row->what.kind->processes > 1 &&
           row->what.kind != &cpm_experiment_kinds[CPM_CROWDED_EXCHANGE];
}

/* How many processes there must be for the rows of each sort. */
typedef struct {
    int pairs, company, collectives;
    bool averages, single; /* there are latencies of all pairs at once, and of one pair */
    bool unknown;          /* there are collectives of an unknown number of processes */
} sorts;

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Of how many processes most of the collectives are; of several such numbers the largest. */
static int usual_processes(const cpm_import_rows *rows)
{
    int best = 0, most = 0;
    for (int from = 0, to; from < rows->count; from = to) {
        int n = rows->at[from].n;
        for (to = from; to < rows->count && rows->at[to].n == n; to++)
            ;
        if (n && to - from >= most) {
            most = to - from;
            best = n;
        }
    }
    return best;
}

static int by_processes(const void *left, const void *right)
{
    const cpm_import_row *a = left, *b = right;
    return compare_integers(a->n, b->n);
}

static sorts count_sorts(cpm_import_rows *rows)
{
    sorts s = {0};
    qsort(rows->at, (size_t)rows->count, sizeof *rows->at, by_processes);
    s.collectives = usual_processes(rows);
    for (int q = 0; q < rows->count; q++) {
        const cpm_import_row *row = &rows->at[q];
        int ranks = larger(row->what.i, row->what.j) + 1;
        if (row->what.kind && is_in_company(row))
            s.company = larger(s.company, ranks);
        else if (row->what.kind)
            s.pairs = larger(s.pairs, ranks);
        bool latency = row->what.kind == &cpm_experiment_kinds[CPM_ROUNDTRIP];
        s.averages = s.averages || row->averaged;
        s.single = s.single || (latency && !row->averaged);
        s.unknown = s.unknown || (!row->what.kind && row->n == 0);
    }
    return s;
}

static bool has_collectives(const sorts *s)
{
    return s->collectives > 0 || s->unknown;
}

/* What of the rows is kept, and of how many processes. */
typedef struct {
    int n, collectives; /* processes of all, and of the collectives; 0: none is kept */
    bool company, single;
} choice;

static choice choose(const cpm_import_options *options, const sorts *s)
{
    choice c = {.n = s->pairs, .single = s->single};
    bool left_out = options->pairs_only && (s->pairs || s->company);
    int asked = options->processes ? options->processes : s->collectives;
    if (has_collectives(s) && !left_out && asked >= s->pairs)
        c.n = c.collectives = asked;
    c.company = s->company && (!c.n || (c.collectives && s->company <= c.n));
    if (c.company)
        c.n = larger(c.n, s->company);
    return c;
}

static bool is_kept(const choice *c, const cpm_import_row *row)
{
    if (!row->what.kind)
        return c->collectives && row->n == c->collectives;
    if (row->averaged)
        return !c->single;
    return c->company || !is_in_company(row);
}

static int say_what_is_left_out(const cpm_import_options *options, const sorts *s, const choice *c,
                                const cpm_import_rows *rows, cpm_metadata *metadata, cpm_error *e)
{
    int status = CPM_OK;
    bool others = false;
    for (int q = 0; q < rows->count; q++)
        others = others || (!rows->at[q].what.kind && !is_kept(c, &rows->at[q]));
    if (others && c->collectives)
        status = cpm_metadata_append(metadata, e, "caution",
                                     "Collectives of other than %d processes are left out.",
                                     c->collectives);
    else if (others)
        status = cpm_metadata_append(metadata, e, "caution",
                                     options->pairs_only
                                         ? "Collectives are left out: compare them with the model."
                                         : "Collectives are left out: how many processes ran them "
                                           "is not known (--processes N).");
    if (!status && s->averages)
        status = cpm_metadata_append(metadata, e, "caution", "%s",
                                     s->single ? "Averages over many pairs are left out."
                                               : cpm_import_averaged);
    if (!status && s->company && !c->company)
        status = cpm_metadata_append(metadata, e, "caution",
                                     "Messages of many pairs at once are left out.");
    return status;
}

static void keep(cpm_import_rows *rows, const choice *c)
{
    int kept = 0;
    for (int q = 0; q < rows->count; q++)
        if (is_kept(c, &rows->at[q]))
            rows->at[kept++] = rows->at[q];
    rows->count = kept;
}

/* Of how many processes there are collectives: "2, 4, 8". Rows are in that order. */
static void list_numbers(const cpm_import_rows *rows, char *list, size_t size)
{
    int last = 0;
    *list = '\0';
    for (int q = 0; q < rows->count; q++) {
        size_t used = strlen(list);
        if (rows->at[q].n == last || !rows->at[q].n)
            continue;
        last = rows->at[q].n;
        snprintf(list + used, size - used, "%s%d", used ? ", " : "", last);
    }
}

static int take(const cpm_import_options *options, cpm_import_rows *rows, cpm_measurements *m,
                cpm_error *e)
{
    char numbers[200];
    sorts s = count_sorts(rows);
    choice c = choose(options, &s);
    list_numbers(rows, numbers, sizeof numbers);
    int status = say_what_is_left_out(options, &s, &c, rows, &m->metadata, e);
    if (status)
        return status;
    m->n = c.n;
    keep(rows, &c);
    if (rows->count)
        return CPM_OK;
    if (options->processes && s.collectives)
        return cpm_fail(e, CPM_EDATA, "no collectives of %d processes, but of %s",
                        options->processes, numbers);
    if (options->pairs_only)
        return cpm_fail(e, CPM_EDATA,
                        "no model: there are collectives only, and how many processes ran them is "
                        "not known. Add latencies, or compare them with a model (-o FILE.meas "
                        "--processes N, then cpm compare)");
    return cpm_fail(e, CPM_EDATA,
                    "the files do not say how many processes ran their collectives: add "
                    "--processes N");
}

/* ---- results */

static cpm_summary point(const cpm_import_row *row)
{
    double t = row->seconds;
    return (cpm_summary){.mean = t,
                         .median = t,
                         .huber = t,
                         .min = t,
                         .max = t,
                         .sd = 0,
                         .ci_low = t,
                         .ci_high = t,
                         .reps = row->reps};
}

/* Several repetitions keep their samples; a single one has nothing behind its mean. */
static int summarize(const cpm_import_row *row, int count, cpm_measurement *r, cpm_error *e)
{
    if (count == 1) {
        r->summary = point(row);
        return CPM_OK;
    }
    r->samples = malloc((size_t)count * sizeof *r->samples);
    if (!r->samples)
        return cpm_no_memory(e);
    for (int q = 0; q < count; q++)
        r->samples[q] = row[q].seconds;
    return cpm_summarize(r->samples, count, &(cpm_precision)CPM_PRECISION_DEFAULT, &r->summary, e);
}

/* Pairs as far from each other sent the same at once. */
static bool is_same_round(const cpm_measurements *m, const cpm_experiment *x)
{
    const cpm_measurement *before = m->count ? &m->at[m->count - 1] : NULL;
    return before && x->kind && x->kind == before->what.kind && x->kind->contended &&
           x->send_bytes == before->what.send_bytes &&
           x->j - x->i == before->what.j - before->what.i;
}

static int add_group(const cpm_import_row *row, int count, cpm_measurements *m, cpm_error *e)
{
    int last = m->count ? m->at[m->count - 1].round : -1;
    cpm_measurement r = {.what = row->what, .round = last + !is_same_round(m, &row->what)};
    int status = summarize(row, count, &r, e);
    if (!status)
        status = cpm_measurements_add(m, &r, e);
    if (status)
        free(r.samples);
    return status;
}

/* Repetitions on one machine by one library are nearer to each other than this. */
static const double far_apart = 4;

/* Of all groups of repetitions, the one that is furthest apart. */
typedef struct {
    const cpm_import_row *row;
    double times;
} widest;

static int say_widest(const widest *w, cpm_metadata *metadata, cpm_error *e)
{
    char name[CPM_EXPERIMENT_NAME];
    if (!(w->times > far_apart))
        return CPM_OK;
    cpm_experiment_name(&w->row->what, name, sizeof name);
    return cpm_metadata_append(
        metadata, e, "caution",
        "Repetitions are up to %.1f times apart (%s, %zu bytes): import tables of different "
        "machines, libraries or algorithms apart.",
        w->times, name, w->row->what.send_bytes);
}

static int add_all(const cpm_import_rows *rows, cpm_measurements *m, cpm_error *e)
{
    int status = CPM_OK;
    widest w = {0};
    for (int from = 0, to; from < rows->count && !status; from = to) {
        for (to = from + 1; to < rows->count; to++)
            if (compare_experiments(&rows->at[from].what, &rows->at[to].what) != 0)
                break;
        double times = rows->at[to - 1].seconds / rows->at[from].seconds;
        if (times > w.times)
            w = (widest){&rows->at[from], times};
        status = add_group(&rows->at[from], to - from, m, e);
    }
    return status ? status : say_widest(&w, &m->metadata, e);
}

/* The names of hosts are those of the processes of a matrix. */
static int add_facts(const cpm_import_rows *rows, cpm_measurements *m, cpm_error *e)
{
    bool collectives = rows->count && !rows->at[rows->count - 1].what.kind;
    int status = cpm_metadata_set(&m->metadata, e, "processes", "%d", m->n);
    if (!status)
        status =
            cpm_metadata_set(&m->metadata, e, "statistic", "%s", cpm_statistic_named(m->statistic));
    if (!status && collectives)
        status = cpm_metadata_set(&m->metadata, e, "timing", "%s",
                                  rows->timing == CPM_IMPORT_MEAN ? "mean" : "max");
    if (!status && collectives)
        status = cpm_metadata_set(&m->metadata, e, "placement", "plain");
    if (!status && collectives)
        status = cpm_metadata_set(&m->metadata, e, CPM_METADATA_ROUTINES, CPM_ROUTINES_LIBRARY);
    if (!status && collectives && rows->combines)
        status = cpm_metadata_set(&m->metadata, e, CPM_METADATA_COMBINING, "%s",
                                  cpm_combinings[rows->combining].name);
    if (!status && rows->hosts)
        status = cpm_metadata_set(&m->metadata, e, "hosts", "%s", rows->hosts);
    return status;
}

int cpm_import_measurements(const cpm_import_options *options, cpm_import_rows *rows,
                            cpm_measurements *m, cpm_error *e)
{
    int status = take(options, rows, m, e);
    if (status)
        return status;
    qsort(rows->at, (size_t)rows->count, sizeof *rows->at, compare_rows);
    status = add_facts(rows, m, e);
    return status ? status : add_all(rows, m, e);
}
