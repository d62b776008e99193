/* Wrong calls: every operation with every kind of wrong argument, on all ranks and on one, natively
 * (PMPI_) and as the program gets it (MPI_). Both must say the same, and after each wrong call all
 * operations must be right.
 *
 *   errors native WHERE KINDS FIRST    only natively, from case FIRST on: what the library itself
 *                                      hangs or crashes at is the case that was begun last; it
 *                                      says which wrong arguments it takes
 *   errors both WHERE KINDS [SKIPPED]  both, without the cases in the file SKIPPED
 *   errors fatal CASE WHERE            one case by MPI_ names, where errors end the program
 *
 * WHERE: all; the rank that is wrong; or alone=RANK, which alone makes the call: the others make
 * none, so what the library refuses must be as if it had never been, for them and for a call that
 * makes it good. KINDS: every, or arguments: no sizes that do not fit. In the environment
 * ERRORS_PART=K/N takes every N-th case only. */
#include <signal.h>
#include <unistd.h>

#include "operations.h"
#include "program.h"

enum { COUNT = 4, ROOM = 16 * COUNT * MOST_RANKS, ROOT = 1, MOST_CASES = 1000 };
enum { NATIVE_SECONDS = 1, SECONDS = 30 };

static int rank, n, world_differences;

/* ---- a call ---- */

typedef struct {
    operation operation;
    const void *send;
    void *recv;
    int send_count, recv_count, send_counts[MOST_RANKS], recv_counts[MOST_RANKS];
    int send_places[MOST_RANKS], recv_places[MOST_RANKS];
    MPI_Datatype send_type, recv_type;
    MPI_Op op;
    int root;
    MPI_Comm comm;
} call;

static int run(const functions *f, const call *c)
{
    switch (c->operation) {
    case BARRIER:
        return f->barrier(c->comm);
    case BCAST:
        return f->bcast(c->recv, c->recv_count, c->recv_type, c->root, c->comm);
    case SCATTER:
        return f->scatter(c->send, c->send_count, c->send_type, c->recv, c->recv_count,
                          c->recv_type, c->root, c->comm);
    case SCATTERV:
        return f->scatterv(c->send, c->send_counts, c->send_places, c->send_type, c->recv,
                           c->recv_count, c->recv_type, c->root, c->comm);
    case GATHER:
        return f->gather(c->send, c->send_count, c->send_type, c->recv, c->recv_count, c->recv_type,
                         c->root, c->comm);
    case GATHERV:
        return f->gatherv(c->send, c->send_count, c->send_type, c->recv, c->recv_counts,
                          c->recv_places, c->recv_type, c->root, c->comm);
    case ALLGATHER:
        return f->allgather(c->send, c->send_count, c->send_type, c->recv, c->recv_count,
                            c->recv_type, c->comm);
    case ALLGATHERV:
        return f->allgatherv(c->send, c->send_count, c->send_type, c->recv, c->recv_counts,
                             c->recv_places, c->recv_type, c->comm);
    case ALLTOALL:
        return f->alltoall(c->send, c->send_count, c->send_type, c->recv, c->recv_count,
                           c->recv_type, c->comm);
    case ALLTOALLV:
        return f->alltoallv(c->send, c->send_counts, c->send_places, c->send_type, c->recv,
                            c->recv_counts, c->recv_places, c->recv_type, c->comm);
    case REDUCE:
        return f->reduce(c->send, c->recv, c->recv_count, c->recv_type, c->op, c->root, c->comm);
    case ALLREDUCE:
        return f->allreduce(c->send, c->recv, c->recv_count, c->recv_type, c->op, c->comm);
    case REDUCE_SCATTER:
        return f->reduce_scatter(c->send, c->recv, c->recv_counts, c->recv_type, c->op, c->comm);
    case REDUCE_SCATTER_BLOCK:
        return f->reduce_scatter_block(c->send, c->recv, c->recv_count, c->recv_type, c->op,
                                       c->comm);
    case SCAN:
        return f->scan(c->send, c->recv, c->recv_count, c->recv_type, c->op, c->comm);
    default:
        return f->exscan(c->send, c->recv, c->recv_count, c->recv_type, c->op, c->comm);
    }
}

static bool gives_to_all(operation o)
{
    return o == SCATTER || o == SCATTERV || o == ALLTOALL || o == ALLTOALLV;
}

static bool combines(operation o)
{
    return o >= REDUCE;
}

static bool scatters(operation o)
{
    return o == REDUCE_SCATTER || o == REDUCE_SCATTER_BLOCK;
}

