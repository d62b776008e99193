/* Collectives that combine: predefined operations on predefined types, pairs, long double, complex;
 * operations of the user that commute and that do not, on types of the user; in place. Bit for bit,
 * but for sums of floating-point numbers: those may be added in another order, and must be alike on
 * all ranks of an allreduce. */
#include "program.h"

#include <complex.h>
#include <float.h>
#include <math.h>

enum { BEFORE = 64 };

typedef struct {
    double value;
    int at;
} double_int;

static MPI_Datatype matrix, tight_matrix, spaced;
static MPI_Op multiply, add_spaced;
static int differences;

/* 2x2 matrices modulo 1009: a product whose order matters. */
static void multiply_matrices(void *in, void *inout, int *length, MPI_Datatype *type)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(*type, &lower, &extent);
    for (int i = 0; i < *length; i++) {
        const int *a = (const int *)((const char *)in + i * extent);
        int *b = (int *)((char *)inout + i * extent), c[4];
        for (int k = 0; k < 4; k++)
            c[k] = (a[k / 2 * 2] * b[k % 2] + a[k / 2 * 2 + 1] * b[k % 2 + 2]) % 1009;
        memcpy(b, c, sizeof c);
    }
}

static void add_modulo(void *in, void *inout, int *length, MPI_Datatype *type)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(*type, &lower, &extent);
    for (int i = 0; i < *length; i++) {
        const int *a = (const int *)((const char *)in + i * extent);
        int *b = (int *)((char *)inout + i * extent);
        b[0] = (a[0] + b[0]) % 1009;
        b[2] = (a[2] + b[2]) % 1013;
    }
}

/* Matrices with a lower bound below zero, pairs with a hole. */
static void make_types(void)
{
    MPI_Datatype two;
    MPI_Type_contiguous(4, MPI_INT, &tight_matrix);
    MPI_Type_create_resized(tight_matrix, -4, 5 * sizeof(int), &matrix);
    MPI_Type_vector(2, 1, 2, MPI_INT, &two);
    MPI_Type_create_resized(two, 0, 4 * sizeof(int), &spaced);
    MPI_Type_free(&two);
    MPI_Type_commit(&matrix);
    MPI_Type_commit(&tight_matrix);
    MPI_Type_commit(&spaced);
    MPI_Op_create(multiply_matrices, 0, &multiply);
    MPI_Op_create(add_modulo, 1, &add_spaced);
}

static void free_types(void)
{
    MPI_Type_free(&matrix);
    MPI_Type_free(&tight_matrix);
    MPI_Type_free(&spaced);
    MPI_Op_free(&multiply);
    MPI_Op_free(&add_spaced);
}

/* Elements: how they are made, and compared where bytes would not do. */
static void make_ints(void *at, int i, int rank)
{
    for (int k = 0; k < 5; k++)
        ((int *)at)[k] = (i * 31 + rank * 57 + k * 7) % 1009;
}

static void make_byte(void *at, int i, int rank)
{
    *(unsigned char *)at = (unsigned char)(i * 31 + rank * 57);
}

static void make_bool(void *at, int i, int rank)
{
    *(bool *)at = (i + rank) % 5 == 0;
}

static void make_double(void *at, int i, int rank)
{
    *(double *)at = sin(i * 3.1 + rank) * pow(10, (i + rank) % 7);
}

static void make_long_double(void *at, int i, int rank)
{
    *(long double *)at = (long double)sin(i + rank * 2.3) / 3;
}

/* Products of units are exact. */
static void make_complex(void *at, int i, int rank)
{
    const double complex units[] = {1, I, -1, -I};
    *(double complex *)at = units[(i + rank * 3) % 4];
}

static void make_double_int(void *at, int i, int rank)
{
    ((double_int *)at)->value = (i + rank) % 4 / 3.;
    ((double_int *)at)->at = rank * 100 + i % 9;
}

static void make_two_ints(void *at, int i, int rank)
{
    ((int *)at)[0] = (i + rank * rank) % 4;
    ((int *)at)[1] = rank;
}

static bool equal_long_double(const void *a, const void *b, double bound)
{
    (void)bound;
    return *(const long double *)a == *(const long double *)b;
}

/* Of zeros the sign depends on the order. */
static bool equal_complex(const void *a, const void *b, double bound)
{
    (void)bound;
    return *(const double complex *)a == *(const double complex *)b;
}

static bool equal_double_int(const void *a, const void *b, double bound)
{
    const double_int *x = a, *y = b;
    (void)bound;
    return x->value == y->value && x->at == y->at;
}

