/* Where the watch listens, and whom it answers, calls and calls lost. */
#include "tests/mpi_test.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpib/liveness.h"
#include "mpib/watch.h"

static void set_lost(void *lost, const char *who)
{
    (void)who;
    *(bool *)lost = true;
}

/* Whether a file of this process is a socket for datagrams over IPv4 that is bound to a port. */
static bool is_bound(int file, struct sockaddr_in *at)
{
    int type = 0;
    socklen_t size = sizeof *at, of_type = sizeof type;
    return getsockname(file, (struct sockaddr *)at, &size) == 0 && at->sin_family == AF_INET &&
           at->sin_port && getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &of_type) == 0 &&
           type == SOCK_DGRAM;
}

enum { MOST_FILES = 1024 };

/* MPI's transports have sockets, too. */
static void note_bound(bool bound[MOST_FILES])
{
    struct sockaddr_in at;
    for (int file = 0; file < MOST_FILES; file++)
        bound[file] = is_bound(file, &at);
}

/* Where the socket is bound that was not there before; no port: there is none. */
static struct sockaddr_in find_new(const bool before[MOST_FILES])
{
    struct sockaddr_in at = {0};
    for (int file = 0; file < MOST_FILES; file++)
        if (!before[file] && is_bound(file, &at))
            return at;
    return (struct sockaddr_in){0};
}

/* A watch over all, and where it listens. */
static mpib_watch *start(bool *lost, struct sockaddr_in *at)
{
    mpib_watch *w = NULL;
    cpm_error e = {0};
    bool before[MOST_FILES];
    note_bound(before);
    int status = mpib_watch_start(MPI_COMM_WORLD, 60, set_lost, lost, &w, &e);
    *at = find_new(before);
    assert_everywhere(status == CPM_OK && at->sin_port);
    return w;
}