static bool is_rooted(operation o)
{
    return (o >= BCAST && o <= GATHERV) || o == REDUCE;
}

static long long given[ROOM], got[ROOM];

/* Each rank tells others apart by value: what goes from one to another, and when. */
static int value(int from, int to, int i, int salt)
{
    return salt * 1009 + from * 131 + to * 17 + i;
}

static call right_call(operation o, MPI_Comm comm, int count)
{
    call c = {.operation = o,
              .send = given,
              .recv = got,
              .send_count = count,
              .recv_count = count,
              .send_type = MPI_INT,
              .recv_type = MPI_INT,
              .op = MPI_SUM,
              .root = ROOT < n ? ROOT : 0,
              .comm = comm};
    for (int q = 0; q < n; q++) {
        c.send_counts[q] = c.recv_counts[q] = count;
        c.send_places[q] = c.recv_places[q] = q * count;
    }
    return c;
}

/* ---- right calls ---- */

static void fill(const call *c, int salt)
{
    int *from = (int *)given, *to = (int *)got;
    bool to_all = gives_to_all(c->operation) || scatters(c->operation);
    memset(got, -1, sizeof got);
    for (int q = 0; q < n; q++)
        for (int i = 0; i < c->recv_count; i++)
            from[q * c->recv_count + i] = value(rank, to_all ? q : 0, i, salt);
    for (int i = 0; c->operation == BCAST && i < c->recv_count; i++)
        to[i] = value(rank, 0, i, salt);
}

/* Of what the first processes give. */
static int sum(int processes, int to, int i, int salt)
{
    int all = 0;
    for (int q = 0; q < processes; q++)
        all += value(q, to, i, salt);
    return all;
}

/* What element i of block q is afterwards. */
static int result(const call *c, int q, int i, int salt)
{
    if (scatters(c->operation))
        return sum(n, rank, i, salt);
    if (combines(c->operation))
        return sum(c->operation == SCAN ? rank + 1 : c->operation == EXSCAN ? rank : n, 0, i, salt);
    if (c->operation <= SCATTERV)
        return value(c->root, c->operation == BCAST ? 0 : rank, i, salt);
    return value(q, gives_to_all(c->operation) ? rank : 0, i, salt);
}

static bool is_right(const call *c, int salt)
{
    const int *at = (const int *)got;
    operation o = c->operation;
    bool gets = o != BARRIER && ((o != GATHER && o != GATHERV && o != REDUCE) || rank == c->root) &&
                (o != EXSCAN || rank > 0);
    int blocks = o >= GATHER && o <= ALLTOALLV ? n : 1;
    for (int q = 0; gets && q < blocks; q++)
        for (int i = 0; i < c->recv_count; i++)
            if (at[q * c->recv_count + i] != result(c, q, i, salt))
                return false;
    return true;
}

/* After a wrong call of missed, named by what, every operation is right. A rank that alone was
 * refused has missed what the others did: calls of that operation and root are as if it had never
 * come, as they are natively, so others are made. */
static void expect_right_calls(MPI_Comm comm, int where, int salt, operation missed,
                               const char *what)
{
    for (operation o = BARRIER; o < OPERATIONS; o++) {
        if (where >= 0 && o == missed && o >= SCAN) /* it has no other root, natively either */
            continue;
        call c = right_call(o, comm, 3);
        c.root = where < 0 ? c.root : (c.root + 1) % n;
        fill(&c, salt + (int)o);
        int status = run(&called, &c);
        if ((status != MPI_SUCCESS || !is_right(&c, salt + (int)o)) && world_differences++ < 20)
            fprintf(stderr, "rank %d: %s is wrong after %s\n", rank, names[o], what);
    }
}

/* ---- what may be wrong ---- */

static MPI_Datatype uncommitted;

static void set_send_count(call *c, int count)
{
    c->send_count = count;
    for (int q = 0; q < n; q++)
        c->send_counts[q] = count;
}

static void set_recv_count(call *c, int count)
{
    c->recv_count = count;
    for (int q = 0; q < n; q++)
        c->recv_counts[q] = count;
}

static bool negative_send(call *c)
{
    set_send_count(c, -1);
    return c->operation >= SCATTER && !combines(c->operation);
}

static bool negative_recv(call *c)
{
    set_recv_count(c, -1);
    return c->operation >= BCAST;
}

static bool no_send_type(call *c)
{
    c->send_type = MPI_DATATYPE_NULL;
    return c->operation >= SCATTER && !combines(c->operation);
}

