/* What a persistent collective costs over the same messages as persistent requests of a program's
 * own: both, and MPI's own collective, in turns in one run. Medians of batches, and the median of
 * their ratios to the messages.
 *
 * mpiexec -n 2 cpm run --force allreduce:recursive-doubling,bcast:binomial -- bench_persistent
 * usage: bench_persistent [BYTES [CALLS]], 2^k processes */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 3, BATCHES = 201, MOST_ROUNDS = 16 };

typedef struct {
    int n, rank, elements, calls;
    double *send, *recv, *came;
} state;

/* Messages of rounds, each started together and waited for together. */
typedef struct {
    MPI_Request of[MOST_ROUNDS][2];
    int count[MOST_ROUNDS];
    int rounds;
} messages;

static void add_send(const state *s, messages *m, int round, int to)
{
    MPI_Send_init(s->recv, s->elements, MPI_DOUBLE, to, TAG, MPI_COMM_WORLD,
                  &m->of[round][m->count[round]++]);
}

static void add_receive(messages *m, int round, double *at, int elements, int from)
{
    MPI_Recv_init(at, elements, MPI_DOUBLE, from, TAG, MPI_COMM_WORLD,
                  &m->of[round][m->count[round]++]);
}

static void run_round(messages *m, int round)
{
    MPI_Startall(m->count[round], m->of[round]);
    MPI_Waitall(m->count[round], m->of[round], MPI_STATUSES_IGNORE);
}

static void free_messages(messages *m)
{
    for (int round = 0; round < m->rounds; round++)
        for (int k = 0; k < m->count[round]; k++)
            MPI_Request_free(&m->of[round][k]);
}

/* ---- an allreduce by recursive doubling ---- */

static void plan_allreduce(const state *s, messages *m)
{
    *m = (messages){0};
    for (int bit = 1; bit < s->n; bit <<= 1, m->rounds++) {
        add_receive(m, m->rounds, s->came, s->elements, s->rank ^ bit);
        add_send(s, m, m->rounds, s->rank ^ bit);
    }
}

static void allreduce_by_hand(const state *s, messages *m)
{
    memcpy(s->recv, s->send, (size_t)s->elements * sizeof *s->recv);
    for (int round = 0; round < m->rounds; round++) {
        run_round(m, round);
        for (int k = 0; k < s->elements; k++)
            s->recv[k] += s->came[k];
    }
}

static void make_allreduce(const state *s, MPI_Request *request, int own)
{
    (own ? PMPI_Allreduce_init : MPI_Allreduce_init)(
        s->send, s->recv, s->elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request);
}

/* ---- a bcast by a binomial tree: what is received is passed on, the farthest first ---- */

static void plan_bcast(const state *s, messages *m)
{
    int bit = 1;
    *m = (messages){0};
    while (bit < s->n && !(s->rank & bit))
        bit <<= 1;
    if (s->rank)
        add_receive(m, m->rounds++, s->recv, s->elements, s->rank - bit);
    for (bit >>= 1; bit > 0; bit >>= 1)
        add_send(s, m, m->rounds++, s->rank + bit);
}

static void bcast_by_hand(const state *s, messages *m)
{
    (void)s;
    for (int round = 0; round < m->rounds; round++)
        run_round(m, round);
}

static void make_bcast(const state *s, MPI_Request *request, int own)
{
    (own ? PMPI_Bcast_init : MPI_Bcast_init)(s->recv, s->elements, MPI_DOUBLE, 0, MPI_COMM_WORLD,
                                             MPI_INFO_NULL, request);
}

static const struct {
    const char *name;
    void (*plan)(const state *s, messages *m);
    void (*by_hand)(const state *s, messages *m);
    void (*make)(const state *s, MPI_Request *request, int own);
} rows[] = {{"allreduce", plan_allreduce, allreduce_by_hand, make_allreduce},
            {"bcast", plan_bcast, bcast_by_hand, make_bcast}};

/* ---- times ---- */

typedef struct {
    int row;
    messages by_hand;
    MPI_Request chosen, own;
} contest;

enum { BY_HAND, CHOSEN, OWN, WAYS };

static void call(const state *s, contest *c, int way)
{
    MPI_Request *request = way == CHOSEN ? &c->chosen : &c->own;
    if (way == BY_HAND) {
        rows[c->row].by_hand(s, &c->by_hand);
        return;
    }
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* Seconds of a call at the slowest process. */
static double batch(const state *s, contest *c, int way)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int k = 0; k < s->calls; k++)
        call(s, c, way);
    double own = (MPI_Wtime() - start) / s->calls, all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, BATCHES, sizeof *x, ascending);
    return x[BATCHES / 2];
}

static void print(const state *s, int row, double seconds[WAYS][BATCHES])
{
    double ratio[WAYS][BATCHES];
    for (int way = 0; way < WAYS; way++)
        for (int k = 0; k < BATCHES; k++)
            ratio[way][k] = seconds[way][k] / seconds[BY_HAND][k];
    printf("%-12s %3d %7zu  %9.3f", rows[row].name, s->n, (size_t)s->elements * sizeof *s->send,
           median(seconds[BY_HAND]) * 1e6);
    for (int way = CHOSEN; way < WAYS; way++)
        printf("  %9.3f %6.3f", median(seconds[way]) * 1e6, median(ratio[way]));
    putchar('\n');
}

static void compare(const state *s, int row)
{
    contest c = {.row = row};
    double seconds[WAYS][BATCHES];
    rows[row].plan(s, &c.by_hand);
    rows[row].make(s, &c.chosen, 0);
    rows[row].make(s, &c.own, 1);
    for (int k = 0; k < BATCHES; k++)
        for (int way = 0; way < WAYS; way++)
            seconds[way][k] = batch(s, &c, way);
    if (s->rank == 0)
        print(s, row, seconds);
    free_messages(&c.by_hand);
    MPI_Request_free(&c.chosen);
    MPI_Request_free(&c.own);
}

int main(int argc, char **argv)
{
    state s;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &s.n);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    const long bytes = argc > 1 ? strtol(argv[1], NULL, 10) : 8;
    s.elements = (int)(bytes / (long)sizeof *s.send);
    s.calls = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 500;
    s.send = calloc(3 * (size_t)s.elements + 1, sizeof *s.send);
    if (!s.send || s.elements < 1 || s.n & (s.n - 1)) {
        fprintf(stderr, "bench_persistent: needs 8 bytes or more, and 2^k processes\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    s.recv = s.send + s.elements;
    s.came = s.recv + s.elements;
    if (s.rank == 0)
        printf("operation      n   bytes    hand/us   forced/us  ratio     own/us  ratio\n");
    for (int row = 0; row < 2; row++)
        compare(&s, row);
    free(s.send);
    MPI_Finalize();
    return 0;
}
