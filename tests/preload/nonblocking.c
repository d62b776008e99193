/* Nonblocking collectives. An ordinary program that knows nothing of CPM.
 *
 * usage: nonblocking enter: process 1 enters every call of MPI that can block while a collective is
 * under way that its peers wait for, before they let it go.
 *        nonblocking first: what a nonblocking call wants is decided in the first blocking call of
 * its operation.
 *        nonblocking alone ROUNDS: no blocking call on the communicators, or none until its end.
 *        nonblocking ahead ROUNDS: no blocking call, and the last process is late again and again,
 * by as many calls as it takes, and waits for a message meanwhile.
 *        nonblocking ended ROUNDS: communicators end, and then MPI, while calls decide.
 *        nonblocking sizes ROUNDS EACH [started]: no blocking call, exchanges whose sizes no
 * process knows of others; after EACH rounds they are other ones; started: persistent ones.
 *        nonblocking made ROUNDS: no blocking call, on communicators made in several ways.
 *        nonblocking ibcasts ROUNDS: one kind of nonblocking call on a duplicate, no blocking one.
 *        nonblocking own ROUNDS: reductions by operations of the program's own, which it frees
 * before they have ended.
 *        nonblocking mixed STEPS SEED [begun]: random calls, many at once, blocking ones among
 * them, on communicators that come and go; completed in another order at each process. Some calls
 * are wrong, at all processes or at one alone; begun: of these none blocks.
 *        nonblocking often ROUNDS: the same calls of all kinds, and blocking ones.
 *        nonblocking persistent ROUNDS SEED [all]: persistent ones, started again and again, where
 * MPI has them; all: completed by all functions that can, of which MPICH 4.0's own persistent scan
 * fails some.
 *        nonblocking starts ROUNDS SEED [alone]: persistent ones of all kinds, started in another
 * order at each process, also about blocking calls; alone: there are none, some processes are late
 * or wait for a message of another one's, and communicators end at once.
 *        nonblocking bcasts ROUNDS SEED [alone]: one persistent broadcast, started so often, with a
 * blocking call behind each, but alone. Prints what is wrong; the exit code says whether anything
 * was. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 12 };

static int rank, n, wrong, wrong_kinds = 7;
static MPI_Status statuses[MOST];

static void expect(bool right, const char *what, int which)
{
    if (!right && wrong++ < 10)
        printf("rank %d: %s %d\n", rank, what, which);
}

/* ---- entering ---- */

enum { SLOW = 1, PEER = 0, TAG = 7, LONG = 1 << 16 };

static MPI_Comm other;
static int long_buffer[LONG], token;

static void receive(void)
{
    MPI_Recv(&token, 1, MPI_INT, PEER, TAG, other, MPI_STATUS_IGNORE);
}

static void send_token(void)
{
    MPI_Send(&token, 1, MPI_INT, SLOW, TAG, other);
}

static void take_token(void)
{
    MPI_Recv(&token, 1, MPI_INT, SLOW, TAG, other, MPI_STATUS_IGNORE);
}

static void send_synchronously(void)
{
    MPI_Ssend(&token, 1, MPI_INT, PEER, TAG, other);
}

static void send_much(void)
{
    MPI_Send(long_buffer, LONG, MPI_INT, PEER, TAG, other);
}

static void take_much(void)
{
    MPI_Recv(long_buffer, LONG, MPI_INT, SLOW, TAG, other, MPI_STATUS_IGNORE);
}

static void exchange(void)
{
    int from = 0;
    MPI_Sendrecv(&token, 1, MPI_INT, rank == PEER ? SLOW : PEER, TAG, &from, 1, MPI_INT,
                 rank == PEER ? SLOW : PEER, TAG, other, MPI_STATUS_IGNORE);
}

static void exchange_in_place(void)
{
    MPI_Sendrecv_replace(&token, 1, MPI_INT, rank == PEER ? SLOW : PEER, TAG,
                         rank == PEER ? SLOW : PEER, TAG, other, MPI_STATUS_IGNORE);
}

static void probe(void)
{
    MPI_Probe(PEER, TAG, other, MPI_STATUS_IGNORE);
    receive();
}

