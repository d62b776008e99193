#include "tuned/call/record.h"

#include <stdio.h>
#include <stdlib.h>

#include "executor/layout.h"
#include "executor/unit_sizes.h"

/* ---- making ---- */

/* The arrays of calls to neighbours have as many counts as these are; such sizes are not compared.
 */
static size_t count_of(const mpib_arguments *a, int n, int rank)
{
    const cpm_operation *o = a->operation;
    const size_t all = (size_t)n;
    if (o->dataless || cpm_operation_ends_know_sizes(o))
        return 0;
    if (o->sizes == CPM_KNOWN_TO_NOBODY)
        return 2 * all;
    if (o->sizes == CPM_KNOWN_TO_ROOT)
        return rank == a->root ? all : 1;
    return mpib_significant_side(a, rank)->counts ? all : 1;
}

static void write_sizes(tuned_record *r, const mpib_arguments *a, int n)
{
    if (!r->count)
        return;
    if (a->operation->sizes != CPM_KNOWN_TO_NOBODY) {
        mpib_side_bytes(mpib_significant_side(a, r->rank), (int)r->count, r->sizes);
        return;
    }
    mpib_side_bytes(a->in_place ? &a->recv : &a->send, n, r->sizes);
    mpib_side_bytes(&a->recv, n, r->sizes + n);
}

tuned_record *tuned_record_make(const mpib_arguments *a, int n, int rank)
{
    const size_t count = count_of(a, n, rank);
    tuned_record *r = calloc(1, sizeof *r + count * sizeof *r->sizes);
    if (!r)
        return NULL;
    r->rank = rank;
    r->said = tuned_say(a, rank, TUNED_NONBLOCKING, true);
    r->count = count;
    write_sizes(r, a, n);
    return r;
}

size_t tuned_record_bytes(const tuned_record *r)
{
    return sizeof *r + r->count * sizeof *r->sizes;
}

size_t tuned_record_most_bytes(int n)
{
    return sizeof(tuned_record) + 2 * (size_t)n * sizeof(size_t);
}

/* ---- comparing ---- */

static bool sizes_differ(const tuned_record *a, size_t own, const tuned_record *b, size_t other,
                         const char *what, char why[TUNED_DIFFERENCE])
{
    if (own != other)
        snprintf(why, TUNED_DIFFERENCE, "rank %d says that %s has %zu bytes, rank %d says %zu",
                 a->rank, what, own, b->rank, other);
    return own != other;
}

static size_t size_of(const tuned_record *r, size_t block)
{
    return r->sizes[r->count == 1 ? 0 : block];
}

static bool known_differ(const tuned_record *a, const tuned_record *b, char why[TUNED_DIFFERENCE])
{
    const size_t count = a->count > b->count ? a->count : b->count;
    char what[60];
    bool differ = false;
    for (size_t k = 0; k < count && !differ; k++) {
        if (count == 1)
            snprintf(what, sizeof what, "a block");
        else
            snprintf(what, sizeof what, "the block of rank %zu", k);
        differ = sizes_differ(a, size_of(a, k), b, size_of(b, k), what, why);
    }
    return differ;
}

/* The root knows all sizes, the others their own. */
static bool roots_differ(const tuned_record *a, const tuned_record *b, char why[TUNED_DIFFERENCE])
{
    const bool at_a = a->rank == a->said.root, at_b = b->rank == b->said.root;
    const int of = at_a ? b->rank : a->rank;
    char what[60];
    if (!at_a && !at_b)
        return false;
    snprintf(what, sizeof what, "the block of rank %d", of);
    return sizes_differ(a, size_of(a, (size_t)of), b, size_of(b, (size_t)of), what, why);
}

/* What goes from one to the other. */
static bool pair_differs(const tuned_record *from, const tuned_record *to, int n,
                         char why[TUNED_DIFFERENCE])
{
    char what[60];
    snprintf(what, sizeof what, "the block from rank %d to rank %d", from->rank, to->rank);
    return sizes_differ(to, to->sizes[n + from->rank], from, from->sizes[to->rank], what, why);
}

bool tuned_records_differ(const tuned_record *a, const tuned_record *b, int n,
                          char why[TUNED_DIFFERENCE])
{
    if (a->kind != TUNED_RECORD_KNOWN || b->kind != TUNED_RECORD_KNOWN)
        return false;
    if (tuned_said_differ(&a->said, a->rank, &b->said, b->rank, why))
        return true;
    if (!a->count)
        return false;
    switch (cpm_operations[a->said.operation].sizes) {
    case CPM_KNOWN_TO_ROOT:
        return roots_differ(a, b, why);
    case CPM_KNOWN_TO_NOBODY:
        return pair_differs(a, b, n, why) || pair_differs(b, a, n, why);
    case CPM_KNOWN_TO_ALL:
        break;
    }
    return known_differ(a, b, why);
}

bool tuned_record_is_of_pairs(const tuned_record *r)
{
    return r->kind != TUNED_RECORD_KNOWN ||
           cpm_operations[r->said.operation].sizes != CPM_KNOWN_TO_ALL;
}
