/* Collectives that move data, byte by byte: types with holes, with a negative lower bound, with
 * other counts at other ranks; in place; at MPI_BOTTOM; blocks of different sizes and without any.
 * Bytes that no message has are left alone. Arguments that MPI ignores at a rank are nonsense
 * there. */
#include "program.h"

typedef enum { PLAIN, HOLES, NEGATIVE, UNEQUAL, KINDS } kind;

/* Blocks of a rank: one, or one for each rank. */
typedef struct {
    MPI_Datatype type;
    int width; /* ints of an element */
    int count, counts[MOST_RANKS], places[MOST_RANKS];
} side;

typedef struct {
    MPI_Comm comm;
    int n, rank, root;
    int pairs; /* of ints in a block; of v-operations: about */
    kind of;
    bool in_place;
    side send, recv;
} call;

enum { BEFORE = 64, LARGEST_ELEMENT = 16, NONSENSE = -7, LONG = 15000 };

static int differences;
static MPI_Datatype pair, reversed_pair, two_of_three, backwards, early;

static void make_types(void)
{
    const int one[] = {1, 1};
    MPI_Datatype loose;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_indexed(2, one, (const int[]){1, 0}, MPI_INT, &reversed_pair);
    MPI_Type_create_resized(pair, 0, 3 * sizeof(int), &two_of_three);
    MPI_Type_indexed(2, one, (const int[]){0, -3}, MPI_INT, &backwards);
    MPI_Type_contiguous(2, MPI_INT, &loose);
    MPI_Type_create_resized(loose, -4, 4 * sizeof(int), &early);
    MPI_Type_free(&loose);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&reversed_pair);
    MPI_Type_commit(&two_of_three);
    MPI_Type_commit(&backwards);
    MPI_Type_commit(&early);
}

static void free_types(void)
{
    MPI_Type_free(&pair);
    MPI_Type_free(&reversed_pair);
    MPI_Type_free(&two_of_three);
    MPI_Type_free(&backwards);
    MPI_Type_free(&early);
}

static MPI_Datatype type_of(const call *c, bool receives)
{
    switch (c->of) {
    case HOLES:
        return receives ? two_of_three : reversed_pair;
    case NEGATIVE:
        return receives ? early : backwards;
    case UNEQUAL:
        return (c->rank + receives) % 2 ? pair : MPI_INT;
    default:
        return MPI_INT;
    }
}

/* An operation: what it sends and gets, and how it is called. */
typedef struct operation {
    const char *name;
    bool rooted, different;              /* blocks of different sizes */
    enum { ONE, ALL, NONE } sends, gets; /* blocks; of a rooted operation: of the root */
    bool root_sends;
    void (*run)(const functions *f, const call *c, void *send, void *recv);
} operation;

static void barrier(const functions *f, const call *c, void *send, void *recv)
{
    (void)send, (void)recv;
    f->barrier(c->comm);
}

static void bcast(const functions *f, const call *c, void *send, void *recv)
{
    (void)send;
    f->bcast(recv, c->recv.count, c->recv.type, c->root, c->comm);
}

static void scatter(const functions *f, const call *c, void *send, void *recv)
{
    bool root = c->rank == c->root, gets = !(root && c->in_place);
    f->scatter(root ? send : NULL, root ? c->send.counts[0] : NONSENSE,
               root ? c->send.type : MPI_DATATYPE_NULL, gets ? recv : MPI_IN_PLACE,
               gets ? c->recv.count : NONSENSE, gets ? c->recv.type : MPI_DATATYPE_NULL, c->root,
               c->comm);
}

static void scatterv(const functions *f, const call *c, void *send, void *recv)
{
    bool root = c->rank == c->root, gets = !(root && c->in_place);
    f->scatterv(root ? send : NULL, root ? c->send.counts : NULL, root ? c->send.places : NULL,
                root ? c->send.type : MPI_DATATYPE_NULL, gets ? recv : MPI_IN_PLACE,
                gets ? c->recv.count : NONSENSE, gets ? c->recv.type : MPI_DATATYPE_NULL, c->root,
                c->comm);
}

static void gather(const functions *f, const call *c, void *send, void *recv)
{
    bool root = c->rank == c->root, gives = !(root && c->in_place);
    f->gather(gives ? send : MPI_IN_PLACE, gives ? c->send.count : NONSENSE,
              gives ? c->send.type : MPI_DATATYPE_NULL, root ? recv : NULL,
              root ? c->recv.counts[0] : NONSENSE, root ? c->recv.type : MPI_DATATYPE_NULL, c->root,
              c->comm);
}

