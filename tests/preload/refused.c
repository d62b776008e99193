/* A program with a loop in which MPI refuses a call at rank 0 alone; the others make none.
 *
 *   refused ROUNDS EVERY RANKS    in every so manieth round, of so many ranks
 *
 * It ends by its own alarm if it hangs. */
#include <signal.h>
#include <unistd.h>

#include "program.h"

enum { SECONDS = 60 };

static int rank, n, differences;

static void give_up(int signal_number)
{
    static const char text[] = "it hangs\n";
    (void)signal_number;
    _exit(write(STDERR_FILENO, text, sizeof text - 1) < 0 ? 4 : 3);
}

static void expect(bool right, int round, const char *what)
{
    if (!right && differences++ < 10)
        fprintf(stderr, "rank %d, round %d: %s\n", rank, round, what);
}

static void be_refused(int round)
{
    int value = 0, got[MOST_RANKS];
    expect(MPI_Gather(&value, -1, MPI_INT, got, -1, MPI_INT, 0, MPI_COMM_WORLD) != MPI_SUCCESS,
           round, "a gather of -1 elements is taken");
#ifdef MPICH_VERSION /* others do not look, and wait for the other ranks */
    expect(MPI_Gather(got, 1, MPI_INT, got, 1, MPI_INT, 0, MPI_COMM_WORLD) != MPI_SUCCESS, round,
           "a gather into what it sends is taken");
#endif
}

static void make_right_calls(int round)
{
    int sum = 0, told = rank == round % n ? round : -1, all[MOST_RANKS];
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == n * (n - 1) / 2, round, "another sum");
    MPI_Bcast(&told, 1, MPI_INT, round % n, MPI_COMM_WORLD);
    expect(told == round, round, "another bcast");
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int k = 0; rank == 0 && k < n; k++)
        expect(all[k] == k, round, "another gather");
}

int main(int argc, char **argv)
{
    int rounds = argc > 3 ? atoi(argv[1]) : 0, every = argc > 3 ? atoi(argv[2]) : 1;
    int ranks = argc > 3 ? atoi(argv[3]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    signal(SIGALRM, give_up);
    alarm(SECONDS);
    expect(n == ranks && n <= MOST_RANKS, 0, "another number of ranks");
    for (int round = 0; round < rounds && n == ranks && n <= MOST_RANKS; round++) {
        if (rank == 0 && round % every == every - 1)
            be_refused(round);
        make_right_calls(round);
    }
    return finish(differences);
}
