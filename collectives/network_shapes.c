#include "collectives/network_shapes.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 8, MOST_NUMBER = 1 << 20 };

/* A network whose ways are being drawn, and the way at hand. */
typedef struct {
    const char *text;
    int hosts;
    int count[MOST_LEVELS], cables[MOST_LEVELS], parents[MOST_LEVELS];
    int levels;
    int from, to;
    cpm_links_draft draft;
    cpm_error *e;
} network;

/* The way at hand goes over the link of that name. */
static int pass(network *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int pass(network *w, const char *format, ...)
{
    char name[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    int link = -1;
    return cpm_links_draft_cross(&w->draft, w->from, w->to, name, &link, w->e);
}

static int wrong(const network *w, const char *expected)
{
    return cpm_fail(w->e, CPM_EINVAL,
                    "'%s': expected '%s', numbers from 1 to %d, at most %d of them", w->text,
                    expected, MOST_NUMBER, MOST_LEVELS);
}

/* Numbers from 1 on, separated by one character; how many there are, 0: something else. */
static int take_numbers(const char *text, char separator, int *out)
{
    int count = 0;
    for (char *end; count < MOST_LEVELS; text = end + 1) {
        long number = strtol(text, &end, 10);
        if (end == text || number < 1 || number > MOST_NUMBER || (*end && *end != separator))
            return 0;
        out[count++] = (int)number;
        if (!*end)
            return count;
    }
    return 0;
}

/* Whether so many numbers multiply to the hosts. */
static int check_hosts(const network *w, int numbers)
{
    const long absurd = 1L << 40; /* times another number it is no overflow yet */
    long places = 1;
    for (int k = 0; k < numbers && places < absurd; k++)
        places *= w->count[k];
    if (places == w->hosts)
        return CPM_OK;
    return cpm_fail(w->e, CPM_EINVAL, "'%s' has %s%ld hosts, but there are %d", w->text,
                    places < absurd ? "" : "more than ", places < absurd ? places : absurd,
                    w->hosts);
}

/* ---- torus */

/* Towards higher places: the shorter way round; of two that are as long the one without going
 * round, or else down. */
static bool goes_up(int from, int to, int size)
{
    int half = size / 2;
    return (to > from && to <= from + half) || (from > half && (from + half) % size >= to);
}

static int cross_torus(network *w)
{
    int at = w->from, status = pass(w, "node%d", at), step = 1;
    for (int d = 0; d < w->levels; step *= w->count[d++]) {
        int size = w->count[d], target = w->to / step % size;
        bool up = goes_up(at / step % size, target, size);
        for (int place; !status && (place = at / step % size) != target;) {
            int next = (place + (up ? 1 : size - 1)) % size;
            status = pass(w, "node%d%c%d", at, up ? '+' : '-', d);
            at += (next - place) * step;
            if (!status)
                status = pass(w, "node%d", at);
        }
    }
    return status;
}

static int open_torus(network *w, char **word, int words)
{
    w->levels = words == 1 ? take_numbers(word[0], 'x', w->count) : 0;
    return w->levels ? check_hosts(w, w->levels) : wrong(w, "torus 4x4x2");
}

/* ---- fat tree: levels are counted from the hosts, at 0 */

/* More ways up than that have no network; their products are no overflow yet. */
enum { MOST_WAYS_UP = 1 << 20 };

/* The way up to the level of a switch above both; there it is known by which hosts are below it,
 * and by which parents were chosen. */
static int cross_fat_tree(network *w)
{
    int below[MOST_LEVELS + 1] = {1}, status = CPM_OK, top = 0;
    for (int l = 0; l < w->levels; l++)
        below[l + 1] = below[l] * w->count[l];
    while (w->from / below[top] != w->to / below[top])
        top++;
    long chosen = 0, parents = 1; /* digits of the parents so far */
    for (int l = 0; l < top && !status; l++) {
        int ports = w->parents[l] * w->cables[l], port = (int)(w->to / parents % ports);
        int up = w->from / below[l], down = w->to / below[l], parent = port % w->parents[l];
        if (l > 0 || ports > 1) { /* else it is the host's own link end */
            status = pass(w, "up%d.%d.%ld:%d", l, up, chosen, port);
            status = status ? status : pass(w, "down%d.%d.%ld:%d", l, down, chosen, port);
        }
        chosen += parent * parents;
        parents *= w->parents[l];
        up = w->from / below[l + 1], down = w->to / below[l + 1];
        if (!status)
            status = pass(w, "switch%d.%d.%ld", l + 1, up, chosen);
        if (!status && down != up)
            status = pass(w, "switch%d.%d.%ld", l + 1, down, chosen);
    }
    return status;
}

static int check_ways_up(const network *w)
{
    long ways = 1;
    for (int l = 0; l < w->levels; l++) {
        ways *= (long)w->parents[l] * w->cables[l];
        if (ways > MOST_WAYS_UP)
            return cpm_fail(w->e, CPM_EINVAL, "'%s' has more than %d ways up from a host", w->text,
                            MOST_WAYS_UP);
    }
    return CPM_OK;
}

static int open_fat_tree(network *w, char **word, int words)
{
    int levels = words == 3 ? take_numbers(word[0], ',', w->count) : 0;
    bool good = levels > 0 && take_numbers(word[1], ',', w->parents) == levels &&
                take_numbers(word[2], ',', w->cables) == levels;
    w->levels = levels;
    int status = good ? check_ways_up(w) : wrong(w, "fat-tree 4,4 1,2 1,1");
    return status ? status : check_hosts(w, levels);
}

/* ---- dragonfly */

enum { GROUPS, CHASSIS, ROUTERS, NODES };

typedef struct {
    int group, chassis, router;
} place;

static place place_of(const network *w, int host)
{
    int router = host / w->count[NODES], chassis = router / w->count[ROUTERS];
    return (place){chassis / w->count[CHASSIS], chassis % w->count[CHASSIS],
                   router % w->count[ROUTERS]};
}

/* Over one link, and the router behind it. */
static int hop(network *w, place *at, place next)
{
    int status = pass(w, "router%d.%d.%d>%d.%d.%d", at->group, at->chassis, at->router, next.group,
                      next.chassis, next.router);
    *at = next;
    return status ? status : pass(w, "router%d.%d.%d", at->group, at->chassis, at->router);
}

/* Group g is linked with router g of a group's first chassis, counted round its routers. */
static int leave_group(network *w, place *at, int group)
{
    int status = CPM_OK, own = at->group, routers = w->count[ROUTERS], leaving = group % routers;
    if (at->router != leaving)
        status = hop(w, at, (place){own, at->chassis, leaving});
    if (!status && at->chassis != 0)
        status = hop(w, at, (place){own, 0, leaving});
    return status ? status : hop(w, at, (place){group, 0, own % routers});
}

static int cross_dragonfly(network *w)
{
    place at = place_of(w, w->from), to = place_of(w, w->to);
    int status = pass(w, "router%d.%d.%d", at.group, at.chassis, at.router);
    if (!status && at.group != to.group)
        status = leave_group(w, &at, to.group);
    if (!status && at.router != to.router)
        status = hop(w, &at, (place){at.group, at.chassis, to.router});
    return !status && at.chassis != to.chassis ? hop(w, &at, to) : status;
}

static int open_dragonfly(network *w, char **word, int words)
{
    int pair[MOST_LEVELS];
    bool good = words == 4;
    for (int k = 0; k < words && good; k++) {
        good = take_numbers(word[k], ',', pair) == (k == NODES ? 1 : 2);
        w->count[k] = pair[0];
    }
    return good ? check_hosts(w, NODES + 1) : wrong(w, "dragonfly 3,1 1,1 4,1 2");
}

/* ---- all of them */

static const struct {
    const char *name;
    int (*open)(network *w, char **word, int words);
    int (*cross)(network *w);
} shapes[] = {
    {"torus", open_torus, cross_torus},
    {"fat-tree", open_fat_tree, cross_fat_tree},
    {"dragonfly", open_dragonfly, cross_dragonfly},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* -1: none. */
static int shape_of(const char *text)
{
    size_t length = strcspn(text, " \t");
    for (int k = 0; k < SHAPES; k++)
        if (strlen(shapes[k].name) == length && strncmp(shapes[k].name, text, length) == 0)
            return k;
    return -1;
}

bool cpm_network_shape_named(const char *text)
{
    return shape_of(text) >= 0;
}

static int cross_all(network *w, int shape)
{
    int status = CPM_OK;
    w->draft.hosts = w->hosts;
    for (w->from = 0; w->from < w->hosts; w->from++)
        for (w->to = 0; w->to < w->hosts && !status; w->to++)
            if (w->from != w->to)
                status = shapes[shape].cross(w);
    return status;
}

int cpm_links_of_shape(const char *text, int hosts, cpm_links *out, cpm_error *e)
{
    enum { MOST_WORDS = 8 };
    network w = {.text = text, .hosts = hosts, .e = e};
    char *copy = strdup(text), *rest = copy, *word[MOST_WORDS];
    int words = 0, shape = shape_of(text), status = copy ? CPM_OK : cpm_no_memory(e);
    for (char *next; !status && words < MOST_WORDS && (next = strsep(&rest, " \t"));)
        if (*next)
            word[words++] = next;
    if (!status && shape < 0)
        status = cpm_fail(e, CPM_EINVAL,
                          "'%s': expected 'torus ..., fat-tree ... or dragonfly ...'", text);
    if (!status)
        status = shapes[shape].open(&w, word + 1, words - 1);
    if (!status)
        status = cross_all(&w, shape);
    free(copy);
    if (!status)
        return cpm_links_draft_end(&w.draft, out, e);
    cpm_links_draft_clear(&w.draft);
    return status;
}
