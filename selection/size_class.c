/* Classes of message sizes. */
#include "selection/size_class.h"

#include <math.h>
#include <string.h>

#include "selection/library_defaults.h"

cpm_size_class cpm_size_class_plain(size_t bytes)
{
    if (bytes <= 16)
        return (cpm_size_class){bytes, bytes};
    size_t octave = (size_t)1 << (63 - __builtin_clzll(bytes - 1)), width = octave / 8;
    size_t most = ((bytes - 1) | (width - 1)) + 1; /* the class is in (octave, 2 octave] */
    return (cpm_size_class){most - width + 1, most};
}

/* Something else holds from that size on. */
static void cut(cpm_size_class *c, size_t bytes, double from)
{
    if (!(from > (double)c->least && from <= (double)c->most))
        return;
    if ((double)bytes >= from)
        c->least = (size_t)ceil(from);
    else
        c->most = (size_t)ceil(from) - 1;
}

int cpm_size_thresholds(const cpm_model *m)
{
    return m->sizes.count + m->type->count;
}

double cpm_size_threshold(const cpm_model *m, int k)
{
    if (k < m->sizes.count)
        return (double)m->sizes.at[k];
    int p = k - m->sizes.count;
    const cpm_parameter *x = &m->type->parameters[p];
    bool is_size = x->shape == CPM_SCALAR && !x->sized && strcmp(x->unit, "B") == 0;
    return is_size ? m->value[p][0] : NAN;
}

static bool same_usual(cpm_library library, const cpm_request *r, size_t bytes)
{
    cpm_collective here[CPM_MOST_USUAL], there[CPM_MOST_USUAL];
    cpm_request other = *r;
    other.bytes = bytes;
    int count = cpm_library_default(library, r, here);
    bool same = cpm_library_default(library, &other, there) == count;
    for (int k = 0; k < count && same; k++)
        same = cpm_collective_same(&here[k], &there[k]);
    return same;
}

/* The size that is the farthest from r's in the direction of to where the library still does the
 * same; it changes once at most on the way. */
static size_t reach(cpm_library library, const cpm_request *r, size_t to)
{
    size_t same = r->bytes, other = to;
    if (same_usual(library, r, to))
        return to;
    while (other > same + 1 || same > other + 1) {
        size_t middle = same / 2 + other / 2 + (same % 2 + other % 2) / 2;
        if (same_usual(library, r, middle))
            same = middle;
        else
            other = middle;
    }
    return same;
}

cpm_size_class cpm_size_class_of(const cpm_model *m, const cpm_selector_options *o,
                                 const cpm_request *r)
{
    if (r->operation->dataless)
        return (cpm_size_class){0, SIZE_MAX};
    cpm_size_class c = cpm_size_class_plain(r->bytes);
    for (int k = 0; k < cpm_size_thresholds(m); k++)
        cut(&c, r->bytes, cpm_size_threshold(m, k));
    if (!o->native)
        return c;
    return (cpm_size_class){reach(o->library, r, c.least), reach(o->library, r, c.most)};
}

/* Of the pieces of a block the shortest. */
static size_t shortest_piece(size_t bytes, size_t segment)
{
    return bytes / ((bytes + segment - 1) / segment);
}

/* The block with the shortest ones: of one byte more than so many whole segments, or the least. */
static size_t block_of_shortest(const cpm_size_class *c, size_t segment)
{
    size_t whole = (c->least + segment - 1) / segment * segment;
    bool more =
        whole < c->most && shortest_piece(whole + 1, segment) < shortest_piece(c->least, segment);
    return more ? whole + 1 : c->least;
}

static size_t longest_of(const cpm_size_class *c, size_t segment)
{
    size_t pieces = (c->most + segment - 1) / segment;
    return c->most / segment * segment >= c->least ? segment : (c->most + pieces - 1) / pieces;
}

size_t cpm_size_class_torn_at(const cpm_size_class *c, const cpm_model *m, size_t segment)
{
    if (segment == 0 || c->least == 0 || c->most <= segment)
        return 0;
    size_t block = block_of_shortest(c, segment);
    double shortest = (double)shortest_piece(block, segment),
           longest = (double)longest_of(c, segment);
    for (int k = 0; k < cpm_size_thresholds(m); k++)
        if (cpm_size_threshold(m, k) > shortest && cpm_size_threshold(m, k) <= longest)
            return block;
    return 0;
}
