/* Every combination of a row's k, meshes and segments; then what the model's thresholds suggest. */
#include "collectives/tries.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "collectives/algorithms/levels.h"
#include "collectives/algorithms/mesh.h"

/* Segments are powers of 4; more pieces than that are a pipeline's overhead only. */
enum { LEAST_SEGMENT = 1024, MOST_PIECES = 512 };

/* Meshes of three dimensions are many, and those far from a cube are nearly of two. */
enum { MOST_ELONGATED = 4 };

enum {
    MOST_K = sizeof((cpm_tries){0}.k) / sizeof(int),
    MOST_SEGMENTS = sizeof((cpm_tries){0}.segment) / sizeof(size_t),
    MOST_THRESHOLDS = sizeof((cpm_tries){0}.thresholds) / sizeof(size_t)
};

typedef struct {
    const cpm_algorithm *row;
    const cpm_tries *tries;
    const cpm_thresholds *thresholds;
    int n;
    size_t bytes;
    cpm_parameters *out;
    int room, count;
} list;

static void add(list *l, cpm_parameters with)
{
    if (l->count < l->room)
        l->out[l->count] = with;
    l->count++;
}

/* ---- what does not depend on a model ---- */

static void add_segments(list *l, cpm_parameters with)
{
    if (!l->tries->segment[0])
        add(l, with);
    for (size_t s = LEAST_SEGMENT; l->tries->segments && s < l->bytes; s *= 4) {
        with.segment = s;
        if (l->bytes / s <= MOST_PIECES)
            add(l, with);
    }
    for (int i = 0; i < MOST_SEGMENTS && l->tries->segment[i]; i++) {
        with.segment = l->tries->segment[i];
        if (with.segment < l->bytes && l->bytes / with.segment <= MOST_PIECES)
            add(l, with);
    }
}

/* The meshes p1 x p2 x p3 of n processes with p1 >= p2 >= p3, but for the usual one. */
static void add_planes(list *l, cpm_parameters with, const int usual[3], int p3)
{
    int plane = l->n / p3;
    for (int p2 = p3 > 1 ? p3 : 2; (long)p2 * p2 <= plane; p2++) {
        const int extent[3] = {plane / p2, p2, p3};
        bool is_far = p3 > 1 && extent[0] > MOST_ELONGATED * p3;
        if (plane % p2 || is_far || memcmp(extent, usual, sizeof extent) == 0)
            continue;
        memcpy(with.mesh, extent, sizeof extent);
        with.mesh[2] = p3 > 1 ? p3 : 0;
        add_segments(l, with);
    }
}

/* Rows and columns exchanged, the usual mesh, too: hosts that are not alike, and switches, may make
 * it the better one. */
static void add_transposed(list *l, cpm_parameters with)
{
    for (int p1 = 2; (long)p1 * p1 < l->n; p1++)
        if (l->n % p1 == 0) {
            with.mesh[0] = p1;
            with.mesh[1] = l->n / p1;
            add(l, with);
        }
    with.mesh[0] = CPM_MESH_ACROSS_HOSTS;
    with.mesh[1] = 0;
    add(l, with);
}

/* Nothing but the algorithm of its lines, or the mesh of a dimension less: n has not as many
 * factors. */
static bool is_flat(const list *l, const int usual[3])
{
    const bool lines_are_tried = l->row->properties & CPM_TAKES_INNER;
    return l->tries->meshes == 3 ? usual[1] == 1 || usual[2] == 1
                                 : usual[1] == 1 && lines_are_tried;
}

static void add_meshes(list *l, cpm_parameters with)
{
    int usual[3] = {0};
    bool flat = l->tries->meshes &&
                !cpm_mesh_extents(&(cpm_call){.n = l->n}, l->tries->meshes, usual, NULL) &&
                is_flat(l, usual);
    if (!flat)
        add_segments(l, with);
    if (l->tries->meshes == 2 && !flat) {
        add_planes(l, with, usual, 1);
        with.mesh[0] = CPM_MESH_OF_HOSTS;
        add_segments(l, with);
        add_transposed(l, with);
    }
    for (int p3 = 2; l->tries->meshes == 3 && (long)p3 * p3 * p3 <= l->n; p3++)
        if (l->n % p3 == 0)
            add_planes(l, with, usual, p3);
}

