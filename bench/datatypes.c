/* What a library takes for each piece of a message of many pieces, over one that is contiguous: to
 * make the datatype, to pack and unpack by it, and to free it. Libraries send so in alltoall by
 * Bruck, half of the blocks in a round. The process sends to itself; the least of many times.
 *
 * usage: mpiexec -n 1 bench_datatypes [PIECES]
 * PIECES: 32, at most 512 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_PIECES = 512, MOST_BYTES = 128, TIMES = 5000 };

typedef struct {
    char from[2 * MOST_PIECES * MOST_BYTES], to[2 * MOST_PIECES * MOST_BYTES];
} buffers;

static void to_itself(buffers *b, int count, MPI_Datatype type)
{
    MPI_Sendrecv(b->from, count, type, 0, 0, b->to, count, type, 0, 0, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
}

static double time_contiguous(buffers *b, int pieces, int bytes)
{
    const double start = MPI_Wtime();
    to_itself(b, pieces * bytes, MPI_CHAR);
    return MPI_Wtime() - start;
}

/* Every second block of so many bytes. */
static double time_pieces(buffers *b, int pieces, int bytes)
{
    int lengths[MOST_PIECES], places[MOST_PIECES];
    MPI_Datatype type;
    for (int k = 0; k < pieces; k++) {
        lengths[k] = bytes;
        places[k] = 2 * k * bytes;
    }
    const double start = MPI_Wtime();
    MPI_Type_indexed(pieces, lengths, places, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    to_itself(b, 1, type);
    MPI_Type_free(&type);
    return MPI_Wtime() - start;
}

static double least(double (*time)(buffers *, int, int), buffers *b, int pieces, int bytes)
{
    double all = time(b, pieces, bytes);
    for (int k = 0; k < TIMES; k++) {
        const double one = time(b, pieces, bytes);
        all = one < all ? one : all;
    }
    return all;
}

int main(int argc, char **argv)
{
    const long pieces = argc > 1 ? strtol(argv[1], NULL, 10) : 32;
    buffers *b = calloc(1, sizeof *b);
    if (!b || pieces < 1 || pieces > MOST_PIECES) {
        fprintf(stderr, "usage: bench_datatypes [PIECES]: 1 to %d\n", MOST_PIECES);
        free(b);
        return 2;
    }
    MPI_Init(&argc, &argv);
    printf("# %ld pieces\n%5s %14s %10s %9s\n", pieces, "bytes", "contiguous_us", "pieces_us",
           "piece_ns");
    for (int bytes = 1; bytes <= MOST_BYTES; bytes *= 2) {
        const double together = least(time_contiguous, b, (int)pieces, bytes);
        const double apart = least(time_pieces, b, (int)pieces, bytes);
        printf("%5d %14.2f %10.2f %9.1f\n", bytes, together * 1e6, apart * 1e6,
               (apart - together) / (double)pieces * 1e9);
    }
    MPI_Finalize();
    free(b);
    return 0;
}