static bool equal_double(const void *a, const void *b, double bound)
{
    return fabs(*(const double *)a - *(const double *)b) <= bound;
}

typedef struct {
    const char *name;
    MPI_Datatype type;
    MPI_Op op;
    size_t size; /* from an element to the next */
    void (*make)(void *at, int i, int rank);
    bool (*equal)(const void *a, const void *b, double bound); /* NULL: byte by byte */
} elements;

typedef struct {
    MPI_Comm comm;
    int n, rank, root, count;
    int counts[MOST_RANKS];
    bool in_place;
    const elements *of;
} call;

typedef struct {
    const char *name;
    bool rooted, scatters;
    /* Elements of the result at this rank. */
    int (*run)(const functions *f, const call *c, const void *send, void *recv);
} operation;

static int reduce(const functions *f, const call *c, const void *send, void *recv)
{
    bool root = c->rank == c->root;
    f->reduce(root && c->in_place ? MPI_IN_PLACE : send, root ? recv : NULL, c->count, c->of->type,
              c->of->op, c->root, c->comm);
    return root ? c->count : 0;
}

static int allreduce(const functions *f, const call *c, const void *send, void *recv)
{
    f->allreduce(c->in_place ? MPI_IN_PLACE : send, recv, c->count, c->of->type, c->of->op,
                 c->comm);
    return c->count;
}

static int reduce_scatter(const functions *f, const call *c, const void *send, void *recv)
{
    f->reduce_scatter(c->in_place ? MPI_IN_PLACE : send, recv, c->counts, c->of->type, c->of->op,
                      c->comm);
    return c->counts[c->rank];
}

static int reduce_scatter_block(const functions *f, const call *c, const void *send, void *recv)
{
    f->reduce_scatter_block(c->in_place ? MPI_IN_PLACE : send, recv, c->count, c->of->type,
                            c->of->op, c->comm);
    return c->count;
}

static int scan(const functions *f, const call *c, const void *send, void *recv)
{
    f->scan(c->in_place ? MPI_IN_PLACE : send, recv, c->count, c->of->type, c->of->op, c->comm);
    return c->count;
}

/* At process 0 nothing is written. */
static int exscan(const functions *f, const call *c, const void *send, void *recv)
{
    f->exscan(c->in_place ? MPI_IN_PLACE : send, recv, c->count, c->of->type, c->of->op, c->comm);
    return c->count;
}

static const operation operations[] = {
    {"reduce", true, false, reduce},
    {"allreduce", false, false, allreduce},
    {"reduce_scatter", false, true, reduce_scatter},
    {"reduce_scatter_block", false, true, reduce_scatter_block},
    {"scan", false, false, scan},
    {"exscan", false, false, exscan},
    {0},
};

static void say(const call *c, const operation *o, const char *what)
{
    if (differences++ < 10)
        fprintf(stderr, "rank %d of %d: %s of %s, root %d, %d elements%s: %s\n", c->rank, c->n,
                o->name, c->of->name, c->root, c->count, c->in_place ? ", in place" : "", what);
}

/* How far two sums of the same numbers may be apart: twice (n - 1) u times the sum of their
 * absolute values (Higham, Accuracy and Stability of Numerical Algorithms, 4.2), of all elements.
 */
static double bound_of(const call *c, const void *send, int most)
{
    double largest = 0, sum = 0;
    if (c->of->type != MPI_DOUBLE)
        return 0;
    for (int i = 0; i < most; i++)
        largest = fmax(largest, fabs(((const double *)send)[i]));
    PMPI_Allreduce(&largest, &sum, 1, MPI_DOUBLE, MPI_SUM, c->comm);
    return 2 * (c->n - 1) * DBL_EPSILON / 2 * sum;
}

static bool are_equal(const call *c, const char *a, const char *b, int count, double bound)
{
    if (!c->of->equal)
        return memcmp(a, b, (size_t)count * c->of->size) == 0;
    for (int i = 0; i < count; i++)
        if (!c->of->equal(a + (size_t)i * c->of->size, b + (size_t)i * c->of->size, bound))
            return false;
    return true;
}

/* What an allreduce gave here is bit for bit what it gave at rank 0. */
static bool is_same_everywhere(const call *c, const char *got)
{
    size_t size = (size_t)c->count * sizeof(double);
    char *first = malloc(size + 1);
    memcpy(first, got, size);
    PMPI_Bcast(first, c->count, MPI_DOUBLE, 0, c->comm);
    bool same = memcmp(first, got, size) == 0;
    free(first);
    return same;
}

