/* The design for known classes. Rounds of pairs: whichever pair of classes was measured least often
 * is next, until nobody is free. Rounds of trains: roots are of whichever class was root least
 * often. There are more of large messages, whose trains are short. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/classes.h"

enum {
    PAIR_ROUNDS = 4,        /* at least, of each size */
    LEAST_PAIRS = 3,        /* of processes per pair of classes */
    TRAIN_ROUNDS = 3,       /* at least, of empty messages */
    LARGE_TRAIN_ROUNDS = 9, /* of large ones */
    LEAST_TRAINS = 5        /* per class */
};

typedef struct {
    const cpm_classes *c;
    int *order;    /* [n] at random, by a fixed seed: the same design in every run */
    int *rooted;   /* [n] trains that a process was root of */
    int *trains;   /* [g] trains with a root of that class */
    int *roots;    /* [n] of this round */
    bool *busy;    /* [n] in this round */
    bool *met;     /* [n*n] */
    int *covered;  /* [g*g] a <= b: pairs of processes so far */
    bool *blocked; /* [g*g] in this round */
    gsl_rng *random;
    cpm_design *d;
    cpm_error *e;
} designer;

static size_t at_of(int columns, int i, int j)
{
    return (size_t)i * (size_t)columns + (size_t)j;
}

static int add_experiment(const cpm_experiment_kind *kind, int i, int j, int k, int count,
                          size_t bytes, designer *s)
{
    cpm_experiment x = {.kind = kind,
                        .i = i,
                        .j = j,
                        .k = k,
                        .count = count,
                        .send_bytes = bytes,
                        .reply_bytes = bytes};
    return cpm_design_add(s->d, &x, s->e);
}

/* ---- pairs */

/* The pair of classes that was measured least and is not blocked; false: none. */
static bool neediest(const designer *s, int *first, int *second)
{
    int g = s->c->count, least = -1;
    for (int a = 0; a < g; a++)
        for (int b = a; b < g; b++) {
            int covered = s->covered[at_of(g, a, b)];
            if (s->blocked[at_of(g, a, b)] || (least >= 0 && covered >= least))
                continue;
            least = covered;
            *first = a;
            *second = b;
        }
    return least >= 0;
}

/* Two free processes of these classes that have not met; false: none. */
static bool find_pair(const designer *s, int a, int b, int *first, int *second)
{
    const int *of = s->c->of;
    for (int p = 0; p < s->c->n; p++) {
        int i = s->order[p];
        if (of[i] != a || s->busy[i])
            continue;
        for (int q = 0; q < s->c->n; q++) {
            int j = s->order[q];
            if (of[j] != b || s->busy[j] || i == j || s->met[at_of(s->c->n, i, j)])
                continue;
            *first = i;
            *second = j;
            return true;
        }
    }
    return false;
}

static int add_pair_round(designer *s, size_t bytes)
{
    int a = 0, b = 0, i = 0, j = 0, status = CPM_OK, g = s->c->count;
    memset(s->busy, 0, (size_t)s->c->n * sizeof *s->busy);
    memset(s->blocked, 0, (size_t)g * (size_t)g * sizeof *s->blocked);
    gsl_ran_shuffle(s->random, s->order, (size_t)s->c->n, sizeof *s->order);
    while (!status && neediest(s, &a, &b)) {
        if (!find_pair(s, a, b, &i, &j)) {
            s->blocked[at_of(g, a, b)] = true;
            continue;
        }
        s->met[at_of(s->c->n, i, j)] = s->met[at_of(s->c->n, j, i)] = true;
        s->busy[i] = s->busy[j] = true;
        s->covered[at_of(g, a, b)]++;
        status = add_experiment(&cpm_experiment_kinds[CPM_ROUNDTRIP], i < j ? i : j, i < j ? j : i,
                                -1, 1, bytes, s);
    }
    return status ? status : cpm_design_close_round(s->d, s->e);
}

static bool all_covered(const designer *s)
{
    int g = s->c->count;
    for (int a = 0; a < g; a++)
        for (int b = a; b < g; b++) {
            double pairs = cpm_classes_pairs(s->c, a, b) / (a == b ? 2 : 1);
            double needed = pairs < LEAST_PAIRS ? pairs : LEAST_PAIRS;
            if (s->covered[at_of(g, a, b)] < needed)
                return false;
        }
    return true;
}

static int add_pair_rounds(designer *s, size_t bytes)
{
    int status = CPM_OK, before = -1;
    for (int r = 0; !status && before != s->d->count && (r < PAIR_ROUNDS || !all_covered(s)); r++) {
        before = s->d->count;
        status = add_pair_round(s, bytes);
    }
    return status;
}

/* ---- trains */