static void gatherv(const functions *f, const call *c, void *send, void *recv)
{
    bool root = c->rank == c->root, gives = !(root && c->in_place);
    f->gatherv(gives ? send : MPI_IN_PLACE, gives ? c->send.count : NONSENSE,
               gives ? c->send.type : MPI_DATATYPE_NULL, root ? recv : NULL,
               root ? c->recv.counts : NULL, root ? c->recv.places : NULL,
               root ? c->recv.type : MPI_DATATYPE_NULL, c->root, c->comm);
}

static void allgather(const functions *f, const call *c, void *send, void *recv)
{
    f->allgather(c->in_place ? MPI_IN_PLACE : send, c->in_place ? NONSENSE : c->send.count,
                 c->in_place ? MPI_DATATYPE_NULL : c->send.type, recv, c->recv.counts[0],
                 c->recv.type, c->comm);
}

static void allgatherv(const functions *f, const call *c, void *send, void *recv)
{
    f->allgatherv(c->in_place ? MPI_IN_PLACE : send, c->in_place ? NONSENSE : c->send.count,
                  c->in_place ? MPI_DATATYPE_NULL : c->send.type, recv, c->recv.counts,
                  c->recv.places, c->recv.type, c->comm);
}

static void alltoall(const functions *f, const call *c, void *send, void *recv)
{
    f->alltoall(c->in_place ? MPI_IN_PLACE : send, c->in_place ? NONSENSE : c->send.counts[0],
                c->in_place ? MPI_DATATYPE_NULL : c->send.type, recv, c->recv.counts[0],
                c->recv.type, c->comm);
}

static void alltoallv(const functions *f, const call *c, void *send, void *recv)
{
    f->alltoallv(c->in_place ? MPI_IN_PLACE : send, c->in_place ? NULL : c->send.counts,
                 c->in_place ? NULL : c->send.places,
                 c->in_place ? MPI_DATATYPE_NULL : c->send.type, recv, c->recv.counts,
                 c->recv.places, c->recv.type, c->comm);
}

static const operation operations[] = {
    {"barrier", false, false, NONE, NONE, false, barrier},
    {"bcast", true, false, NONE, ONE, false, bcast},
    {"scatter", true, false, ALL, ONE, true, scatter},
    {"scatterv", true, true, ALL, ONE, true, scatterv},
    {"gather", true, false, ONE, ALL, false, gather},
    {"gatherv", true, true, ONE, ALL, false, gatherv},
    {"allgather", false, false, ONE, ALL, false, allgather},
    {"allgatherv", false, true, ONE, ALL, false, allgatherv},
    {"alltoall", false, false, ALL, ALL, false, alltoall},
    {"alltoallv", false, true, ALL, ALL, false, alltoallv},
    {0},
};

/* Pairs of ints that go from one rank to another. In place, what goes there is as long as what
 * comes from there. */
static int pairs_between(const call *c, const operation *o, int from, int to)
{
    if (!o->different || c->pairs == 0)
        return c->pairs;
    int key = o->sends == ALL && o->gets == ALL
                  ? (c->in_place ? from * to + from + to : 3 * from + 7 * to)
              : o->root_sends ? to
                              : from;
    return (c->pairs + key * 5) % (2 * c->pairs);
}

static void set_side(call *c, const operation *o, bool receives)
{
    side *s = receives ? &c->recv : &c->send;
    s->type = type_of(c, receives);
    s->width = s->type == MPI_INT ? 1 : 2;
    int own = o->root_sends ? pairs_between(c, o, c->root, c->rank)
                            : pairs_between(c, o, c->rank, c->root);
    s->count = 2 * own / s->width;
    /* A gap before every block; MPICH 4.0 overlooks that of an allgatherv of one process. */
    int next = c->n > 1;
    for (int q = 0; q < c->n; q++) {
        int pairs = receives ? pairs_between(c, o, q, c->rank) : pairs_between(c, o, c->rank, q);
        s->counts[q] = 2 * pairs / s->width;
        s->places[q] = next;
        next += s->counts[q] + 1;
    }
}

static size_t space_of(const call *c)
{
    return 2 * BEFORE + (size_t)(c->n * (4 * c->pairs + 2) + 2) * LARGEST_ELEMENT;
}

static void fill(char *bytes, size_t size, int seed)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 31 + (size_t)seed * 57 + i / 251);
}

static void say(const call *c, const char *name, const char *what)
{
    if (differences++ < 10)
        fprintf(stderr, "rank %d of %d: %s, root %d, %d pairs, types %d%s: %s\n", c->rank, c->n,
                name, c->root, c->pairs, c->of, c->in_place ? ", in place" : "", what);
}