static void probe_and_match(void)
{
    MPI_Message message;
    MPI_Mprobe(PEER, TAG, other, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&token, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

static void look_until_there(void)
{
    int there = 0;
    while (!there)
        MPI_Iprobe(PEER, TAG, other, &there, MPI_STATUS_IGNORE);
    receive();
}

static MPI_Request expected(void)
{
    MPI_Request request;
    MPI_Irecv(&token, 1, MPI_INT, PEER, TAG, other, &request);
    return request;
}

static void wait_for_one(void)
{
    MPI_Request request = expected();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void wait_for_all(void)
{
    MPI_Request requests[] = {expected(), MPI_REQUEST_NULL};
    MPI_Waitall(2, requests, statuses);
}

static void wait_for_any(void)
{
    MPI_Request request = expected();
    MPI_Waitany(1, &request, &(int){0}, MPI_STATUS_IGNORE);
}

static void wait_for_some(void)
{
    MPI_Request request = expected();
    MPI_Waitsome(1, &request, &(int){0}, &(int){0}, statuses);
}

static void test_until_there(void)
{
    MPI_Request request = expected();
    for (int done = 0; !done;)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

static void test_all_until_there(void)
{
    MPI_Request request = expected();
    for (int done = 0; !done;)
        MPI_Testall(1, &request, &done, statuses);
}

static void ask_status_until_there(void)
{
    MPI_Request request = expected();
    for (int done = 0; !done;)
        MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void start_persistent(void)
{
    MPI_Request request;
    MPI_Recv_init(&token, 1, MPI_INT, PEER, TAG, other, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

static void meet(void)
{
    MPI_Barrier(other);
}

static void add(void)
{
    int sum;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other);
    expect(sum == n * (n - 1) / 2, "sum", sum);
}

static void take_from_all(void)
{
    int all[64];
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, other);
}

static void get_from_peer(void)
{
    MPI_Bcast(&token, 1, MPI_INT, PEER, other);
}

static void scan(void)
{
    int sum;
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, other);
}

static void add_slowly(void)
{
    int sum;
    MPI_Request request;
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void duplicate(void)
{
    MPI_Comm made;
    MPI_Comm_dup(other, &made);
    MPI_Comm_free(&made);
}

static void split(void)
{
    MPI_Comm made;
    MPI_Comm_split(other, 0, rank, &made);
    MPI_Comm_free(&made);
}

static void expose(void)
{
    MPI_Win window;
    MPI_Win_create(long_buffer, sizeof long_buffer, sizeof(int), MPI_INFO_NULL, other, &window);
    MPI_Win_fence(0, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void nothing(void)
{
}

typedef struct {
    const char *name;
    void (*slow)(void), (*peer)(void), (*rest)(void);
} entry;

static const entry entries[] = {
    {"Recv", receive, send_token, nothing},
    {"Ssend", send_synchronously, take_token, nothing},
    {"Send", send_much, take_much, nothing},
    {"Sendrecv", exchange, exchange, nothing},
    {"Sendrecv_replace", exchange_in_place, exchange_in_place, nothing},
    {"Probe", probe, send_token, nothing},
    {"Mprobe", probe_and_match, send_token, nothing},
    {"Iprobe", look_until_there, send_token, nothing},
    {"Wait", wait_for_one, send_token, nothing},
    {"Waitall", wait_for_all, send_token, nothing},
    {"Waitany", wait_for_any, send_token, nothing},
    {"Waitsome", wait_for_some, send_token, nothing},
    {"Test", test_until_there, send_token, nothing},
    {"Testall", test_all_until_there, send_token, nothing},
    {"Request_get_status", ask_status_until_there, send_token, nothing},
    {"Start", start_persistent, send_token, nothing},
    {"Barrier", meet, meet, meet},
    {"Allreduce", add, add, add},
    {"Allgather", take_from_all, take_from_all, take_from_all},
    {"Bcast", get_from_peer, get_from_peer, get_from_peer},
    {"Scan", scan, scan, scan},
    {"Iallreduce", add_slowly, add_slowly, add_slowly},
    {"Comm_dup", duplicate, duplicate, duplicate},
    {"Comm_split", split, split, split},
    {"Win_fence", expose, expose, expose},
};

/* All but the slow process wait first, for what it has to pass on. */
static void enter(const entry *e)
{
    int own = 100 + rank, all[64];
    MPI_Request request;
    memset(all, 0, sizeof all);
    MPI_Iallgather(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
    if (rank == SLOW)
        e->slow();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank != SLOW)
        (rank == PEER ? e->peer : e->rest)();
    for (int k = 0; k < n; k++)
        expect(all[k] == 100 + k, e->name, all[k]);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void enter_all(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int turn = 0; turn < 3; turn++) /* nothing is decided in the first */
        for (size_t k = 0; k < sizeof entries / sizeof *entries; k++)
            enter(&entries[k]);
    MPI_Comm_free(&other);
}

/* ---- deciding ---- */

static void call_first(void)
{
    int sum = 0, all[64];
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < 3; turn++) {
        int told = rank ? -1 : 100 + turn;
        MPI_Ibcast(&told, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(told == 100 + turn, "told", told);
        if (turn == 1)
            MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        expect(sum == n * (n - 1) / 2, "sum", sum);
    }
}

/* What is wanted later is decided later. */
static void call_in_turns(MPI_Comm comm, MPI_Comm ring, int rounds)
{
    int own[64], all[64], sum;
    MPI_Request requests[3];
    for (int turn = 0; turn < rounds; turn++) {
        int count = 2;
        for (int k = 0; k < n; k++)
            own[k] = 100 * rank + k + turn;
        MPI_Iallreduce(&own[0], &sum, 1, MPI_INT, MPI_SUM, comm, &requests[0]);
        int from[2] = {-1, -1};
        MPI_Ineighbor_allgather(&own[0], 1, MPI_INT, from, 1, MPI_INT, ring, &requests[1]);
        if (turn > rounds / 3)
            MPI_Ialltoall(own, 1, MPI_INT, all, 1, MPI_INT, comm, &requests[count++]);
        MPI_Waitall(count, requests, statuses);
        expect(sum == 50 * n * (n - 1) + n * turn, "sum alone", turn);
        expect(from[0] == 100 * ((rank + n - 1) % n) + turn, "from the left", turn);
        expect(from[1] == 100 * ((rank + 1) % n) + turn, "from the right", turn);
        for (int k = 0; k < n && count == 3; k++)
            expect(all[k] == 100 * k + rank + turn, "exchanged alone", turn);
    }
}

/* The last process comes when the root says that it has made all its calls, and not before. */
static void run_ahead(MPI_Comm comm, int before)
{
    enum { AHEAD = 60 };
    MPI_Request requests[AHEAD];
    MPI_Status ends[AHEAD];
    int told[AHEAD];
    for (int k = 0; k < AHEAD; k++) {
        if (k == before && rank == n - 1)
            MPI_Recv(&token, 1, MPI_INT, 0, TAG, other, MPI_STATUS_IGNORE);
        told[k] = rank ? -1 : 7 * k;
        MPI_Ibcast(&told[k], 1, MPI_INT, 0, comm, &requests[k]);
        if (k < before)
            MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        MPI_Send(&token, 1, MPI_INT, n - 1, TAG, other);
    MPI_Waitall(AHEAD - before, requests + before, ends);
    for (int k = 0; k < AHEAD; k++)
        expect(told[k] == 7 * k, "told ahead", k);
}

/* At whatever call the ranks have come to agree on something. */
static void run_ahead_often(int rounds)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    for (int k = 0; k < rounds; k++)
        run_ahead(comm, 7 * k % 60);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&other);
}

static void end_meanwhile(int rounds)
{
    enum { SOME = 3 };
    MPI_Comm comm[SOME];
    for (int k = 0; k < SOME; k++)
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm[k]);
    for (int turn = 0; turn < rounds; turn++) {
        int sum = -1;
        MPI_Request request;
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm[turn % SOME], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(sum == n * (n - 1) / 2, "sum before the end", sum);
    }
    for (int k = 0; k < SOME; k++)
        MPI_Comm_free(&comm[k]);
}

/* Several kinds come to what is agreed on, a blocking call ends that, and the root runs ahead. */
static void meet_half_way(MPI_Comm comm, int calls)
{
    for (int k = 0; k < calls; k++) {
        int sum = -1, told = rank ? -1 : k;
        MPI_Request request;
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(sum == n * (n - 1) / 2, "sum before all meet", sum);
        MPI_Ibcast(&told, 1, MPI_INT, 0, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(told == k, "told before all meet", told);
    }
    MPI_Barrier(comm);
    run_ahead(comm, 0);
}

/* More sizes than are judged one by one: some of them are alone and in a class of sizes. */
static void tell_many_sizes(MPI_Comm comm, int rounds)
{
    enum { BASE = 513, SIZES = 40, FIRST = 16 };
    static unsigned char told[BASE + SIZES];
    for (int k = 0; k < rounds; k++) {
        const int size = BASE + k * (k % 3 ? 3 : 1) % (k < 4 * FIRST ? FIRST : SIZES);
        MPI_Request request;
        memset(told, rank ? 0 : k % 255 + 1, sizeof told);
        MPI_Ibcast(told, size, MPI_BYTE, 0, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(told[0] == k % 255 + 1 && told[size - 1] == told[0], "told of size", size);
    }
}

/* They end while all begin to agree. */
static void leave_early(void)
{
    for (int calls = 1; calls < 6; calls++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
        for (int k = 0; k < calls; k++) {
            int sum = -1;
            MPI_Request request;
            MPI_Iscan(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            expect(sum == rank * (rank + 1) / 2, "sum of some", sum);
        }
        MPI_Comm_free(&comm);
    }
}

#if MPI_VERSION >= 4
static void start_among_some(MPI_Comm graph, int other_one, int rounds)
{
    int own = 0, got;
    MPI_Request request;
    MPI_Neighbor_alltoall_init(&own, 1, MPI_INT, &got, 1, MPI_INT, graph, MPI_INFO_NULL, &request);
    for (int turn = 0; turn < rounds; turn++) {
        own = 100 * rank + turn;
        got = -1;
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(got == 100 * other_one + turn, "from the only neighbour, started", turn);
    }
    MPI_Request_free(&request);
}
#else
static void start_among_some(MPI_Comm graph, int other_one, int rounds)
{
    (void)graph, (void)other_one, (void)rounds;
}
#endif

/* As PETSc does: processes without neighbours, rank 0 among them, make no call. */
static void exchange_among_some(int rounds)
{
    MPI_Comm graph;
    MPI_Request request;
    const int other_one = rank == n - 1 ? n - 2 : n - 1, calls = n > 2 && rank >= n - 2;
    const int weight = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, calls, &other_one, &weight, calls, &other_one,
                                   &weight, MPI_INFO_NULL, 0, &graph);
    for (int turn = 0; turn < rounds && calls; turn++) {
        const int own = 100 * rank + turn;
        int got = -1;
        MPI_Neighbor_alltoall(&own, 1, MPI_INT, &got, 1, MPI_INT, graph);
        expect(got == 100 * other_one + turn, "from the only neighbour", turn);
        MPI_Ineighbor_alltoall(&own, 1, MPI_INT, &got, 1, MPI_INT, graph, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(got == 100 * other_one + turn, "from the only neighbour later", turn);
    }
    if (calls)
        start_among_some(graph, other_one, rounds);
    MPI_Comm_free(&graph);
}

static void call_alone(int rounds)
{
    MPI_Comm comm[3], ring;
    const int size = n, periodic = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int k = 0; k < 3; k++)
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm[k]);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    call_in_turns(comm[0], ring, rounds);
    run_ahead(comm[1], 0);
    run_ahead(comm[2], 3);
    run_ahead(comm[2], 50);
    for (int calls = 10; calls < 60; calls += 10)
        meet_half_way(comm[1], calls);
    tell_many_sizes(comm[0], 3 * rounds);
    leave_early();
    exchange_among_some(20);
    MPI_Barrier(comm[2]);
    for (int k = 0; k < 3; k++)
        MPI_Comm_free(&comm[k]);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&other);
}

/* ---- sizes that others do not know ---- */

enum { LONGEST = 64, PROCESSES = 16 };

static int size_of(int from, int to, int which)
{
    return 1 + (7 * from + 3 * to + 5 * which) % LONGEST;
}

static int word(int from, int to, int k, int turn)
{
    return 1000 * from + 100 * to + k + turn;
}

static void exchange_sizes(bool typed, int turn, int which)
{
    static int give[PROCESSES * LONGEST], got[PROCESSES * LONGEST];
    int given[PROCESSES], taken[PROCESSES], place[PROCESSES], bytes[PROCESSES];
    MPI_Datatype type[PROCESSES];
    MPI_Request request;
    memset(got, 0, sizeof got);
    for (int i = 0; i < n; i++) {
        given[i] = size_of(rank, i, which);
        taken[i] = size_of(i, rank, which);
        place[i] = i * LONGEST;
        bytes[i] = place[i] * (int)sizeof(int);
        type[i] = MPI_INT;
        for (int k = 0; k < given[i]; k++)
            give[place[i] + k] = word(rank, i, k, turn);
    }
    if (typed)
        MPI_Ialltoallw(give, given, bytes, type, got, taken, bytes, type, MPI_COMM_WORLD, &request);
    else
        MPI_Ialltoallv(give, given, place, MPI_INT, got, taken, place, MPI_INT, MPI_COMM_WORLD,
                       &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < LONGEST; k++)
            expect(got[place[i] + k] == (k < taken[i] ? word(i, rank, k, turn) : 0),
                   typed ? "words of types" : "words", turn);
}

static void wait_for(MPI_Request request)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The last process is the root, the only one that knows how much each gives and gets. */
static void gather_and_scatter(int turn, int which)
{
    static int all[PROCESSES * LONGEST], own[LONGEST];
    int counts[PROCESSES], place[PROCESSES];
    const int root = n - 1, mine = size_of(rank, 0, which);
    MPI_Request request;
    for (int i = 0; i < n; i++) {
        counts[i] = size_of(i, 0, which);
        place[i] = i * LONGEST;
    }
    memset(all, 0, sizeof all);
    for (int k = 0; k < mine; k++)
        own[k] = word(rank, 0, k, turn);
    MPI_Igatherv(own, mine, MPI_INT, all, counts, place, MPI_INT, root, MPI_COMM_WORLD, &request);
    wait_for(request);
    for (int k = 0; k < n * LONGEST && rank == root; k++) {
        const int i = k / LONGEST, at = k % LONGEST;
        expect(all[k] == (at < counts[i] ? word(i, 0, at, turn) : 0), "gathered words", turn);
    }
    memset(own, 0, sizeof own);
    MPI_Iscatterv(all, counts, place, MPI_INT, own, mine, MPI_INT, root, MPI_COMM_WORLD, &request);
    wait_for(request);
    for (int k = 0; k < LONGEST; k++)
        expect(own[k] == (k < mine ? word(rank, 0, k, turn) : 0), "scattered words", turn);
}

#if MPI_VERSION >= 4
/* Persistent ones, started in another order at each other process. */
static void start_with_sizes(int rounds)
{
    static int give[PROCESSES * LONGEST], got[2][PROCESSES * LONGEST];
    int given[PROCESSES], taken[PROCESSES], place[PROCESSES], bytes[PROCESSES];
    MPI_Datatype type[PROCESSES];
    MPI_Request request[2];
    for (int i = 0; i < n; i++) {
        given[i] = size_of(rank, i, 0);
        taken[i] = size_of(i, rank, 0);
        place[i] = i * LONGEST;
        bytes[i] = place[i] * (int)sizeof(int);
        type[i] = MPI_INT;
    }
    MPI_Alltoallv_init(give, given, place, MPI_INT, got[0], taken, place, MPI_INT, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request[0]);
    MPI_Alltoallw_init(give, given, bytes, type, got[1], taken, bytes, type, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request[1]);
    for (int turn = 0; turn < rounds; turn++) {
        for (int i = 0; i < n; i++)
            for (int k = 0; k < given[i]; k++)
                give[place[i] + k] = word(rank, i, k, turn);
        memset(got, 0, sizeof got);
        MPI_Start(&request[rank % 2]);
        MPI_Start(&request[1 - rank % 2]);
        MPI_Waitall(2, request, statuses);
        for (int q = 0; q < 2 * n * LONGEST; q++) {
            const int i = q / 2 / LONGEST, k = q / 2 % LONGEST;
            expect(got[q % 2][place[i] + k] == (k < taken[i] ? word(i, rank, k, turn) : 0),
                   "persistent words", turn);
        }
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

/* In a row of processes; on a communicator that a blocking call opens behind the persistent one. */
static void start_in_a_row(int rounds)
{
    enum { SIDES = 2 };
    int give[SIDES * LONGEST], got[SIDES * LONGEST], given[SIDES], taken[SIDES], beside[SIDES];
    const int place[SIDES] = {0, LONGEST}, size = n, periodic = 0;
    MPI_Comm comm, row;
    MPI_Request request;
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    wait_for(request);
    MPI_Cart_create(comm, 1, &size, &periodic, 0, &row);
    MPI_Cart_shift(row, 0, 1, &beside[0], &beside[1]);
    for (int i = 0; i < SIDES; i++) {
        given[i] = beside[i] < 0 ? 3 : size_of(rank, beside[i], 0);
        taken[i] = beside[i] < 0 ? 3 : size_of(beside[i], rank, 0);
    }
    MPI_Neighbor_alltoallv_init(give, given, place, MPI_INT, got, taken, place, MPI_INT, row,
                                MPI_INFO_NULL, &request);
    for (int turn = 0; turn < rounds; turn++) {
        for (int k = 0; k < SIDES * LONGEST; k++)
            give[k] = word(rank, beside[k / LONGEST], k % LONGEST, turn);
        memset(got, 0, sizeof got);
        if (turn % 16 == 0)
            MPI_Barrier(row);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int k = 0; k < SIDES * LONGEST; k++) {
            const int from = beside[k / LONGEST], at = k % LONGEST;
            const bool comes = from >= 0 && at < taken[k / LONGEST];
            expect(got[k] == (comes ? word(from, rank, at, turn) : 0), "words in a row", turn);
        }
    }
    MPI_Request_free(&request);
    MPI_Comm_free(&row);
    MPI_Comm_free(&comm);
}
#else
static void start_in_a_row(int rounds)
{
    (void)rounds;
}

static void start_with_sizes(int rounds)
{
    (void)rounds;
}
#endif

static void start_of_sizes(int rounds)
{
    start_in_a_row(rounds);
    start_with_sizes(rounds);
}

static void call_with_sizes(int rounds, int each)
{
    for (int turn = 0; turn < rounds && n <= PROCESSES; turn++) {
        exchange_sizes(false, turn, turn / each);
        exchange_sizes(true, turn, turn / each);
        gather_and_scatter(turn, turn / each);
    }
}

static void add_often(MPI_Comm comm, int rounds)
{
    for (int turn = 0; turn < rounds; turn++) {
        int sum = -1;
        const int one = rank + turn;
        MPI_Request request;
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(sum == n * (n - 1) / 2 + n * turn, "sum on what was made", turn);
    }
}

/* The last one at once, by a function that does not block. */
static void make_some(int rounds)
{
    MPI_Comm made[3];
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &made[0]);
    MPI_Comm_split(made[0], 0, rank, &made[1]);
    MPI_Comm_idup(made[0], &made[2], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    add_often(MPI_COMM_WORLD, rounds);
    for (int k = 0; k < 3; k++)
        add_often(made[k], rounds);
    for (int k = 0; k < 3; k++)
        MPI_Comm_free(&made[k]);
}

static void tell_often(int rounds)
{
    enum { SOME = 1000 };
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int turn = 0; turn < rounds; turn++) {
        MPI_Request request;
        long_buffer[SOME - 1] = rank ? -1 : turn;
        MPI_Ibcast(long_buffer, SOME, MPI_INT, 0, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect(long_buffer[SOME - 1] == turn, "told often", turn);
    }
    MPI_Comm_free(&comm);
}

/* ---- operations of the program's own ---- */

enum { MODULUS = 1009, MAPS = 50 };

/* x -> a x + b: the one of lower ranks goes first. It is told the type that the program gave. */
static void compose(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const int(*first)[2] = in;
    int(*then)[2] = inout;
    expect(*type == MPI_2INT, "type of an operation", 0);
    for (int k = 0; k < *length; k++) {
        then[k][1] = (then[k][0] * first[k][1] + then[k][1]) % MODULUS;
        then[k][0] = then[k][0] * first[k][0] % MODULUS;
    }
}

static void map_of(int process, int turn, int k, int map[2])
{
    map[0] = 1 + (7 * process + 3 * turn + k) % (MODULUS - 1);
    map[1] = (11 * process + turn + 5 * k) % MODULUS;
}

static void expect_maps(const int maps[][2], int processes, int turn, const char *what)
{
    MPI_Datatype type = MPI_2INT;
    for (int k = 0; k < MAPS; k++) {
        int all[2], one[2];
        map_of(0, turn, k, all);
        for (int p = 1; p < processes; p++) {
            map_of(p, turn, k, one);
            compose(all, one, &(int){1}, &type);
            memcpy(all, one, sizeof all);
        }
        expect(maps[k][0] == all[0] && maps[k][1] == all[1], what, turn);
    }
}

#if MPI_VERSION >= 4
static void start_own(int rounds)
{
    int maps[MAPS][2], of_all[MAPS][2];
    MPI_Request request;
    MPI_Op op;
    MPI_Op_create(compose, 0, &op);
    MPI_Allreduce_init(maps, of_all, MAPS, MPI_2INT, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Op_free(&op);
    for (int turn = 0; turn < rounds; turn++) {
        for (int k = 0; k < MAPS; k++)
            map_of(rank, turn, k, maps[k]);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect_maps(of_all, n, turn, "persistent allreduce by an own operation");
    }
    MPI_Request_free(&request);
}
#else
static void start_own(int rounds)
{
    (void)rounds;
}
#endif

static void combine_by_own(int rounds)
{
    int maps[MAPS][2], of_all[MAPS][2], at_root[MAPS][2], up_to[MAPS][2], before[MAPS][2];
    for (int turn = 0; turn < rounds; turn++) {
        const int root = turn % n;
        MPI_Request requests[4];
        MPI_Op op;
        for (int k = 0; k < MAPS; k++)
            map_of(rank, turn, k, maps[k]);
        MPI_Op_create(compose, 0, &op);
        MPI_Iallreduce(maps, of_all, MAPS, MPI_2INT, op, MPI_COMM_WORLD, &requests[0]);
        MPI_Ireduce(maps, at_root, MAPS, MPI_2INT, op, root, MPI_COMM_WORLD, &requests[1]);
        MPI_Iscan(maps, up_to, MAPS, MPI_2INT, op, MPI_COMM_WORLD, &requests[2]);
        MPI_Iexscan(maps, before, MAPS, MPI_2INT, op, MPI_COMM_WORLD, &requests[3]);
        MPI_Op_free(&op);
        expect(op == MPI_OP_NULL, "freed operation", turn);
        MPI_Waitall(4, requests, statuses);
        expect_maps(of_all, n, turn, "allreduce by an own operation");
        expect_maps(up_to, rank + 1, turn, "scan by an own operation");
        if (rank == root)
            expect_maps(at_root, n, turn, "reduce by an own operation");
        if (rank)
            expect_maps(before, rank, turn, "exscan by an own operation");
    }
    start_own(rounds);
}

/* ---- mixing ---- */

enum { COMMS = 3, BIG = 3000 };
enum {
    IBARRIER,
    IBCAST,
    ISCATTER,
    ISCATTERV,
    IGATHER,
    IGATHERV,
    IALLGATHER,
    IALLGATHERV,
    IALLTOALL,
    IALLTOALLV,
    IREDUCE,
    IALLREDUCE,
    IREDUCE_SCATTER,
    IREDUCE_SCATTER_BLOCK,
    ISCAN,
    IEXSCAN,
    INEIGHBOR_ALLGATHER,
    INEIGHBOR_ALLTOALL,
    KINDS
};

typedef struct {
    int kind, id, root, count, n, rank;
    int *send, *recv, counts[64], places[64];
    int given[64], given_places[64]; /* of an alltoallv: all as many */
} op;

static op pending[MOST];
static MPI_Request requests[MOST];
static MPI_Comm comms[COMMS];
static unsigned common, own;

static int draw(unsigned *chance, int below)
{
    *chance = *chance * 1664525u + 1013904223u;
    return (int)((*chance >> 8) % (unsigned)below);
}

/* Whether each process has one neighbour before it, and another one behind it. */
static bool is_ring(MPI_Comm comm, int processes)
{
    int kind;
    MPI_Topo_test(comm, &kind);
    return kind == MPI_CART && processes > 2;
}

static int kind_for(MPI_Comm comm, int processes, int kind)
{
    return kind >= INEIGHBOR_ALLGATHER && !is_ring(comm, processes) ? IALLGATHER : kind;
}

static MPI_Comm ring(void)
{
    MPI_Comm comm;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &(int){1}, 0, &comm);
    return comm;
}

static int value(int id, int from, int place)
{
    return (id * 7919 + from * 101 + place) % 1000003;
}

/* Of what the first processes give. */
static int sum_of(const op *o, int processes, int place)
{
    int sum = 0;
    for (int r = 0; r < processes; r++)
        sum += value(o->id, r, place);
    return sum;
}

static int sum_at(const op *o, int place)
{
    return sum_of(o, o->n, place);
}

static void fill(op *o)
{
    int next = 0; /* MPICH 4.0 overlooks the gap of one process */
    const int gap = o->kind == IALLGATHERV && o->n > 1;
    for (int r = 0; r < o->n; r++) {
        o->counts[r] = o->count + r;
        o->places[r] = next + gap;
        next = o->places[r] + o->counts[r];
        o->given[r] = o->count + o->rank;
        o->given_places[r] = r * o->given[r];
    }
    const int all_given = o->n * o->given[0];
    next = next > all_given ? next : all_given;
    const int most = (next > o->n * o->count ? next : o->n * o->count) + 1;
    o->send = malloc((size_t)most * sizeof *o->send);
    o->recv = malloc((size_t)most * sizeof *o->recv);
    for (int i = 0; i < most; i++) {
        o->send[i] = value(o->id, o->rank, i);
        o->recv[i] = o->kind == IBCAST && o->rank == o->root ? o->send[i] : -1;
    }
}

/* The program may free its types at once. */
static void begin(op *o, MPI_Comm comm, bool made, MPI_Request *request)
{
    MPI_Datatype t = MPI_INT;
    if (made) {
        MPI_Type_contiguous(1, MPI_INT, &t);
        MPI_Type_commit(&t);
    }
    int *s = o->send, *r = o->recv, c = o->count, root = o->root;
    switch (o->kind) {
    case IBARRIER:
        MPI_Ibarrier(comm, request);
        break;
    case IBCAST:
        MPI_Ibcast(r, c, t, root, comm, request);
        break;
    case ISCATTER:
        MPI_Iscatter(s, c, t, r, c, MPI_INT, root, comm, request);
        break;
    case ISCATTERV:
        MPI_Iscatterv(s, o->counts, o->places, t, r, o->counts[o->rank], MPI_INT, root, comm,
                      request);
        break;
    case IGATHER:
        MPI_Igather(s, c, MPI_INT, r, c, t, root, comm, request);
        break;
    case IGATHERV:
        MPI_Igatherv(s, o->counts[o->rank], MPI_INT, r, o->counts, o->places, t, root, comm,
                     request);
        break;
    case IALLGATHER:
        MPI_Iallgather(s, c, t, r, c, MPI_INT, comm, request);
        break;
    case IALLGATHERV:
        MPI_Iallgatherv(s, o->counts[o->rank], MPI_INT, r, o->counts, o->places, t, comm, request);
        break;
    case IALLTOALL:
        MPI_Ialltoall(s, c, MPI_INT, r, c, t, comm, request);
        break;
    case IALLTOALLV:
        MPI_Ialltoallv(s, o->given, o->given_places, MPI_INT, r, o->counts, o->places, t, comm,
                       request);
        break;
    case IREDUCE:
        MPI_Ireduce(s, r, c, MPI_INT, MPI_SUM, root, comm, request);
        break;
    case IALLREDUCE:
        MPI_Iallreduce(s, r, c, MPI_INT, MPI_SUM, comm, request);
        break;
    case IREDUCE_SCATTER:
        MPI_Ireduce_scatter(s, r, o->counts, MPI_INT, MPI_SUM, comm, request);
        break;
    case IREDUCE_SCATTER_BLOCK:
        MPI_Ireduce_scatter_block(s, r, c, MPI_INT, MPI_SUM, comm, request);
        break;
    case ISCAN:
        MPI_Iscan(s, r, c, MPI_INT, MPI_SUM, comm, request);
        break;
    case IEXSCAN:
        MPI_Iexscan(s, r, c, MPI_INT, MPI_SUM, comm, request);
        break;
    case INEIGHBOR_ALLGATHER:
        MPI_Ineighbor_allgather(s, c, t, r, c, MPI_INT, comm, request);
        break;
    default:
        MPI_Ineighbor_alltoall(s, c, MPI_INT, r, c, t, comm, request);
    }
    if (made)
        MPI_Type_free(&t);
}

/* What came from the processes before and behind. */
static bool is_from_neighbours(const op *o, int i)
{
    const int before = (o->rank + o->n - 1) % o->n, behind = (o->rank + 1) % o->n;
    const int second = o->kind == INEIGHBOR_ALLTOALL ? o->count : 0;
    return o->recv[i] == value(o->id, before, second + i) &&
           o->recv[o->count + i] == value(o->id, behind, i);
}

static bool is_right(const op *o)
{
    const bool root = o->rank == o->root;
    bool right = true;
    for (int i = 0; i < o->count; i++)
        for (int r = 0; r < o->n; r++) {
            const int at = r * o->count + i;
            switch (o->kind) {
            case IBCAST:
                right = right && o->recv[i] == value(o->id, o->root, i);
                break;
            case ISCATTER:
                right = right && o->recv[i] == value(o->id, o->root, o->rank * o->count + i);
                break;
            case ISCATTERV:
                right = right && o->recv[i] == value(o->id, o->root, o->places[o->rank] + i);
                break;
            case IGATHER:
                right = right && (!root || o->recv[at] == value(o->id, r, i));
                break;
            case IALLGATHER:
                right = right && o->recv[at] == value(o->id, r, i);
                break;
            case IGATHERV:
                right = right && (!root || o->recv[o->places[r] + i] == value(o->id, r, i));
                break;
            case IALLGATHERV:
                right = right && o->recv[o->places[r] + i] == value(o->id, r, i);
                break;
            case IALLTOALL:
                right = right && o->recv[at] == value(o->id, r, o->rank * o->count + i);
                break;
            case IALLTOALLV:
                right = right &&
                        o->recv[o->places[r] + i] == value(o->id, r, o->rank * (o->count + r) + i);
                break;
            case IREDUCE:
                right = right && (!root || o->recv[i] == sum_at(o, i));
                break;
            case IALLREDUCE:
                right = right && o->recv[i] == sum_at(o, i);
                break;
            case IREDUCE_SCATTER:
                right = right && o->recv[i] == sum_at(o, o->places[o->rank] + i);
                break;
            case IREDUCE_SCATTER_BLOCK:
                right = right && o->recv[i] == sum_at(o, o->rank * o->count + i);
                break;
            case ISCAN:
                right = right && o->recv[i] == sum_of(o, o->rank + 1, i);
                break;
            case INEIGHBOR_ALLGATHER:
            case INEIGHBOR_ALLTOALL:
                right = right && is_from_neighbours(o, i);
                break;
            case IEXSCAN:
                right = right && (!o->rank || o->recv[i] == sum_of(o, o->rank, i));
                break;
            default:
                break;
            }
        }
    return right;
}

static void finish(int k)
{
    op *o = &pending[k];
    expect(is_right(o), "wrong result of kind", o->kind);
    free(o->send);
    free(o->recv);
    *o = (op){0};
}

/* Null requests may be among them. */
static void finish_all(bool ask)
{
    bool begun[MOST];
    for (int k = 0; k < MOST; k++) {
        begun[k] = requests[k] != MPI_REQUEST_NULL;
        statuses[k].MPI_SOURCE = begun[k] ? MPI_ANY_SOURCE : 0;
    }
    MPI_Waitall(MOST, requests, ask ? statuses : MPI_STATUSES_IGNORE);
    for (int k = 0; k < MOST; k++) {
        expect(requests[k] == MPI_REQUEST_NULL, "a request is left of", k);
        if (begun[k])
            finish(k);
        else if (ask)
            expect(statuses[k].MPI_SOURCE == MPI_ANY_SOURCE, "no empty status of", k);
    }
}

/* One of them, or all, in another order at each process. */
static void complete_some(void)
{
    int k, all[MOST], some = 0;
    switch (draw(&own, 4)) {
    case 0:
        MPI_Waitany(MOST, requests, &k, MPI_STATUS_IGNORE);
        if (k != MPI_UNDEFINED)
            finish(k);
        break;
    case 1:
        MPI_Testsome(MOST, requests, &some, all, statuses);
        for (int i = 0; i < some && some != MPI_UNDEFINED; i++)
            finish(all[i]);
        break;
    case 2:
        k = draw(&own, MOST);
        if (requests[k] != MPI_REQUEST_NULL) {
            MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
            finish(k);
        }
        break;
    default: /* it computes */
        if (draw(&own, 4) == 0)
            finish_all(draw(&own, 2));
    }
}

static int free_place(void)
{
    int k = 0;
    while (k < MOST && requests[k] != MPI_REQUEST_NULL)
        k++;
    if (k == MOST) {
        MPI_Waitany(MOST, requests, &k, MPI_STATUS_IGNORE);
        finish(k);
    }
    return k;
}

static void call_blocking(MPI_Comm comm, int id)
{
    int sum = 0, size, own_value = id % 1000, near[2];
    MPI_Comm_size(comm, &size);
    if (id % 2 && is_ring(comm, size)) {
        MPI_Neighbor_allgather(&own_value, 1, MPI_INT, near, 1, MPI_INT, comm);
        expect(near[0] == own_value && near[1] == own_value, "wrong neighbours", id);
    }
    MPI_Allreduce(&own_value, &sum, 1, MPI_INT, MPI_SUM, comm);
    expect(sum == size * own_value, "wrong sum", sum);
}

/* MPI refuses each of them before it sends anything. (After an Iallreduce of -1 elements MPICH 4.0
 * hangs.) */
static void call_wrongly(MPI_Comm comm, int which, int id)
{
    int given[64] = {0}, got[64], size, status;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_size(comm, &size);
    switch (which) {
    case 0:
        status = MPI_Ibcast(got, 1, MPI_INT, size, comm, &request);
        break;
    case 1:
        status = MPI_Iallreduce(given, got, 1, MPI_DATATYPE_NULL, MPI_SUM, comm, &request);
        break;
    case 2:
        status = MPI_Ialltoall(given, 1, MPI_DATATYPE_NULL, got, 1, MPI_INT, comm, &request);
        break;
    case 3:
        status = MPI_Ireduce(given, got, 1, MPI_INT, MPI_OP_NULL, 0, comm, &request);
        break;
    case 4:
        status = MPI_Bcast(got, -1, MPI_INT, 0, comm);
        break;
    case 5:
        status = MPI_Gather(given, 1, MPI_INT, got, 1, MPI_INT, -1, comm);
        break;
    default:
        status = MPI_Allgather(given, 1, MPI_INT, got, 1, MPI_DATATYPE_NULL, comm);
    }
    expect(status != MPI_SUCCESS, "a wrong call is taken, step", id);
}

/* Open MPI's own calls do not survive that their communicator ends while they are under way, and
 * its persistent ones neither that nor the end of their types. */
#ifdef OPEN_MPI
static const bool outlives = false;
#else
static const bool outlives = true;
#endif

static void renew(MPI_Comm *comm, int how)
{
    MPI_Comm_free(comm);
    if (how == 1)
        MPI_Comm_dup(MPI_COMM_WORLD, comm);
    else if (how == 3)
        *comm = ring();
    else
        MPI_Comm_split(MPI_COMM_WORLD, rank % (1 + how / 2), -rank, comm);
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
}

static void mix(int steps, unsigned seed)
{
    common = seed;
    own = seed * 31u + (unsigned)rank;
    comms[0] = ring();
    for (int k = 1; k < COMMS; k++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[k]);
    for (int k = 0; k < COMMS; k++)
        MPI_Comm_set_errhandler(comms[k], MPI_ERRORS_RETURN);
    for (int k = 0; k < MOST; k++)
        requests[k] = MPI_REQUEST_NULL;
    for (int id = 1; id <= steps; id++) {
        const int which = draw(&common, COMMS), what = draw(&common, 100);
        const int kind = draw(&common, KINDS), size = draw(&common, 4), root = draw(&common, 64);
        const bool made = draw(&common, 8) == 0;
        if (what < 2) {
            if (!outlives)
                finish_all(true);
            renew(&comms[which], root % 4);
        } else if (what < 15)
            call_blocking(comms[which], id);
        else if (what < 18) {
            if (what == 15 || root % n == rank)
                call_wrongly(comms[which], draw(&own, wrong_kinds), id);
        } else {
            const int k = free_place();
            op *o = &pending[k];
            *o = (op){.kind = kind, .id = id};
            MPI_Comm_size(comms[which], &o->n);
            MPI_Comm_rank(comms[which], &o->rank);
            o->kind = kind_for(comms[which], o->n, kind);
            o->root = root % o->n;
            o->count = size == 0 ? 1 : size == 1 ? 17 : size == 2 ? 200 : BIG;
            fill(o);
            begin(o, comms[which], made, &requests[k]);
        }
        complete_some();
    }
    finish_all(false);
    for (int k = 0; k < COMMS; k++)
        MPI_Comm_free(&comms[k]);
}

/* ---- the same calls ---- */

/* Some at once, all kinds one after the other, and blocking calls for which all wait. */
static void call_often(int rounds)
{
    enum { TOGETHER = 3 };
    MPI_Comm comm = ring();
    for (int k = 0; k < MOST; k++)
        requests[k] = MPI_REQUEST_NULL;
    for (int round = 1; round <= rounds; round++) {
        for (int kind = IBARRIER; kind < KINDS; kind++) {
            const int k = kind % TOGETHER;
            op *o = &pending[k];
            if (requests[k] != MPI_REQUEST_NULL) {
                MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
                finish(k);
            }
            *o = (op){.kind = kind_for(comm, n, kind), .id = round, .n = n, .count = 17};
            MPI_Comm_rank(comm, &o->rank);
            fill(o);
            begin(o, comm, false, &requests[k]);
        }
        finish_all(round % 2);
        call_blocking(comm, 2 * round);
    }
    MPI_Comm_free(&comm);
}

/* ---- starting again and again ---- */

#if MPI_VERSION >= 4 || (defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5) /* which calls itself 3.1 \
                                                                        */

static void make(op *o, MPI_Comm comm, bool made, MPI_Request *request)
{
    MPI_Datatype t = MPI_INT;
    const MPI_Info no = MPI_INFO_NULL;
    if (made) {
        MPI_Type_contiguous(1, MPI_INT, &t);
        MPI_Type_commit(&t);
    }
    int *s = o->send, *r = o->recv, c = o->count, root = o->root;
    switch (o->kind) {
    case IBARRIER:
        MPI_Barrier_init(comm, no, request);
        break;
    case IBCAST:
        MPI_Bcast_init(r, c, t, root, comm, no, request);
        break;
    case ISCATTER:
        MPI_Scatter_init(s, c, t, r, c, MPI_INT, root, comm, no, request);
        break;
    case ISCATTERV:
        MPI_Scatterv_init(s, o->counts, o->places, t, r, o->counts[o->rank], MPI_INT, root, comm,
                          no, request);
        break;
    case IGATHER:
        MPI_Gather_init(s, c, MPI_INT, r, c, t, root, comm, no, request);
        break;
    case IGATHERV:
        MPI_Gatherv_init(s, o->counts[o->rank], MPI_INT, r, o->counts, o->places, t, root, comm, no,
                         request);
        break;
    case IALLGATHER:
        MPI_Allgather_init(s, c, t, r, c, MPI_INT, comm, no, request);
        break;
    case IALLGATHERV:
        MPI_Allgatherv_init(s, o->counts[o->rank], MPI_INT, r, o->counts, o->places, t, comm, no,
                            request);
        break;
    case IALLTOALL:
        MPI_Alltoall_init(s, c, MPI_INT, r, c, t, comm, no, request);
        break;
    case IALLTOALLV:
        MPI_Alltoallv_init(s, o->given, o->given_places, MPI_INT, r, o->counts, o->places, t, comm,
                           no, request);
        break;
    case IREDUCE:
        MPI_Reduce_init(s, r, c, MPI_INT, MPI_SUM, root, comm, no, request);
        break;
    case IALLREDUCE:
        MPI_Allreduce_init(s, r, c, MPI_INT, MPI_SUM, comm, no, request);
        break;
    case IREDUCE_SCATTER:
        MPI_Reduce_scatter_init(s, r, o->counts, MPI_INT, MPI_SUM, comm, no, request);
        break;
    case IREDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block_init(s, r, c, MPI_INT, MPI_SUM, comm, no, request);
        break;
    case ISCAN:
        MPI_Scan_init(s, r, c, MPI_INT, MPI_SUM, comm, no, request);
        break;
    default:
        MPI_Exscan_init(s, r, c, MPI_INT, MPI_SUM, comm, no, request);
    }
    if (made)
        MPI_Type_free(&t);
}

/* Other data than in the start before. */
static void refill(op *o, int id)
{
    const int most = o->n * o->count + o->n * o->n + 1;
    o->id = id;
    for (int i = 0; i < most; i++) {
        o->send[i] = value(id, o->rank, i);
        o->recv[i] = o->kind == IBCAST && o->rank == o->root ? o->send[i] : -1;
    }
}

static void make_of(int k, int kind, bool made, int id)
{
    op *o = &pending[k];
    const int which = draw(&common, COMMS), size = draw(&common, 4);
    const int root = draw(&common, 64);
    *o = (op){.kind = kind, .id = id};
    MPI_Comm_size(comms[which], &o->n);
    MPI_Comm_rank(comms[which], &o->rank);
    o->root = root % o->n;
    o->count = size == 0 ? 1 : size == 1 ? 17 : size == 2 ? 200 : BIG;
    fill(o);
    free(o->send);
    free(o->recv);
    const size_t all = (size_t)o->n, most = all * (size_t)o->count + all * all + 1;
    o->send = malloc(most * sizeof *o->send);
    o->recv = malloc(most * sizeof *o->recv);
    make(o, comms[which], made && root % 3 == 0, &requests[k]);
}

/* MPICH 4.0's own on a grid fail where it has ended: those of neighbours are in neighbours.c. */
static void make_at(int k, int id)
{
    make_of(k, draw(&common, INEIGHBOR_ALLGATHER), outlives, id);
}

static void let_go(int k)
{
    MPI_Request_free(&requests[k]);
    free(pending[k].send);
    free(pending[k].recv);
}

static void end_some(bool wait)
{
    int ended = 0, indices[MOST];
    for (int left = MOST; left > 0; left -= ended)
        (wait ? MPI_Waitsome : MPI_Testsome)(MOST, requests, &ended, indices, statuses);
}

static void end_any(bool wait)
{
    for (int left = MOST, which, flag = 1; left > 0; left -= flag)
        if (wait)
            MPI_Waitany(MOST, requests, &which, MPI_STATUS_IGNORE);
        else
            MPI_Testany(MOST, requests, &which, &flag, MPI_STATUS_IGNORE);
}

static void test_one(MPI_Request *request)
{
    for (int flag = 0; !flag;)
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
}

static void look_at_one(MPI_Request *request)
{
    for (int flag = 0; !flag;)
        MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(request, &statuses[0]);
}

/* By each function that asks for the end of requests; the first may have ended before. */
static void end_all(int how, int first)
{
    int flag = 0;
    if (how % 2)
        MPI_Wait(&requests[first], &statuses[first]);
    switch (how) {
    case 0:
    case 1:
        MPI_Waitall(MOST, requests, statuses);
        return;
    case 2:
        end_some(true);
        return;
    case 4:
        end_some(false);
        return;
    case 6:
        end_any(true);
        return;
    case 8:
        end_any(false);
        return;
    case 3:
        while (!flag)
            MPI_Testall(MOST, requests, &flag, statuses);
        return;
    default:
        for (int k = 0; k < MOST; k++) {
            MPI_Request *one = &requests[(first + k) % MOST];
            if (how == 5)
                test_one(one);
            else if (how == 7)
                look_at_one(one);
            else
                MPI_Wait(one, MPI_STATUS_IGNORE);
        }
    }
}

/* All are started, one by one or together, waited for in another order at each process, and some
 * are made anew; communicators end before what was made there. */
static void start_often(int rounds, unsigned seed, bool all)
{
    common = seed;
    own = seed * 31u + (unsigned)rank;
    for (int k = 0; k < COMMS; k++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[k]);
    for (int k = 0; k < MOST; k++)
        make_at(k, 1);
    for (int round = 1; round <= rounds; round++) {
        const int again = draw(&common, MOST), how = draw(&common, 12);
        if (how < 2) {
            let_go(again);
            make_at(again, round);
        } else if (how == 2 && outlives) {
            renew(&comms[again % COMMS], again % 3);
        }
        for (int k = 0; k < MOST; k++)
            refill(&pending[k], round * MOST + k);
        for (int k = 0; k < MOST && how % 2; k++)
            MPI_Start(&requests[k]);
        if (how % 2 == 0)
            MPI_Startall(MOST, requests);
        const int first = draw(&own, MOST);
        end_all(all ? draw(&own, 12) : 12, first);
        for (int k = 0; k < MOST; k++)
            expect(is_right(&pending[k]), "wrong result of persistent kind", pending[k].kind);
    }
    for (int k = 0; k < MOST; k++)
        let_go(k);
    for (int k = 0; k < COMMS; k++)
        MPI_Comm_free(&comms[k]);
}

static void shuffle(int order[MOST])
{
    for (int k = 0; k < MOST; k++) {
        const int with = draw(&own, k + 1);
        order[k] = order[with];
        order[with] = k;
    }
}

/* A blocking call comes behind so many starts, another number of them at each process. */
static void start_in_any_order(unsigned chosen, int before)
{
    int order[MOST];
    shuffle(order);
    for (int k = 0; k <= MOST; k++) {
        if (k == before)
            MPI_Barrier(comms[0]);
        if (k < MOST && chosen >> order[k] & 1)
            MPI_Start(&requests[order[k]]);
    }
}

/* MPICH 4.0's own gather, scatter and allgather are wrong from the second start on. */
static int kind_of_many(int k)
{
    const int kind = k * 7 % INEIGHBOR_ALLGATHER;
    const bool wrong_alone = kind == IGATHER || kind == ISCATTER || kind == IALLGATHER;
    return wrong_alone ? IALLREDUCE : kind;
}

/* Others must not need this process until the message has come. */
static void be_late(int how)
{
    struct timespec some = {.tv_nsec = 200000};
    if (how == 1 && rank == draw(&common, n))
        nanosleep(&some, NULL);
    if (how == 2 && rank == 0)
        MPI_Ssend(&how, 1, MPI_INT, n - 1, TAG, comms[0]);
    if (how == 2 && rank == n - 1)
        MPI_Recv(&how, 1, MPI_INT, 0, TAG, comms[0], MPI_STATUS_IGNORE);
}

static void start_some(int round, bool alone)
{
    const unsigned chosen = (unsigned)draw(&common, 1 << MOST);
    const int how = draw(&common, 4);
    for (int k = 0; k < MOST; k++)
        refill(&pending[k], round * MOST + k);
    start_in_any_order(chosen, how || alone ? -1 : draw(&own, MOST + 1));
    if (alone && n > 1)
        be_late(how);
    for (int k = 0; k < MOST; k++)
        if (chosen >> k & 1) {
            MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
            expect(is_right(&pending[k]), "wrong result of started kind", pending[k].kind);
        }
    if (!alone)
        call_blocking(comms[0], round);
}

static void start_many_of(int rounds, unsigned seed, bool alone)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    comms[1] = comms[2] = comms[0];
    for (int k = 0; k < MOST; k++)
        make_of(k, kind_of_many(k + (int)seed), false, 1);
    for (int round = 1; round <= rounds; round++)
        start_some(round, alone);
    for (int k = 0; k < MOST; k++)
        let_go(k);
    MPI_Comm_free(&comms[0]);
}

static void start_many(int rounds, unsigned seed, bool alone)
{
    common = seed;
    own = seed * 31u + (unsigned)rank;
    start_many_of(rounds, seed, alone);
    for (int some = 8; alone && some < rounds; some += some)
        start_many_of(some, seed, alone);
}

static void start_bcasts(int rounds, bool alone)
{
    enum { INTS = 100000 };
    int *buffer = malloc(INTS * sizeof *buffer), sum;
    MPI_Request request;
    MPI_Bcast_init(buffer, INTS, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 1; round <= rounds; round++) {
        for (int i = 0; i < INTS; i++)
            buffer[i] = rank ? -1 : round + i;
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        int right = 1;
        for (int i = 0; i < INTS; i++)
            right = right && buffer[i] == round + i;
        expect(right, "wrong broadcast", round);
        if (!alone)
            MPI_Allreduce(&right, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Request_free(&request);
    free(buffer);
}
#else
static void start_bcasts(int rounds, bool alone)
{
    (void)rounds, (void)alone;
    if (rank == 0)
        puts("MPI has none");
}

static void start_often(int rounds, unsigned seed, bool all)
{
    (void)rounds, (void)seed, (void)all;
    if (rank == 0)
        puts("MPI has none");
}

static void start_many(int rounds, unsigned seed, bool alone)
{
    start_often(rounds, seed, alone);
}
#endif

int main(int argc, char **argv)
{
    int all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    const int calls = argc > 3 ? (int)strtol(argv[2], NULL, 10) : 0;
    const unsigned seed = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    if (argc > 4)
        wrong_kinds = 4;
    if (argc > 3 && strcmp(argv[1], "persistent") == 0)
        start_often(calls, seed, argc > 4);
    else if (argc > 3 && strcmp(argv[1], "starts") == 0)
        start_many(calls, seed, argc > 4);
    else if (argc > 3 && strcmp(argv[1], "bcasts") == 0)
        start_bcasts(calls, argc > 4);
    else if (argc > 4 && strcmp(argv[1], "sizes") == 0)
        start_of_sizes(calls);
    else if (argc > 3 && strcmp(argv[1], "sizes") == 0)
        call_with_sizes(calls, (int)seed);
    else if (argc > 3)
        mix(calls, seed);
    else if (argc > 2 && strcmp(argv[1], "often") == 0)
        call_often((int)strtol(argv[2], NULL, 10));
    else if (argc > 2 && strcmp(argv[1], "alone") == 0)
        call_alone((int)strtol(argv[2], NULL, 10));
    else if (argc > 2 && strcmp(argv[1], "ahead") == 0)
        run_ahead_often((int)strtol(argv[2], NULL, 10));
    else if (argc > 2 && strcmp(argv[1], "ended") == 0)
        end_meanwhile((int)strtol(argv[2], NULL, 10));
    else if (argc > 2 && strcmp(argv[1], "made") == 0)
        make_some((int)strtol(argv[2], NULL, 10));
    else if (argc > 2 && strcmp(argv[1], "ibcasts") == 0)
        tell_often((int)strtol(argv[2], NULL, 10));
    else if (argc > 2 && strcmp(argv[1], "own") == 0)
        combine_by_own((int)strtol(argv[2], NULL, 10));
    else if (argc > 1 && strcmp(argv[1], "first") == 0)
        call_first();
    else
        enter_all();
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d wrong\n", all);
    MPI_Finalize();
    return all != 0;
}
