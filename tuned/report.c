/* Rows are kept for the process: operation and algorithm. They are printed by process 0 when
 * MPI_COMM_SELF ends, which is the first thing that MPI_Finalize does, in whatever language it is
 * called. */
#include "tuned/report.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/locale.h"
#include "base/shown.h"
#include "collectives/parameters.h"
#include "tuned/environment.h"

typedef struct row {
    const cpm_operation *operation;
    char algorithm[120];
    long calls;
    double spent, expected; /* expected is negative if a part of it is not known */
    size_t smallest, largest;
    struct row *next;
} row;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tuned_state *states;
static row *rows;
static int decisions; /* made, and the seconds that they took */
static double deciding;
static bool watching;

/* Only process 0 prints. (Simulated processes share these lists, too.) */
static bool reports(void)
{
    int rank = -1, initialized = 0;
    if (tuned_environment_get()->verbose)
        PMPI_Initialized(&initialized); /* there is no world in a session */
    if (initialized)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

/* ---- rows ---- */

static void name_choice(const cpm_choice *c, char *text, size_t size)
{
    char with[80] = "";
    cpm_parameters_print(&c->what.with, with, sizeof with);
    snprintf(text, size, "%s%s%s", c->what.algorithm ? c->what.algorithm->name : "native", with,
             c->what.at.mapping ? " (mapped)" : "");
}

/* Sorted by operation, then name. */
static row *find_row(const cpm_operation *o, const char *algorithm)
{
    row **at = &rows;
    while (*at && ((*at)->operation < o ||
                   ((*at)->operation == o && strcmp((*at)->algorithm, algorithm) < 0)))
        at = &(*at)->next;
    if (*at && (*at)->operation == o && strcmp((*at)->algorithm, algorithm) == 0)
        return *at;
    row *new = calloc(1, sizeof *new);
    if (!new)
        return NULL;
    new->operation = o;
    new->smallest = SIZE_MAX;
    new->next = *at;
    snprintf(new->algorithm, sizeof new->algorithm, "%s", algorithm);
    return *at = new;
}

static void count_decision(const tuned_decision *d)
{
    char name[120];
    if (d->calls == 0)
        return;
    name_choice(&d->choice, name, sizeof name);
    row *r = find_row(d->operation, name);
    if (!r)
        return;
    r->calls += d->calls;
    r->spent += d->spent;
    r->expected = r->expected < 0 || d->expected < 0 ? -1 : r->expected + d->expected;
    r->smallest = d->smallest < r->smallest ? d->smallest : r->smallest;
    r->largest = d->largest > r->largest ? d->largest : r->largest;
}

static void count_state(tuned_state *t)
{
    for (const tuned_decision *d = t->decisions.all; d; d = d->next)
        count_decision(d);
    for (int op = 0; op < CPM_OPERATIONS; op++)
        count_decision(&t->decisions.undecided[op]);
    decisions += t->decisions.made;
    deciding += t->decisions.deciding;
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

static void print_row(const row *r)
{
    char expected[40] = "-";
    if (r->expected >= 0)
        snprintf(expected, sizeof expected, "%.3f", r->expected * 1e3);
    fprintf(stderr, "cpm: %-15s %-32s %10zu %10zu %9ld %12.3f %12s\n", r->operation->name,
            r->algorithm, r->smallest, r->largest, r->calls, r->spent * 1e3, expected);
}

/* The times that such a table expects are not those of calls that start together. */
static void print_timing(void)
{
    char shown[80];
    const cpm_table *t = NULL;
    const tuned_environment *e = tuned_environment_get();
    if (!e->table || tuned_environment_table(&t, NULL) || !cpm_table_batch(t))
        return;
    fprintf(stderr, "cpm: the table is for calls that follow each other (timing %s)\n",
            cpm_shown(cpm_table_batch(t), shown, sizeof shown));
}

static void print_rows(void)
{
    locale_t before = cpm_locale_plain();
    fprintf(stderr,
            "cpm: collectives as process 0 ran them; bytes of a block; total times of this process "
            "in ms, expected: by the model, if all start together\n");
    fprintf(stderr, "cpm: %-15s %-32s %10s %10s %9s %12s %12s\n", "# operation", "algorithm",
            "from", "to", "calls", "spent", "expected");
    for (const row *r = rows; r; r = r->next)
        print_row(r);
    print_timing();
    fprintf(stderr, "cpm: %d decisions took %.3f ms more\n", decisions, deciding * 1e3);
    cpm_locale_restore(before);
}

static void free_rows(void)
{
    for (row *r = rows, *next; r; r = next) {
        next = r->next;
        free(r);
    }
    rows = NULL;
}

static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    pthread_mutex_lock(&lock);
    for (tuned_state *t = states; t; t = t->next)
        count_state(t);
    states = NULL; /* counted: what ends from now on says nothing */
    if (rows)
        print_rows();
    free_rows();
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}

static void watch_the_end(void)
{
    int key;
    watching = true;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
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
    if (!tuned_environment_get()->verbose)
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
