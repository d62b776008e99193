/* Rows are kept for the process: operation and algorithm. They are printed by process 0 when
 * MPI_COMM_SELF ends, which is the first thing that MPI_Finalize does, in whatever language it is
 * called. */
#include "tuned/report/report.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/report_table.h"
#include "tuned/adapt/adapt.h"
#include "tuned/attribute.h"
#include "tuned/comm/hooks.h"
#include "tuned/environment.h"
#include "tuned/report/ab_comparison.h"
#include "tuned/report/adapt_report.h"
#include "tuned/report/host_load.h"
#include "tuned/report/profile.h"
#include "tuned/report/summary.h"

typedef struct row {
    const cpm_operation *operation;
    bool nonblocking;
    char algorithm[120];
    tuned_count count;
    struct row *next;
} row;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tuned_state *states;
static row *rows;
static int decisions; /* made, and the seconds that they took */
static double deciding;
static atomic_long alone; /* nonblocking calls with which no blocking one came, */
static long passed_on;    /* and those that were passed on */
static long untried;      /* of open communicators, as long as nothing was tried of them */
static bool watching;
static tuned_account account; /* of all processes, at process 0 */
static char busy[400];        /* that the host was, in a sentence; empty: it was not */

enum { MANY = 100 }; /* calls on end */