static bool no_recv_type(call *c)
{
    c->recv_type = MPI_DATATYPE_NULL;
    return c->operation >= BCAST;
}

static bool uncommitted_send(call *c)
{
    c->send_type = uncommitted;
    return c->operation >= SCATTER && !combines(c->operation);
}

static bool uncommitted_recv(call *c)
{
    c->recv_type = uncommitted;
    return c->operation >= BCAST;
}

static bool no_send_buffer(call *c)
{
    c->send = NULL;
    return c->operation >= SCATTER;
}

static bool no_recv_buffer(call *c)
{
    c->recv = NULL;
    return c->operation >= BCAST;
}

static bool send_in_place(call *c)
{
    c->send = MPI_IN_PLACE;
    return c->operation == SCATTER || c->operation == SCATTERV ||
           (is_rooted(c->operation) && c->operation != BCAST && rank != c->root);
}

static bool recv_in_place(call *c)
{
    c->recv = MPI_IN_PLACE;
    return c->operation >= GATHER ||
           ((c->operation == SCATTER || c->operation == SCATTERV) && rank != c->root);
}

static bool aliased(call *c)
{
    bool one = c->operation >= GATHER && c->operation <= ALLGATHERV;
    c->send = (int *)got + (one ? rank * c->recv_count : 0);
    if (c->operation == SCATTER || c->operation == SCATTERV) {
        c->send = given;
        c->recv = (int *)given + rank * c->recv_count;
    }
    return c->operation >= SCATTER;
}

static bool root_below(call *c)
{
    c->root = -1;
    return is_rooted(c->operation);
}

static bool root_above(call *c)
{
    c->root = n;
    return is_rooted(c->operation);
}

static bool no_operation(call *c)
{
    c->op = MPI_OP_NULL;
    return combines(c->operation);
}

static bool fits_not(call *c, MPI_Datatype type, MPI_Op op)
{
    c->recv_type = type;
    c->op = op;
    return combines(c->operation);
}

static bool largest_byte(call *c)
{
    return fits_not(c, MPI_BYTE, MPI_MAX);
}

static bool bits_of_double(call *c)
{
    return fits_not(c, MPI_DOUBLE, MPI_BAND);
}

static bool place_in_int(call *c)
{
    return fits_not(c, MPI_INT, MPI_MINLOC);
}

static bool replacing(call *c)
{
    return fits_not(c, MPI_INT, MPI_REPLACE);
}

static bool doing_nothing(call *c)
{
    return fits_not(c, MPI_INT, MPI_NO_OP);
}

static bool no_communicator(call *c)
{
    c->comm = MPI_COMM_NULL;
    return true;
}

static bool receives_less(call *c)
{
    set_recv_count(c, c->recv_count / 2);
    return c->operation >= BCAST;
}

static bool receives_more(call *c)
{
    set_recv_count(c, c->recv_count * 2);
    return c->operation >= BCAST;
}

/* sizes: the ranks only notice when messages come. absent: a rank that
 * is wrong alone makes no call at all, which nobody can make good. */
typedef struct {
    const char *name;
    bool (*spoil)(call *c); /* false: it is not wrong for this operation */
    bool sizes, absent;
} mistake;