static void processes_of_one_host_listen_to_nobody_else(void **state)
{
    (void)state;
    bool lost = false;
    struct sockaddr_in at;
    mpib_watch *w = start(&lost, &at);
    assert_everywhere(at.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
    MPI_Barrier(MPI_COMM_WORLD);
    mpib_watch_stop(w);
    assert_everywhere(!lost);
}

/* ---- the liveness probe, by simulated time */

enum { RANKS = 5, PATIENCE = 10, CALLS = 4 };

static mpib_liveness probe_of(int rank)
{
    mpib_liveness r;
    assert_true(mpib_liveness_init(&r, RANKS, rank, PATIENCE, 0));
    r.key = 0x1234567890abcdef;
    return r;
}

static void answer(mpib_liveness *r, int from)
{
    mpib_datagram none, d = {.key = r->key, .rank = from, .answer = 1};
    assert_false(mpib_liveness_take(r, &d, sizeof d, &none));
}

/* Whoever is called answers, but silent; from now on until there is more than waiting to be done,
 * at most until the end. The time is left in *now. */
static mpib_liveness_state play(mpib_liveness *r, double *now, double end, int silent, int *calls)
{
    mpib_liveness_state state = MPIB_ALL_IS_WELL;
    for (; *now < end && state != MPIB_SOME_ARE_LOST; *now += 0.125) {
        state = mpib_liveness_look(r, *now, 0);
        for (int other = r->first; state == MPIB_PROBE_THEM && other < r->last; other++)
            if (other != silent)
                answer(r, other);
        *calls += state == MPIB_PROBE_THEM;
    }
    return state;
}

static void nobody_is_called_while_something_moves_on(void **state)
{
    (void)state;
    mpib_liveness r = probe_of(0);
    for (unsigned k = 0; k < 100; k++)
        assert_int_equal(mpib_liveness_look(&r, k * (PATIENCE - 1), k), MPIB_ALL_IS_WELL);
    mpib_liveness_clear(&r);
}

static void who_answers_is_never_lost(void **state)
{
    (void)state;
    mpib_liveness r = probe_of(0);
    double now = 0;
    int calls = 0;
    assert_int_not_equal(play(&r, &now, 1000 * PATIENCE, -1, &calls), MPIB_SOME_ARE_LOST);
    assert_true(calls >= 1000 / 2);
    mpib_liveness_clear(&r);
}

static void who_once_answered_and_is_silent_is_lost_after_some_calls(void **state)
{
    (void)state;
    mpib_liveness r = probe_of(0);
    double now = 0;
    int calls = 0;
    answer(&r, 3); /* to the first call of all */
    assert_int_equal(mpib_liveness_look(&r, 0, 1), MPIB_ALL_IS_WELL);
    assert_int_equal(play(&r, &now, 1000 * PATIENCE, 3, &calls), MPIB_SOME_ARE_LOST);
    assert_int_equal(calls, CALLS);
    assert_true(now > PATIENCE && now < PATIENCE + (CALLS + 2) * r.interval);
    for (int other = 1; other < RANKS; other++)
        assert_int_equal(mpib_liveness_misses(&r, other), other == 3);
    mpib_liveness_clear(&r);
}

static void whom_calls_never_reached_is_not_watched(void **state)
{
    (void)state;
    mpib_liveness r = probe_of(0);
    double now = 0;
    int calls = 0;
    assert_int_not_equal(play(&r, &now, 100 * PATIENCE, 3, &calls), MPIB_SOME_ARE_LOST);
    assert_true(calls > CALLS);
    mpib_liveness_clear(&r);
}

static void others_call_rank_0_one_after_the_other(void **state)
{
    (void)state;
    for (int rank = 1; rank < RANKS; rank++) {
        mpib_liveness r = probe_of(rank);
        const double when = PATIENCE * (1 + rank);
        assert_int_equal(mpib_liveness_look(&r, when - 0.5, 0), MPIB_ALL_IS_WELL);
        assert_int_equal(mpib_liveness_look(&r, when + 1, 0), MPIB_PROBE_THEM);
        assert_int_equal(r.first, 0);
        assert_int_equal(r.last, 1);
        mpib_liveness_clear(&r);
    }
}

static void a_call_is_answered_by_the_rank_that_is_called(void **state)
{
    (void)state;
    mpib_liveness r = probe_of(2);
    for (int rank = -1; rank <= RANKS; rank++) {
        mpib_datagram back, d = {.key = r.key, .rank = rank};
        assert_int_equal(mpib_liveness_take(&r, &d, sizeof d, &back), rank == 2);
    }
    mpib_datagram back, d = {.key = r.key, .rank = 2};
    assert_true(mpib_liveness_take(&r, &d, sizeof d, &back));
    assert_true(back.key == r.key && back.rank == 2 && back.answer);
    mpib_liveness_clear(&r);
}

/* Whatever has another key, or another length, or a rank that is none. */
static void a_stranger_gets_no_answer_and_answers_nothing(void **state)
{
    (void)state;
    mpib_liveness r = probe_of(2);
    unsigned char bytes[64] = {0};
    for (int is_answer = 0; is_answer < 2; is_answer++)
        for (size_t size = 0; size <= sizeof bytes; size++) {
            mpib_datagram back, d = {.key = r.key, .rank = 2, .answer = is_answer};
            d.key ^= size == sizeof d;
            memcpy(bytes, &d, sizeof d);
            assert_false(mpib_liveness_take(&r, bytes, size, &back));
        }
    mpib_datagram back, d = {.key = r.key, .rank = RANKS, .answer = 1};
    assert_false(mpib_liveness_take(&r, &d, sizeof d, &back));
    for (int other = 0; other < RANKS; other++)
        assert_true(mpib_liveness_lacks(&r, other) && !mpib_liveness_misses(&r, other));
    mpib_liveness_clear(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_of_one_host_listen_to_nobody_else),
        cmocka_unit_test(nobody_is_called_while_something_moves_on),
        cmocka_unit_test(who_answers_is_never_lost),
        cmocka_unit_test(who_once_answered_and_is_silent_is_lost_after_some_calls),
        cmocka_unit_test(whom_calls_never_reached_is_not_watched),
        cmocka_unit_test(others_call_rank_0_one_after_the_other),
        cmocka_unit_test(a_call_is_answered_by_the_rank_that_is_called),
        cmocka_unit_test(a_stranger_gets_no_answer_and_answers_nothing),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