/* Only process 0 prints. (Simulated processes share these lists, too.) */
static bool reports(void)
{
    int rank = -1, initialized = 0;
    if (tuned_environment_get()->reported)
        PMPI_Initialized(&initialized); /* there is no world in a session */
    if (initialized)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

/* ---- rows ---- */

/* By operation, then name, then size; nonblocking ones behind the others. */
static int order_of(const row *r, const cpm_operation *o, bool nonblocking, const char *algorithm,
                    int size_class)
{
    if (r->nonblocking != nonblocking)
        return r->nonblocking ? 1 : -1;
    if (r->operation != o)
        return r->operation < o ? -1 : 1;
    int order = strcmp(r->algorithm, algorithm);
    return order ? order : r->count.size_class - size_class;
}

static row *find_row(const cpm_operation *o, bool nonblocking, const char *algorithm,
                     int size_class)
{
    row **at = &rows;
    while (*at && order_of(*at, o, nonblocking, algorithm, size_class) < 0)
        at = &(*at)->next;
    if (*at && order_of(*at, o, nonblocking, algorithm, size_class) == 0)
        return *at;
    row *new = calloc(1, sizeof *new);
    if (!new)
        return NULL;
    new->operation = o;
    new->nonblocking = nonblocking;
    new->count.size_class = size_class;
    new->next = *at;
    snprintf(new->algorithm, sizeof new->algorithm, "%s", algorithm);
    return *at = new;
}

static void count_decision(const tuned_decision *d)
{
    char name[120];
    tuned_choice_print(&d->choice, name, sizeof name);
    for (const tuned_count *c = d->counts; c; c = c->next) {
        row *r = find_row(d->operation, d->nonblocking, name, c->size_class);
        if (r)
            tuned_count_add(&r->count, c);
    }
}

static void count_state(tuned_state *t)
{
    for (const tuned_decision *d = t->decisions.all; d; d = d->next)
        count_decision(d);
    for (int op = 0; op < CPM_OPERATIONS; op++)
        count_decision(&t->decisions.undecided[op]);
    decisions += t->decisions.made;
    deciding += t->decisions.deciding;
    if (t->adapt && !t->adapt->open && !t->adapt->prepared && t->adapt->stretches.alone >= MANY)
        alone += t->adapt->stretches.alone;
    if (t->adapt && (t->adapt->open || t->adapt->prepared))
        untried +=
            t->adapt->stretches.untried + t->adapt->stretches.passed + t->adapt->started.untried;
    tuned_adapt_report_count(t);
}

long *tuned_report_unknown(void)
{
    alone++;
    return &passed_on;
}

static long count_alone(void)
{
    return alone + passed_on;
}

void tuned_report_count(tuned_state *t)
{
    if (!reports())
        return;
    pthread_mutex_lock(&lock);
    count_state(t);
    pthread_mutex_unlock(&lock);
}

/* ---- printing ---- */

static void add_operations(cpm_report_tables *all)
{
    static const cpm_report_table_column columns[] = {
        {"operation", 0}, {"algorithm", 0}, {"from", 0},     {"to", 0},          {"calls", 0},
        {"bytes", 0},     {"mean_us", 2},   {"spent_ms", 3}, {"expected_ms", 3}, {NULL, 0}};
    static const cpm_report_table operations = {
        "operations",
        "collectives as process 0 ran them, by powers of two. Columns: bytes of a block, mean "
        "and total times of this process, expected: by the model, if all start together. Of "
        "nonblocking ones (ibcast): times from beginning to end, by CPM's algorithms only",
        columns};
    cpm_report_tables_begin(all, &operations);
    for (const row *r = rows; r; r = r->next) {
        const tuned_count *c = &r->count;
        char name[32];
        snprintf(name, sizeof name, "%s%s", r->nonblocking ? "i" : "", r->operation->name);
        cpm_report_tables_row(all, "ssnnnrrrr", name, r->algorithm, (long)c->smallest,
                              (long)c->largest, c->calls, c->bytes / (double)c->calls,
                              c->spent / (double)c->calls * 1e6, c->spent * 1e3,
                              c->expected < 0 ? NAN : c->expected * 1e3);
    }
}

/* The times that a table for calls in a batch expects are not those of calls that start together.
 */
static const char *timing_of_table(char text[80])
{
    const cpm_table *t = NULL;
    const tuned_environment *said = tuned_environment_get();
    if (!said->table || tuned_environment_table(&t, NULL) || !cpm_table_batch(t))
        return NULL;
    return cpm_escape(cpm_table_batch(t), text, 80);
}

static void add_deciding(cpm_report_tables *all)
{
    static const cpm_report_table_column columns[] = {
        {"decisions", 0}, {"deciding_ms", 3}, {"table_timing", 0}, {NULL, 0}};
    static const cpm_report_table program = {"deciding", NULL, columns};
    char timing[80];
    cpm_report_tables_begin(all, &program);
    cpm_report_tables_row(all, "nrs", (long)decisions, deciding * 1e3, timing_of_table(timing));
}

/* r: the first of their rows, which are the last; NULL: none. */
static void add_nonblocking(cpm_report_tables *all, const row *r)
{
    long calls = 0;
    for (; r; r = r->next)
        calls += r->count.calls;
    if (calls)
        tuned_summary_line(all,
                           "%ld nonblocking or persistent calls of process 0 were run by "
                           "chosen algorithms",
                           calls);
}

/* Without turns nothing is known of what was saved. */
static void add_shares(cpm_report_tables *all)
{
    double spent = 0, chosen = 0;
    const row *r = rows;
    for (; r && !r->nonblocking; r = r->next) {
        spent += r->count.spent;
        chosen += strcmp(r->algorithm, "native") == 0 ? 0 : r->count.spent;
    }
    const char *kind = r || count_alone() ? "blocking " : "";
    if (chosen > 0)
        tuned_summary_line(all,
                           "%scollectives took process 0 %.3g ms, %.3g ms of these by chosen "
                           "algorithms; --compare tells what these save",
                           kind, spent * 1e3, chosen * 1e3);
    else
        tuned_summary_line(all, "%scollectives took process 0 %.3g ms, all by MPI's own routines",
                           kind, spent * 1e3);
    add_nonblocking(all, r);
}

static void add_sampled(cpm_report_tables *all)
{
    long calls = 0, passed = 0;
    for (const row *r = rows; r; r = r->next) {
        calls += r->count.calls;
        passed += r->count.passed;
    }
    if (passed)
        tuned_summary_line(all, "%ld of %ld calls were timed; the others are taken to be like them",
                           calls - passed, calls);
}

static void add_summary(cpm_report_tables *all)
{
    tuned_summary_begin(all);
    if (tuned_environment_get()->compare)
        tuned_ab_summary(all, &account);
    else if (!tuned_adapt_report_summary(all))
        add_shares(all);
    add_sampled(all);
    if (count_alone() >= MANY)
        tuned_summary_line(all,
                           "%ld nonblocking calls of process 0 were MPI's own: no blocking one had "
                           "opened their communicator%s",
                           count_alone(),
                           tuned_environment_get()->adapts && !tuned_environment_get()->early
                               ? "; try --early (CPM_EARLY=1)"
                               : "");
    if (untried >= MANY)
        tuned_summary_line(all,
                           "%ld nonblocking calls of process 0 stayed MPI's own: nothing was tried "
                           "then, or was faster",
                           untried);
    if (*busy)
        tuned_summary_line(all, "%s", busy);
}

static cpm_format format_said(void)
{
    const char *text = tuned_environment_get()->format;
    cpm_format format = CPM_FORMAT_TEXT;
    if (text)
        cpm_format_parse(text, &format, NULL); /* what is wrong with it was told */
    return format;
}

/* People read the summary first; where programs read, its column comes behind those of others. */
static void make_tables(cpm_report_tables *all, cpm_format format)
{
    *all = (cpm_report_tables){.title = "report"};
    if (format == CPM_FORMAT_TEXT)
        add_summary(all);
    add_operations(all);
    add_deciding(all);
    tuned_adapt_report_add(all);
    if (tuned_environment_get()->compare)
        tuned_ab_report(all, &account);
    if (format != CPM_FORMAT_TEXT)
        add_summary(all);
}

static void print_all(void)
{
    const tuned_environment *said = tuned_environment_get();
    cpm_error e = {0};
    cpm_report_tables all;
    if (said->verbose || (said->compare && !said->report)) {
        make_tables(&all, CPM_FORMAT_TEXT);
        cpm_report_tables_print(&all, CPM_FORMAT_TEXT, "cpm: ", stderr, &e);
        cpm_report_tables_clear(&all);
    }
    if (said->report && !e.code) {
        make_tables(&all, format_said());
        cpm_report_tables_write(&all, format_said(), said->report, CPM_FILE_REPORT, &e);
        cpm_report_tables_clear(&all);
    }
    if (e.code)
        fprintf(stderr, "cpm: %s\n", e.text);
}

static void free_rows(void)
{
    for (row *r = rows, *next; r; r = next) {
        next = r->next;
        free(r);
    }
    rows = NULL;
}

/* What all processes observed; collective. */
static void end_observing(void)
{
    const char *profile = tuned_environment_get()->profile;
    cpm_error e = {0};
    int status = tuned_account_make(&account, &e);
    account.busy = *busy;
    if (!status && account.hosts && profile)
        status = tuned_profile_write(&account, profile, &e);
    if (status)
        fprintf(stderr, "cpm: %s\n", e.text);
}

static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    for (int k = 0; k < tuned_hooks_count; k++)
        if (tuned_hooks_of_all[k].stops)
            tuned_hooks_of_all[k].stops();
    tuned_host_load_disturbs(busy, sizeof busy);
    if (tuned_observes())
        end_observing();
    pthread_mutex_lock(&lock);
    for (tuned_state *t = states; t; t = t->next)
        count_state(t);
    states = NULL; /* counted: what ends from now on says nothing */
    if (rows || ((count_alone() >= MANY || untried >= MANY) && reports()) ||
        (account.count && tuned_environment_get()->compare))
        print_all();
    free_rows();
    tuned_adapt_report_clear();
    tuned_account_clear(&account);
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}

