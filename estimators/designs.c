/* Rounds of disjoint triplets, for trains (few, spread evenly) and for the thesis's design (all).
 */
#include "estimators/designs.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LARGEST = 256 * 1024 /* bytes */ };

static size_t largest_of(const cpm_sizes *sizes, size_t largest)
{
    for (int s = 0; s < sizes->count; s++)
        largest = sizes->at[s] > largest ? sizes->at[s] : largest;
    return largest;
}

size_t cpm_design_message(const cpm_estimation *options)
{
    size_t message = options->message ? options->message : largest_of(&options->sizes, 0);
    return message ? message : CPM_DEFAULT_MESSAGE;
}

size_t cpm_design_largest(const cpm_estimation *options)
{
    size_t largest = largest_of(&options->sizes, options->message);
    return largest ? largest : DEFAULT_LARGEST;
}

bool cpm_design_is_measured(const cpm_design *d, const cpm_measurements *so_far)
{
    for (int q = 0; q < d->count; q++)
        if (cpm_measurements_find(so_far, &d->at[q]) < 0)
            return false;
    return true;
}

/* ---- pairs */

/* One experiment for each pair of a tournament's round, the second of the pair first if turned. */
static int add_round(cpm_design *next, const cpm_design *pairs, int round, bool turned,
                     cpm_experiment x, cpm_error *e)
{
    int status = CPM_OK;
    for (int q = round ? pairs->end[round - 1] : 0; q < pairs->end[round] && !status; q++) {
        x.i = turned ? pairs->at[q].j : pairs->at[q].i;
        x.j = turned ? pairs->at[q].i : pairs->at[q].j;
        status = cpm_design_add(next, &x, e);
    }
    return status ? status : cpm_design_close_round(next, e);
}

int cpm_design_both_ways(cpm_design *next, int n, int rounds, int kind, size_t send_bytes,
                         size_t reply_bytes, cpm_error *e)
{
    cpm_design pairs = {0};
    cpm_experiment x = cpm_experiment_pair(kind, 0, 1, send_bytes, reply_bytes);
    int status = cpm_design_tournament(&pairs, n, 0, e);
    for (int r = 0; r < rounds && r < pairs.rounds && !status; r++) {
        status = add_round(next, &pairs, r, false, x, e);
        if (!status)
            status = add_round(next, &pairs, r, true, x, e);
    }
    cpm_design_clear(&pairs);
    return status;
}

/* Whether one of them still needs the other. */
static bool is_wanted(const bool *near, const int *met, int n, int partners, int i, int j)
{
    return (near[(size_t)i * (size_t)n + (size_t)j] && met[i] < partners) ||
           (near[(size_t)j * (size_t)n + (size_t)i] && met[j] < partners);
}

int cpm_design_near(cpm_design *next, int n, int partners, const bool *near, cpm_experiment x,
                    cpm_error *e)
{
    cpm_design pairs = {0}, wanted = {0};
    int *met = calloc((size_t)n, sizeof *met);
    int status = met ? cpm_design_tournament(&pairs, n, 0, e) : cpm_no_memory(e);
    for (int r = 0; r < pairs.rounds && !status; r++) {
        int first = wanted.count;
        for (int q = r ? pairs.end[r - 1] : 0; q < pairs.end[r] && !status; q++) {
            int i = pairs.at[q].i, j = pairs.at[q].j;
            if (!is_wanted(near, met, n, partners, i, j))
                continue;
            met[i] += near[(size_t)i * (size_t)n + (size_t)j];
            met[j] += near[(size_t)j * (size_t)n + (size_t)i];
            status = cpm_design_add(&wanted, &pairs.at[q], e);
        }
        if (!status && wanted.count > first)
            status = cpm_design_close_round(&wanted, e);
    }
    for (int r = 0; r < wanted.rounds && !status; r++) {
        status = add_round(next, &wanted, r, false, x, e);
        if (!status)
            status = add_round(next, &wanted, r, true, x, e);
    }
    free(met);
    cpm_design_clear(&pairs);
    cpm_design_clear(&wanted);
    return status;
}

/* ---- trains */

typedef struct {
    int n, count;
    size_t bytes, reply_bytes;
    int partners; /* wanted so far */
    int *order;   /* [n] processes, those first that were root least often */
    int *rooted;  /* [n] how often a process was root */
    char *met;    /* [n*n] row: root, column: replier */
    gsl_rng *random;
} train_plan;

/* Processes that need it most become roots; ties are broken at random, by a fixed seed, so that
 * the design is the same in every run. */
static void order_processes(train_plan *p)
{
    gsl_ran_shuffle(p->random, p->order, (size_t)p->n, sizeof *p->order);
    for (int i = 1; i < p->n; i++) /* insertion keeps the shuffled order of equals */
        for (int j = i; j > 0 && p->rooted[p->order[j]] < p->rooted[p->order[j - 1]]; j--) {
            int swap = p->order[j];
            p->order[j] = p->order[j - 1];
            p->order[j - 1] = swap;
        }
}

/* Takes from helpers[*count] one that has not replied to root yet; -1: there is none. */
static int take_replier(const train_plan *p, int root, int *helpers, int *count)
{
    for (int h = 0; h < *count; h++)
        if (!p->met[(size_t)root * (size_t)p->n + (size_t)helpers[h]]) {
            int replier = helpers[h];
            helpers[h] = helpers[--*count];
            return replier;
        }
    return -1;
}

static int add_train(cpm_design *d, const train_plan *p, int root, int sink, int replier,
                     cpm_error *e)
{
    cpm_experiment x = {.kind = &cpm_experiment_kinds[CPM_TRAIN],
                        .i = root,
                        .j = sink,
                        .k = replier,
                        .count = p->count,
                        .send_bytes = p->bytes,
                        .reply_bytes = p->reply_bytes};
    return cpm_design_add(d, &x, e);
}