static const mistake mistakes[] = {
    {"a negative count to send", negative_send, false, false},
    {"a negative count to receive", negative_recv, false, false},
    {"no type to send", no_send_type, false, false},
    {"no type to receive", no_recv_type, false, false},
    {"an uncommitted type to send", uncommitted_send, false, false},
    {"an uncommitted type to receive", uncommitted_recv, false, false},
    {"no buffer to send", no_send_buffer, false, false},
    {"no buffer to receive", no_recv_buffer, false, false},
    {"MPI_IN_PLACE to send", send_in_place, false, false},
    {"MPI_IN_PLACE to receive", recv_in_place, false, false},
    {"the same buffer twice", aliased, false, false},
    {"root -1", root_below, false, false},
    {"root n", root_above, false, false},
    {"no operation", no_operation, false, false},
    {"MPI_MAX of MPI_BYTE", largest_byte, false, false},
    {"MPI_BAND of MPI_DOUBLE", bits_of_double, false, false},
    {"MPI_MINLOC of MPI_INT", place_in_int, false, false},
    {"MPI_REPLACE", replacing, false, false},
    {"MPI_NO_OP", doing_nothing, false, false},
    {"MPI_COMM_NULL", no_communicator, false, true},
    {"less received than comes", receives_less, true, false},
    {"more received than comes", receives_more, true, false},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

typedef struct {
    operation operation;
    const mistake *mistake;
    char what[100];
} wrong_case;

static wrong_case case_of(int number)
{
    wrong_case w = {(operation)(number / MISTAKES), &mistakes[number % MISTAKES], ""};
    snprintf(w.what, sizeof w.what, "%s with %s", names[w.operation], w.mistake->name);
    return w;
}

/* The call, wrong at this rank if is_wrong; false: it is right there for all that. */
static bool wrong_call(const wrong_case *w, bool is_wrong, MPI_Comm comm, call *c)
{
    *c = right_call(w->operation, comm, COUNT);
    fill(c, 7);
    call spoilt = *c;
    bool spoils = w->mistake->spoil(&spoilt);
    if (spoils && is_wrong)
        *c = spoilt;
    return spoils;
}

/* ---- errors ---- */

static int class_of(int code)
{
    int class = code;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class;
}

/* What a call said: by its return code, and to the program's own handler. */
typedef struct {
    int class, handled, handled_class;
    bool on_own; /* the handler was called with the communicator of the call, not another */
} answer;

static answer heard;
static MPI_Comm asked;

static void handle(MPI_Comm *comm, int *code, ...)
{
    heard.handled++;
    heard.handled_class = class_of(*code);
    heard.on_own = *comm == asked;
}

static answer ask(const functions *f, const call *c)
{
    heard = (answer){0};
    asked = c->comm;
    heard.class = class_of(run(f, c));
    return heard;
}

static bool same_answer(const answer *a, const answer *b)
{
    return a->class == b->class && a->handled == b->handled &&
           a->handled_class == b->handled_class && a->on_own == b->on_own;
}

/* ---- the cases ---- */

typedef struct {
    int where;                   /* the wrong rank; -1: all */
    bool sizes, both;            /* sizes: with mistakes in sizes */
    bool alone;                  /* the others make no call */
    MPI_Comm own, theirs, apart; /* of calls by MPI_, of calls by PMPI_, of neither */
    MPI_Comm kept;               /* own is another one for a while, */
    bool fresh;                  /* and that is so now */
    MPI_Errhandler handler;
    bool skipped[MOST_CASES];
} test;

static int now;

static void give_up(int signal_number)
{
    (void)signal_number;
    char text[200];
    wrong_case w = case_of(now);
    int length =
        snprintf(text, sizeof text, "rank %d hangs at or after case %d: %s\n", rank, now, w.what);
    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(4);
    _exit(3);
}

/* Nobody receives again what a wrong call of the library left behind. */
static void renew_theirs(test *t)
{
    PMPI_Comm_dup(MPI_COMM_WORLD, &t->theirs);
    PMPI_Comm_set_errhandler(t->theirs, t->handler);
}

/* What is wrong in itself is answered alike where it is wrong. Sizes that do not fit depend on the
 * algorithm: what the library cannot receive without losing some of it is an error here, too, if
 * all ranks are wrong. */
static bool is_expected(const test *t, const wrong_case *w, const answer *theirs, const answer *own)
{
    if (t->where >= 0 && (t->where != rank || w->mistake->sizes))
        return true;
    return w->mistake->sizes ? theirs->class != MPI_ERR_TRUNCATE || own->class == theirs->class
                             : same_answer(theirs, own);
}

static void compare(test *t, const wrong_case *w, const answer *theirs, const answer *own)
{
    bool same = is_expected(t, w, theirs, own);
    if (!same && world_differences++ < 20)
        fprintf(stderr,
                "rank %d: %s: class %d, handled %d times (class %d%s), natively %d, %d (%d%s)\n",
                rank, w->what, own->class, own->handled, own->handled_class,
                own->on_own ? "" : ", another communicator", theirs->class, theirs->handled,
                theirs->handled_class, theirs->on_own ? "" : ", another communicator");
}

/* Every third wrong call is the first on a communicator, which ends afterwards. */
static void begin_own(test *t, int number)
{
    t->kept = t->own;
    t->fresh = t->alone && number % 3 == 0;
    if (t->fresh)
        MPI_Comm_dup(MPI_COMM_WORLD, &t->own);
    MPI_Comm_set_errhandler(t->own, t->handler);
}

static void end_own(test *t)
{
    if (t->fresh)
        MPI_Comm_free(&t->own);
    t->own = t->kept;
}

/* The rank that is refused tries again at once, as do those for which that is the first time. */
static void expect_made_good(const test *t, const wrong_case *w, int number)
{
    call c = right_call(w->operation, t->own, COUNT);
    fill(&c, number);
    if ((run(&called, &c) != MPI_SUCCESS || !is_right(&c, number)) && world_differences++ < 20)
        fprintf(stderr, "rank %d: not made good: %s\n", rank, w->what);
}

/* One rank alone makes the call. */
static void try_alone(test *t, const wrong_case *w, int number)
{
    call c;
    begin_own(t, number);
    if (rank == t->where) {
        wrong_call(w, true, t->theirs, &c);
        answer theirs = ask(&native, &c);
        wrong_call(w, true, t->own, &c);
        answer own = ask(&called, &c);
        compare(t, w, &theirs, &own);
    }
    if (number % 2)
        expect_made_good(t, w, number);
    expect_right_calls(t->own, -1, number, w->operation, w->what);
    end_own(t);
}

/* Whether it is one that is tried, as all know. */
static bool is_tried(const test *t, const wrong_case *w, int number)
{
    call c;
    bool is_wrong = t->where < 0 || t->where == rank;
    int any = wrong_call(w, is_wrong, t->theirs, &c) && is_wrong;
    PMPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, t->apart);
    return any && !t->skipped[number] && (!w->mistake->sizes || t->sizes) &&
           !(t->where >= 0 && !t->alone && w->mistake->absent);
}