/* What is wrong with how the report is asked for is told before it is due. */
static void check_format(void)
{
    const tuned_environment *said = tuned_environment_get();
    cpm_format format;
    cpm_error e = {0};
    if (!said->format)
        return;
    if (cpm_format_parse(said->format, &format, &e))
        fprintf(stderr, "cpm: CPM_FORMAT: %s; the report will be text\n", e.text);
    else if (!said->report)
        fprintf(stderr,
                "cpm: CPM_FORMAT: there is no report to be %s: name its file in "
                "CPM_REPORT\n",
                said->format);
}

static void watch_the_end(void)
{
    watching = true;
    if (reports())
        check_format();
    tuned_attribute_at_end(at_end);
}

void tuned_report_begin(void)
{
    const tuned_environment *said = tuned_environment_get();
    const char *unused = said->unused;
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && unused)
        fprintf(stderr, "cpm: CPM_PROFILE: MPI's own collectives are watched: %s is not used\n",
                unused);
    if (said->profile || said->compare)
        tuned_observe_begin();
    if (said->compare || said->adapts)
        tuned_host_load_begin();
    watch_the_end();
}

/* ---- states ---- */

void tuned_report_enter(tuned_state *t)
{
    if (!reports())
        return;
    pthread_mutex_lock(&lock);
    if (!watching)
        watch_the_end();
    t->next = states;
    t->previous = NULL;
    if (states)
        states->previous = t;
    states = t;
    pthread_mutex_unlock(&lock);
}

/* One that was counted at the end is no longer in the list. */
static bool is_listed(const tuned_state *t)
{
    const tuned_state *at = states;
    while (at && at != t)
        at = at->next;
    return at;
}

void tuned_report_leave(tuned_state *t)
{
    if (!tuned_environment_get()->reported)
        return;
    pthread_mutex_lock(&lock);
    if (is_listed(t)) {
        count_state(t);
        if (t->previous)
            t->previous->next = t->next;
        else
            states = t->next;
        if (t->next)
            t->next->previous = t->previous;
    }
    pthread_mutex_unlock(&lock);
}