static void fill(const call *c, char *bytes, int count, int salt)
{
    memset(bytes - BEFORE, salt, BEFORE);
    memset(bytes, salt, (size_t)(count + 1) * c->of->size + BEFORE);
    for (int i = 0; i < count; i++)
        c->of->make(bytes + (size_t)i * c->of->size, i + salt, c->rank);
}

static void compare(call *c, const operation *o)
{
    int most = 0;
    for (int q = 0; q < c->n; q++)
        most += c->counts[q] =
            o->scatters && o->run == reduce_scatter ? c->count + q % 3 : c->count;
    most = o->scatters ? most : c->count;
    size_t space = (size_t)(most + 1) * c->of->size + 2 * BEFORE;
    char *send = malloc(space), *expected = malloc(space), *got = malloc(space);
    for (int times = 0; times < repetitions(c->n); times++) {
        fill(c, send + BEFORE, most, times);
        fill(c, expected + BEFORE, most, times + 1);
        memcpy(got, expected, space);
        double bound = bound_of(c, c->in_place ? expected + BEFORE : send + BEFORE, most) +
                       bound_of(c, send + BEFORE, most);
        int count = o->run(&native, c, send + BEFORE, expected + BEFORE);
        o->run(&called, c, send + BEFORE, got + BEFORE);
        if (!are_equal(c, expected + BEFORE, got + BEFORE, count, bound))
            say(c, o, "other values");
        if (o->run == allreduce && c->of->type == MPI_DOUBLE &&
            !is_same_everywhere(c, got + BEFORE))
            say(c, o, "ranks differ");
    }
    free(send);
    free(expected);
    free(got);
}

/* MPICH 4.0's own reduce_scatter_block writes past its space if elements have holes between them
 * and do not commute. */
static bool is_tried(const call *c, const operation *o, int kind)
{
    if (o->run == reduce_scatter_block && c->of->type == matrix)
        return false;
    if (c->count > 100)
        return !c->in_place && (c->of->type == MPI_INT || c->of->type == matrix) &&
               (c->n <= 4 || c->n == 8);
    return c->n <= 3 || (c->count > 1 && (kind + c->n + c->in_place) % 3 == 0);
}

static void try_elements(call *c, const operation *o, const elements *of)
{
    const int counts[] = {0, 1, 13, 3000};
    for (int k = 0; k < 4; k++)
        for (int kind = 0; of[kind].name; kind++)
            for (int in_place = 0; in_place < 2; in_place++) {
                c->count = counts[k];
                c->of = &of[kind];
                c->in_place = in_place;
                if (is_tried(c, o, kind))
                    compare(c, o);
            }
}

static void check(MPI_Comm comm)
{
    const elements of[] = {
        {"sum of int", MPI_INT, MPI_SUM, sizeof(int), make_ints, NULL},
        {"bxor of unsigned char", MPI_UNSIGNED_CHAR, MPI_BXOR, 1, make_byte, NULL},
        {"lor of bool", MPI_C_BOOL, MPI_LOR, sizeof(bool), make_bool, NULL},
        {"sum of double", MPI_DOUBLE, MPI_SUM, sizeof(double), make_double, equal_double},
        {"max of long double", MPI_LONG_DOUBLE, MPI_MAX, sizeof(long double), make_long_double,
         equal_long_double},
        {"product of double complex", MPI_C_DOUBLE_COMPLEX, MPI_PROD, sizeof(double complex),
         make_complex, equal_complex},
        {"maxloc of double and int", MPI_DOUBLE_INT, MPI_MAXLOC, sizeof(double_int),
         make_double_int, equal_double_int},
        {"minloc of two ints", MPI_2INT, MPI_MINLOC, 2 * sizeof(int), make_two_ints, NULL},
        {"user's sum", spaced, add_spaced, 4 * sizeof(int), make_ints, NULL},
        {"product of matrices", matrix, multiply, 5 * sizeof(int), make_ints, NULL},
        {"product of tight matrices", tight_matrix, multiply, 4 * sizeof(int), make_ints, NULL},
        {0},
    };
    call c = {.comm = comm};
    MPI_Comm_size(comm, &c.n);
    MPI_Comm_rank(comm, &c.rank);
    for (const operation *o = operations; o->name; o++)
        for (c.root = 0; c.root<(o->rooted ? c.n : 1); c.root += c.n> 3 ? c.n - 2 : 1)
            try_elements(&c, o, of);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    make_types();
    with_all_sizes(argc, argv, check);
    free_types();
    return finish(differences);
}
