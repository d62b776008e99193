/* State of the process by nature: communicators come and go. */
#include "tuned/adapt/memory.h"

#include <math.h>
#include <pthread.h>
#include <sha2.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "base/vector.h"
#include "history/tuning_history.h"
#include "selection/choice.h"
#include "selection/size_class.h"
#include "tuned/environment.h"
#include "tuned/library_version.h"
#include "tuned/members.h"

enum { MOST_MET = 1024, LONGEST = 1024, BEGIN = 900 };

/* The processes of a communicator, by their ranks in MPI_COMM_WORLD. */
typedef struct {
    int *process;
    int n;
    char *hosts;
} met;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    cpm_tuning_history all;   /* of earlier programs and of this one */
    cpm_tuning_history added; /* of this one */
    char *text;               /* of earlier ones, until somebody asks */
    size_t size;
    met *met;
    int count;
} memory;
static atomic_bool any; /* of met */

static bool promised; /* something to MPI_COMM_WORLD, as MPI_Init has heard */

bool tuned_memory_promises_world(void)
{
    return promised;
}

void tuned_memory_promise_world(bool gains)
{
    promised = gains;
}

/* ---- this program ---- */

const char *tuned_memory_version(void)
{
    return CPM_VERSION;
}

/* ---- hosts ---- */

static void put_run(FILE *f, const char *name, int count)
{
    char word[4 * MPI_MAX_PROCESSOR_NAME];
    fputs(cpm_escape_word(name, word, sizeof word), f);
    if (count > 1)
        fprintf(f, "*%d", count);
}

/* Processes that follow each other on a host are written once. */
static void put_hosts(FILE *f, const char *names, int n)
{
    const char *layout = tuned_environment_get()->layout;
    for (int r = 0, count; r < n; r += count) {
        const char *name = names + (size_t)r * MPI_MAX_PROCESSOR_NAME;
        for (count = 1; r + count < n; count++)
            if (strcmp(name, name + (size_t)count * MPI_MAX_PROCESSOR_NAME) != 0)
                break;
        fputs(r ? " " : "", f);
        put_run(f, name, count);
    }
    if (layout) {
        fputs(" layout=", f);
        put_run(f, layout, 1);
    }
}

/* A text that is long has its checksum instead of its last words. */
static void cut(char *text)
{
    char checksum[65];
    size_t length = strlen(text);
    if (length <= LONGEST)
        return;
    SHA256Data((const uint8_t *)text, length, checksum);
    size_t begin = BEGIN;
    while (begin > 0 && text[begin - 1] != ' ')
        begin--;
    snprintf(text + begin, length - begin, "... %.16s", checksum);
}

char *tuned_memory_text_of(const char *names, int n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (f)
        put_hosts(f, names, n);
    if (!f || ferror(f) | fclose(f)) {
        free(text);
        return NULL;
    }
    cut(text);
    return text;
}

char *tuned_memory_hosts(const tuned_state *t)
{
    tuned_members who = {0};
    char *text = NULL;
    tuned_members_find(t->inside, false, &who, NULL);
    if (who.names) {
        tuned_mind_oversubscription(who.names, t->n);
        text = tuned_memory_text_of(who.names, t->n);
        if (text)
            tuned_memory_note(t->comm, text);
    }
    tuned_members_clear(&who);
    return text;
}

/* ---- communicators that were met ---- */

/* Ranks in MPI_COMM_WORLD; NULL: no memory, or there is no world. */
static int *processes_of(MPI_Comm comm, int *n)
{
    MPI_Group all, own;
    int initialized = 0;
    PMPI_Initialized(&initialized);
    PMPI_Comm_size(comm, n);
    int *rank = initialized ? malloc(2 * (size_t)*n * sizeof *rank) : NULL;
    if (!rank)
        return NULL;
    for (int r = 0; r < *n; r++)
        rank[*n + r] = r;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Comm_group(comm, &own);
    PMPI_Group_translate_ranks(own, *n, rank + *n, all, rank);
    PMPI_Group_free(&own);
    PMPI_Group_free(&all);
    return rank;
}

static met *find_met(const int *process, int n)
{
    for (int k = 0; k < memory.count; k++) {
        met *m = &memory.met[k];
        if (m->n == n && memcmp(m->process, process, (size_t)n * sizeof *process) == 0)
            return m;
    }
    return NULL;
}

bool tuned_memory_has_any(void)
{
    return atomic_load_explicit(&any, memory_order_relaxed);
}

char *tuned_memory_known_hosts(MPI_Comm comm)
{
    char *hosts = NULL;
    int n;
    int *process = tuned_memory_has_any() ? processes_of(comm, &n) : NULL;
    pthread_mutex_lock(&lock);
    const met *m = process ? find_met(process, n) : NULL;
    if (m)
        hosts = strdup(m->hosts);
    pthread_mutex_unlock(&lock);
    free(process);
    return hosts;
}

/* Takes over both unless it fails. */
static bool append_met(int *process, int n, char *hosts)
{
    if (!process || !hosts || memory.count == MOST_MET || find_met(process, n) ||
        !cpm_vector_extend(&memory.met, memory.count, sizeof *memory.met))
        return false;
    memory.met[memory.count++] = (met){process, n, hosts};
    atomic_store(&any, true);
    return true;
}