static void compare(call *c, const operation *o)
{
    size_t space = space_of(c);
    char *send = malloc(space), *expected = malloc(space), *got = malloc(space);
    set_side(c, o, false);
    set_side(c, o, true);
    for (int times = 0; times < repetitions(c->n); times++) {
        fill(send, space, c->rank + 10 * times);
        fill(expected, space, c->rank + 3 + 7 * times);
        memcpy(got, expected, space);
        o->run(&native, c, send + BEFORE, expected + BEFORE);
        o->run(&called, c, send + BEFORE, got + BEFORE);
        if (memcmp(expected, got, space) != 0)
            say(c, o->name, "other bytes");
    }
    free(send);
    free(expected);
    free(got);
}

/* Open MPI 4.1 chooses its allgatherv's algorithm by the size of one side's type times the counts
 * of the other: where types are unequal its ranks do not agree and wait forever. */
#ifdef OPEN_MPI
enum { IS_OPEN_MPI = 1 };
#else
enum { IS_OPEN_MPI = 0 };
#endif

/* All variants where ranks are few; where they outnumber the processors each message takes long,
 * and operations share the kinds of types among them. */
static bool is_tried(const call *c, int row)
{
    if (IS_OPEN_MPI && operations[row].run == allgatherv && c->of == UNEQUAL)
        return false;
    bool mine = (int)c->of == (row + c->n + c->in_place) % KINDS;
    if (c->pairs == LONG)
        return mine && !c->in_place && c->n == 3;
    if (c->pairs > 100)
        return c->of == PLAIN && !c->in_place && (c->n <= 4 || c->n == 8);
    return c->n <= 3 || (c->pairs == 13 && mine);
}

static void try_variants(call *c, const operation *o)
{
    const int pairs[] = {0, 1, 13, 3000, LONG};
    bool whole = o->sends == NONE; /* in place is not an argument of it */
    for (int k = 0; k < 5; k++)
        for (int of = 0; of < KINDS; of++)
            for (int in_place = 0; in_place < (whole ? 1 : 2); in_place++) {
                c->pairs = pairs[k];
                c->of = (kind)of;
                c->in_place = in_place;
                if (is_tried(c, (int)(o - operations)))
                    compare(c, o);
            }
}

/* One block of a rank, at an address that only its type knows. */
static MPI_Datatype type_at(const void *address, int ints)
{
    MPI_Datatype type;
    MPI_Aint at;
    MPI_Get_address(address, &at);
    MPI_Type_create_hindexed(1, &ints, &at, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void run_at_bottom(const functions *f, const call *c, int *block, int *all)
{
    MPI_Datatype type = type_at(block, 2);
    bool root = c->rank == c->root;
    f->bcast(MPI_BOTTOM, 1, type, c->root, c->comm);
    f->gather(MPI_BOTTOM, 1, type, root ? all : NULL, 2, MPI_INT, c->root, c->comm);
    f->scatter(root ? all : NULL, 2, MPI_INT, MPI_BOTTOM, 1, type, c->root, c->comm);
    block[0] += c->rank;
    f->allgather(MPI_BOTTOM, 1, type, all, 1, pair, c->comm);
    MPI_Type_free(&type);
}

static void compare_at_bottom(call *c)
{
    int blocks[2][2] = {{c->rank, 5}, {c->rank, 5}}, all[2][2 * MOST_RANKS] = {0};
    run_at_bottom(&native, c, blocks[0], all[0]);
    run_at_bottom(&called, c, blocks[1], all[1]);
    if (memcmp(blocks[0], blocks[1], sizeof blocks[0]) || memcmp(all[0], all[1], sizeof all[0]))
        say(c, "at MPI_BOTTOM", "other values");
}

/* As many elements as there may be: they have no bytes. */
static void compare_without_bytes(const call *c)
{
    const functions *all[] = {&native, &called};
    int counts[MOST_RANKS], places[MOST_RANKS], given = c->rank, got = NONSENSE;
    MPI_Datatype nothing;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    for (int q = 0; q < c->n; q++) {
        counts[q] = 5 + q;
        places[q] = 0;
    }
    for (int k = 0; k < 2; k++) {
        all[k]->gatherv(&given, counts[c->rank], nothing, &got, counts, places, nothing, c->root,
                        c->comm);
        all[k]->scatterv(&given, counts, places, nothing, &got, counts[c->rank], nothing, c->root,
                         c->comm);
    }
    if (got != NONSENSE)
        say(c, "without bytes", "other values");
    MPI_Type_free(&nothing);
}

static void check(MPI_Comm comm)
{
    call c = {.comm = comm};
    MPI_Comm_size(comm, &c.n);
    MPI_Comm_rank(comm, &c.rank);
    for (const operation *o = operations; o->name; o++)
        for (c.root = 0; c.root<(o->rooted ? c.n : 1); c.root += c.n> 3 ? c.n - 2 : 1)
            try_variants(&c, o);
    c.root = c.n - 1;
    compare_at_bottom(&c);
    compare_without_bytes(&c);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    make_types();
    with_all_sizes(argc, argv, check);
    free_types();
    return finish(differences);
}