/* The class that was root least often and has a free process, or -1. */
static int neediest_class(const designer *s)
{
    int neediest = -1;
    for (int i = 0; i < s->c->n; i++) {
        int class = s->c->of[i];
        if (!s->busy[i] && (neediest < 0 || s->trains[class] < s->trains[neediest]))
            neediest = class;
    }
    return neediest;
}

/* Makes that process of a class a root that was one least often. */
static int take_root(designer *s, int class)
{
    int root = -1;
    for (int p = 0; p < s->c->n; p++) {
        int i = s->order[p];
        if (s->c->of[i] == class && !s->busy[i] && (root < 0 || s->rooted[i] < s->rooted[root]))
            root = i;
    }
    s->busy[root] = true;
    s->rooted[root]++;
    s->trains[class]++;
    return root;
}

/* A free process, new: one that has not replied to root yet; -1: none. */
static int take_helper(designer *s, int root, bool new)
{
    for (int p = 0; p < s->c->n; p++) {
        int i = s->order[p];
        if (s->busy[i] || (new && s->met[at_of(s->c->n, root, i)]))
            continue;
        s->busy[i] = true;
        s->met[at_of(s->c->n, root, i)] |= new;
        return i;
    }
    return -1;
}

static int add_train_round(designer *s, int train, size_t bytes)
{
    int roots = s->c->n / 3, status = CPM_OK;
    memset(s->busy, 0, (size_t)s->c->n * sizeof *s->busy);
    gsl_ran_shuffle(s->random, s->order, (size_t)s->c->n, sizeof *s->order);
    for (int r = 0; r < roots; r++)
        s->roots[r] = take_root(s, neediest_class(s));
    for (int r = 0; r < roots && !status; r++) {
        int replier = take_helper(s, s->roots[r], true);
        if (replier >= 0)
            status = add_experiment(&cpm_experiment_kinds[CPM_TRAIN], s->roots[r],
                                    take_helper(s, s->roots[r], false), replier, train, bytes, s);
    }
    return status ? status : cpm_design_close_round(s->d, s->e);
}

static bool all_trained(const designer *s)
{
    for (int a = 0; a < s->c->count; a++)
        if (s->trains[a] < LEAST_TRAINS)
            return false;
    return true;
}

static int add_train_rounds(designer *s, int rounds, int train, size_t bytes)
{
    int status = CPM_OK, before = -1;
    for (int r = 0; !status && before != s->d->count && (r < rounds || !all_trained(s)); r++) {
        before = s->d->count;
        status = add_train_round(s, train, bytes);
    }
    return status;
}

/* ---- both */

static int add_size(designer *s, int train, size_t bytes)
{
    size_t n = (size_t)s->c->n, g = (size_t)s->c->count;
    for (int i = 0; i < s->c->n; i++)
        s->order[i] = i;
    memset(s->met, 0, n * n * sizeof *s->met);
    memset(s->covered, 0, g * g * sizeof *s->covered);
    int status = add_pair_rounds(s, bytes);
    if (status)
        return status;
    memset(s->met, 0, n * n * sizeof *s->met);
    memset(s->rooted, 0, n * sizeof *s->rooted);
    memset(s->trains, 0, g * sizeof *s->trains);
    return add_train_rounds(s, bytes ? LARGE_TRAIN_ROUNDS : TRAIN_ROUNDS, train, bytes);
}

int cpm_class_design(const cpm_classes *c, int train, int short_train, size_t message,
                     cpm_design *d, cpm_error *e)
{
    size_t n = (size_t)c->n, g = (size_t)c->count;
    designer s = {.c = c, .d = d, .e = e};
    s.order = malloc(n * sizeof *s.order);
    s.rooted = malloc(n * sizeof *s.rooted);
    s.trains = malloc(g * sizeof *s.trains);
    s.roots = malloc(n * sizeof *s.roots);
    s.busy = malloc(n * sizeof *s.busy);
    s.met = malloc(n * n * sizeof *s.met);
    s.covered = malloc(g * g * sizeof *s.covered);
    s.blocked = malloc(g * g * sizeof *s.blocked);
    s.random = gsl_rng_alloc(gsl_rng_mt19937);
    int status = CPM_OK;
    if (!s.order || !s.rooted || !s.trains || !s.roots || !s.busy || !s.met || !s.covered ||
        !s.blocked || !s.random)
        status = cpm_no_memory(e);
    if (!status)
        status = add_size(&s, train, 0);
    if (!status)
        status = add_size(&s, train < short_train ? train : short_train, message);
    free(s.order);
    free(s.rooted);
    free(s.trains);
    free(s.roots);
    free(s.busy);
    free(s.met);
    free(s.covered);
    free(s.blocked);
    if (s.random)
        gsl_rng_free(s.random);
    return status;
}