void tuned_memory_note(MPI_Comm comm, const char *hosts)
{
    int n;
    int *process = processes_of(comm, &n);
    char *copy = strdup(hosts);
    pthread_mutex_lock(&lock);
    bool taken = append_met(process, n, copy);
    pthread_mutex_unlock(&lock);
    if (taken)
        return;
    free(process);
    free(copy);
}

/* ---- lessons ---- */

static cpm_tuning_record lesson_of(const char *hosts, int n, const tuned_kind *k)
{
    return (cpm_tuning_record){
        .at = {(char *)hosts, (char *)tuned_library_version(), (char *)tuned_memory_version()},
        .operation = k->operation,
        .n = n,
        .root = k->root,
        .ordered = k->ordered,
        .least = k->least,
        .most = k->most};
}

static void add_figure(const tuned_context *x, int k, cpm_tuning_record *to)
{
    const cpm_adapt_seen seen = cpm_adapt_look(x->engine, k);
    cpm_lesson_figure *f = &to->figure[to->count];
    if (!seen.calls)
        return;
    *f = (cpm_lesson_figure){.calls = seen.calls,
                             .seconds = seen.mean,
                             .ratio = k ? seen.ratio : 0,
                             .error = k ? seen.ratio_error : 0,
                             .out = k && seen.out};
    cpm_lesson_name(&x->candidates[k]->choice.what, f->name);
    to->count += !cpm_lesson_figure_of(to, f->name);
}

tuned_kind tuned_memory_kind(const tuned_kind *k, size_t mean)
{
    const cpm_size_class c = cpm_size_class_plain(mean);
    tuned_kind kind = *k;
    kind.least = c.least;
    kind.most = c.most;
    return kind;
}

static void add_context(const tuned_context *x, int n, const char *hosts)
{
    const tuned_kind kind =
        x->announced ? tuned_memory_kind(&x->kind, cpm_mean_bytes(x->announced, n)) : x->kind;
    cpm_tuning_record l = lesson_of(hosts, n, &kind);
    time_t now = time(NULL);
    struct tm parts;
    l.figure = calloc((size_t)x->count, sizeof *l.figure);
    if (!l.figure)
        return;
    strftime(l.date, sizeof l.date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    for (int k = 0; k < x->count; k++)
        add_figure(x, k, &l);
    if (l.count && cpm_tuning_history_add(&memory.added, &l, NULL) == CPM_OK)
        cpm_tuning_history_add(&memory.all, &l, NULL);
    free(l.figure);
}

/* What earlier programs have shown is read when somebody first asks. */
static void read_text(void)
{
    if (memory.text)
        cpm_tuning_history_unpack(memory.text, memory.size, "", &memory.all, NULL);
    free(memory.text);
    memory.text = NULL;
}

void tuned_memory_add(const tuned_contexts *all, int n, const char *hosts)
{
    pthread_mutex_lock(&lock);
    read_text();
    for (const tuned_context *x = all->all; x; x = x->next)
        if (x->engine && !x->ended && !x->kind.begun)
            add_context(x, n, hosts);
    pthread_mutex_unlock(&lock);
}

/* With the lock. */
static const cpm_tuning_record *find(const char *hosts, int n, const tuned_kind *k)
{
    const cpm_tuning_record like = lesson_of(hosts, n, k);
    read_text();
    if (k->begun) /* what they gain depends on what the program computes */
        return NULL;
    return cpm_tuning_history_find(&memory.all, &like);
}

/* One that was given up takes as long as native at least. */
static tuned_remembered remembered(const cpm_tuning_record *l, const char *name)
{
    const cpm_lesson_figure *f = cpm_lesson_figure_of(l, name);
    tuned_remembered out = {0};
    if (!f || (!f->out && !(f->ratio > 0)))
        return out;
    for (int k = 0; k < l->count; k++)
        out.calls += l->figure[k].calls;
    out.ratio = f->out ? fmax(f->ratio, 1) : f->ratio;
    out.most = cpm_lesson_at_most(f);
    out.praised = cpm_lesson_praises(f);
    return out;
}

tuned_remembered tuned_memory_recall(const char *hosts, int n, const tuned_kind *k,
                                     const cpm_collective *what)
{
    char name[CPM_LESSON_NAME];
    tuned_remembered out = {0};
    cpm_lesson_name(what, name);
    pthread_mutex_lock(&lock);
    const cpm_tuning_record *l = find(hosts, n, k);
    if (l)
        out = remembered(l, name);
    pthread_mutex_unlock(&lock);
    return out;
}

double tuned_memory_promise(const char *hosts, int n, const tuned_kind *k)
{
    pthread_mutex_lock(&lock);
    const cpm_tuning_record *l = find(hosts, n, k);
    const cpm_lesson_figure *best = l ? cpm_lesson_best(l) : NULL;
    double share = best ? 1 - best->ratio : 0;
    pthread_mutex_unlock(&lock);
    return share;
}

/* ---- from program to program ---- */

void tuned_memory_load(char *text, size_t size)
{
    pthread_mutex_lock(&lock);
    read_text();
    memory.text = text;
    memory.size = size;
    pthread_mutex_unlock(&lock);
}

char *tuned_memory_learnt(void)
{
    pthread_mutex_lock(&lock);
    char *text = memory.added.count ? cpm_tuning_history_text(&memory.added) : NULL;
    pthread_mutex_unlock(&lock);
    return text;
}