static void try(test *t, int number)
{
    wrong_case w = case_of(number);
    call c;
    bool is_wrong = t->where < 0 || t->where == rank;
    if (!is_tried(t, &w, number))
        return;
    now = number;
    alarm(t->both ? SECONDS : NATIVE_SECONDS);
    if (rank == 0)
        printf("begin %d\n", number), fflush(stdout);
    renew_theirs(t);
    PMPI_Barrier(t->apart);
    if (t->both && t->alone) {
        try_alone(t, &w, number);
        return;
    }
    wrong_call(&w, is_wrong, t->theirs, &c);
    answer theirs = is_wrong || !t->alone ? ask(&native, &c) : (answer){0};
    int taken = is_wrong && !w.mistake->sizes && theirs.class == MPI_SUCCESS;
    PMPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_INT, MPI_MAX, t->apart);
    if (!t->both && taken && rank == 0)
        printf("taken %d\n", number), fflush(stdout);
    if (!t->both)
        return;
    wrong_call(&w, is_wrong, t->own, &c);
    answer own = ask(&called, &c);
    compare(t, &w, &theirs, &own);
    expect_right_calls(t->own, t->where, number, w.operation, w.what);
}

static void read_skipped(test *t, const char *path)
{
    FILE *file = fopen(path, "r");
    int number;
    while (file && fscanf(file, "%d", &number) == 1)
        t->skipped[number] = true;
    if (file)
        fclose(file);
}

static void run_cases(test *t, int first)
{
    PMPI_Comm_dup(MPI_COMM_WORLD, &t->apart);
    MPI_Comm_dup(MPI_COMM_WORLD, &t->own);
    MPI_Comm_create_errhandler(handle, &t->handler);
    MPI_Comm_set_errhandler(t->own, t->handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, t->handler);
    int part = 0, of = 1;
    if (getenv("ERRORS_PART"))
        sscanf(getenv("ERRORS_PART"), "%d/%d", &part, &of);
    for (int number = first; number < OPERATIONS * MISTAKES; number++)
        if (number % of == part % of)
            try(t, number);
}

static int fail_fatally(int number, int where)
{
    wrong_case w = case_of(number);
    call c;
    wrong_call(&w, where < 0 || where == rank, MPI_COMM_WORLD, &c);
    run(&called, &c);
    PMPI_Barrier(MPI_COMM_WORLD);
    printf("not fatal\n");
    return finish(0);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
    signal(SIGALRM, give_up);
    alarm(SECONDS);
    bool fatal = strcmp(argv[1], "fatal") == 0;
    const char *place = argv[fatal ? 3 : 2];
    bool alone = strncmp(place, "alone=", 6) == 0;
    int where = strcmp(place, "all") == 0 ? -1 : atoi(alone ? place + 6 : place);
    if (fatal)
        return fail_fatally(atoi(argv[2]), where);
    test t = {.where = where,
              .sizes = strcmp(argv[3], "every") == 0,
              .both = strcmp(argv[1], "both") == 0,
              .alone = alone,
              .theirs = MPI_COMM_NULL};
    if (t.both && argc > 4)
        read_skipped(&t, argv[4]);
    run_cases(&t, !t.both && argc > 4 ? atoi(argv[4]) : 0);
    return finish(world_differences);
}
