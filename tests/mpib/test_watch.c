/* Where the watch listens, and to whom. */
#include "mpi_test.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* As long as an answer could take. */
static bool is_answered(int socket)
{
    struct pollfd p = {.fd = socket, .events = POLLIN};
    return poll(&p, 1, 200) > 0;
}

/* Whatever has another key, or another length. */
static void a_stranger_gets_no_answer(void **state)
{
    (void)state;
    bool lost = false;
    const unsigned char call[64] = {0};
    struct sockaddr_in at;
    mpib_watch *w = start(&lost, &at);
    int stranger = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (size_t bytes = 0; bytes <= sizeof call; bytes += 8)
        sendto(stranger, call, bytes, 0, (struct sockaddr *)&at, sizeof at);
    bool answered = is_answered(stranger);
    close(stranger);
    MPI_Barrier(MPI_COMM_WORLD);
    mpib_watch_stop(w);
    assert_everywhere(!answered && !lost);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_of_one_host_listen_to_nobody_else),
        cmocka_unit_test(a_stranger_gets_no_answer),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