/* ---- of levels */

static void add_outer(list *l, cpm_parameters with);

enum {
    MOST_LEADERS = sizeof((cpm_tries){0}.leaders) / sizeof(int),
    MOST_NAMES = sizeof((cpm_tries){0}.level[0]) / sizeof(char *)
};

/* More leaders of a host than half of all processes are those of one host. */
static void add_leaders(list *l, cpm_parameters with)
{
    add_meshes(l, with);
    for (int i = 0; i < MOST_LEADERS && l->tries->leaders[i]; i++)
        if (2 * l->tries->leaders[i] <= l->n) {
            with.leaders = l->tries->leaders[i];
            add_meshes(l, with);
        }
}

/* With the usual algorithm of the level, and with the others. */
static void add_level(list *l, cpm_parameters with, int level)
{
    const cpm_algorithm *row;
    void (*next)(list *, cpm_parameters) = level == CPM_WITHIN_HOSTS ? add_outer : add_leaders;
    next(l, with);
    for (int i = 0; i < MOST_NAMES && l->tries->level[level][i]; i++)
        if (!cpm_level_find(l->row, level, l->tries->level[level][i], &row, NULL)) {
            with.level[level] = 1 + (int)(row - cpm_algorithms);
            next(l, with);
        }
}

static void add_outer(list *l, cpm_parameters with)
{
    add_level(l, with, CPM_BETWEEN_HOSTS);
}

/* The first k is the usual one; as many chains or barriers as processes are no longer several. */
static void add_ks(list *l)
{
    add_level(l, (cpm_parameters){0}, CPM_WITHIN_HOSTS);
    for (int i = 1; i < MOST_K && l->tries->k[i]; i++)
        if (l->tries->k[i] < l->n)
            add_meshes(l, (cpm_parameters){.k = l->tries->k[i]});
}

/* ---- what does ---- */

/* A threshold of the model that some block reaches; 0: there is none. */
static size_t reached(const list *l, const char *threshold)
{
    const cpm_thresholds *t = l->thresholds;
    double from = threshold && t && t->of ? t->of(t->model, threshold) : NAN;
    return (double)l->bytes >= from ? (size_t)ceil(from) : 0;
}

/* Pieces that are just smaller than a threshold (thesis 7.2), or than a part of it. */
static void add_below(list *l)
{
    double from = l->tries->below.part * (double)reached(l, l->tries->below.threshold);
    if (from >= 2)
        add(l, (cpm_parameters){.segment = (size_t)ceil(from) - 1});
}

static void add_from(list *l)
{
    size_t from = reached(l, l->tries->from);
    if (from)
        add(l, (cpm_parameters){.threshold = from});
}

static void add_thresholds(list *l)
{
    for (int i = 0; i < MOST_THRESHOLDS && l->tries->thresholds[i]; i++) {
        const cpm_parameters with = {.threshold = l->tries->thresholds[i]};
        if (cpm_threshold(&with, 0) <= l->bytes)
            add(l, with);
    }
}

bool cpm_algorithm_is_tried(const cpm_algorithm *a, int n)
{
    return !a->processes || n <= a->processes;
}

int cpm_algorithm_tries(const cpm_algorithm *a, int n, size_t bytes,
                        const cpm_thresholds *thresholds, cpm_parameters *out, int room)
{
    static const cpm_tries as_it_stands;
    list l = {a, a->tries ? a->tries : &as_it_stands, thresholds, n, bytes, out, room, 0};
    size_t together = bytes < SIZE_MAX / (size_t)n ? bytes * (size_t)n : SIZE_MAX;
    if (!cpm_algorithm_is_tried(a, n))
        return 0;
    if (together < a->least || (a->most && together > a->most))
        return 0;
    if (!reached(&l, l.tries->until))
        add_ks(&l);
    add_below(&l);
    add_from(&l);
    add_thresholds(&l);
    return l.count;
}

int cpm_library_default_k(const cpm_algorithm *a, const cpm_call *call)
{
    return call->with.k || !a->tries ? call->with.k : a->tries->k[0];
}