/* A round with up to that many roots; one whose helpers have all replied to it before waits. A root
 * alone has everybody else as helpers, and always finds a new one. */
static int add_train_round(cpm_design *d, train_plan *p, int roots, cpm_error *e)
{
    int helpers = p->n - roots, status = CPM_OK;
    order_processes(p);
    gsl_ran_shuffle(p->random, p->order + roots, (size_t)helpers, sizeof *p->order);
    for (int r = 0; r < roots && !status; r++) {
        int root = p->order[r];
        if (p->rooted[root] == p->partners)
            continue;
        int replier = take_replier(p, root, p->order + roots, &helpers);
        if (replier < 0)
            continue;
        int sink = p->order[roots + --helpers];
        p->met[(size_t)root * (size_t)p->n + (size_t)replier] = 1;
        p->rooted[root]++;
        status = add_train(d, p, root, sink, replier, e);
    }
    for (int i = 0; i < p->n; i++) /* taking helpers has disturbed the list */
        p->order[i] = i;
    return status ? status : cpm_design_close_round(d, e);
}

static int add_train_rounds(cpm_design *d, train_plan *p, cpm_error *e)
{
    long left = 0;
    int status = CPM_OK, roots = p->n / 3;
    for (int i = 0; i < p->n; i++) {
        p->order[i] = i;
        left += p->partners - p->rooted[i];
    }
    while (left > 0 && !status) {
        int before = d->count;
        status = add_train_round(d, p, roots, e);
        left -= d->count - before;
        roots = d->count == before ? 1 : p->n / 3;
    }
    return status;
}

/* Some partners for all, then some more: a design with more partners begins with one that has
 * fewer, so that what was measured for it is not in vain. */
static int add_partners(cpm_design *d, train_plan *p, int partners, cpm_error *e)
{
    int status = CPM_OK;
    while (!status && p->partners < partners) {
        p->partners += CPM_PARTNERS_STEP;
        p->partners = p->partners < partners ? p->partners : partners;
        status = add_train_rounds(d, p, e);
    }
    return status;
}

int cpm_design_trains(cpm_design *d, int n, int count, int partners, size_t bytes,
                      size_t reply_bytes, cpm_error *e)
{
    size_t size = (size_t)n;
    train_plan p = {.n = n, .count = count, .bytes = bytes, .reply_bytes = reply_bytes};
    p.order = malloc(size * sizeof *p.order);
    p.rooted = calloc(size, sizeof *p.rooted);
    p.met = calloc(size * size, 1);
    p.random = gsl_rng_alloc(gsl_rng_mt19937);
    int status = CPM_OK;
    if (!p.order || !p.rooted || !p.met || !p.random)
        status = cpm_no_memory(e);
    else
        status = add_partners(d, &p, partners < n ? partners : n - 1, e);
    free(p.order);
    free(p.rooted);
    free(p.met);
    if (p.random)
        gsl_rng_free(p.random);
    return status;
}

/* ---- all triplets */

typedef struct {
    int who[3];
} triple;

static triple *all_triples(int n, size_t *count)
{
    size_t all = (size_t)n * (size_t)(n - 1) * (size_t)(n - 2) / 6, at = 0;
    triple *t = malloc(all * sizeof *t);
    for (int i = 0; t && i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = j + 1; k < n; k++)
                t[at++] = (triple){{i, j, k}};
    *count = all;
    return t;
}

/* One round for each choice of the root among the three. */
static int add_rotations(cpm_design *d, const triple *t, int count, size_t bytes, cpm_error *e)
{
    int status = CPM_OK;
    for (int root = 0; root < 3 && !status; root++) {
        for (int q = 0; q < count && !status; q++) {
            cpm_experiment x = {.kind = &cpm_experiment_kinds[CPM_ONE_TO_TWO],
                                .i = t[q].who[root],
                                .j = t[q].who[root == 0 ? 1 : 0],
                                .k = t[q].who[root == 2 ? 1 : 2],
                                .count = 1,
                                .send_bytes = bytes};
            status = cpm_design_add(d, &x, e);
        }
        if (!status)
            status = cpm_design_close_round(d, e);
    }
    return status;
}

static int is_free(const triple *t, const char *busy)
{
    return !busy[t->who[0]] && !busy[t->who[1]] && !busy[t->who[2]];
}

/* Moves disjoint triples from the list to picked[]; returns how many. */
static int pick_disjoint(triple *list, size_t *left, triple *picked, char *busy, int n)
{
    int count = 0;
    size_t kept = 0;
    memset(busy, 0, (size_t)n);
    for (size_t q = 0; q < *left; q++) {
        if (count == n / 3 || !is_free(&list[q], busy)) {
            list[kept++] = list[q];
            continue;
        }
        for (int r = 0; r < 3; r++)
            busy[list[q].who[r]] = 1;
        picked[count++] = list[q];
    }
    *left = kept;
    return count;
}

int cpm_design_triplets(cpm_design *d, int n, size_t bytes, cpm_error *e)
{
    size_t left;
    triple *list = all_triples(n, &left), *picked = malloc((size_t)n * sizeof *picked);
    char *busy = malloc((size_t)n);
    int status = CPM_OK;
    if (!list || !picked || !busy)
        status = cpm_no_memory(e);
    while (!status && left > 0) {
        int count = pick_disjoint(list, &left, picked, busy, n);
        status = add_rotations(d, picked, count, bytes, e);
    }
    free(list);
    free(picked);
    free(busy);
    return status;
}
