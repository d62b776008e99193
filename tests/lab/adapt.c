/* Programs of the laboratory for collectives that adapt while a program runs.
 *
 * usage: adapt loop OPERATION BYTES CALLS [US]
 *        adapt random CALLS SEED
 *        adapt dup OPERATION BYTES CALLS
 *        adapt cg|matmul|collect|watch|fftw|lammps|ntube|nbody STEPS BYTES [US]
 *
 * - loop: calls of one operation, US microseconds of computation before each (five times a call's:
 *   STAR's micro-benchmark); of nonblocking ones (iallgather, ialltoall, ibcast) between beginning
 *   and waiting, with an allreduce of a number in each eighth step
 * - random: operations, sizes and roots drawn, on communicators that change
 * - dup: each call on a communicator that was made for it
 * - cg: conjugate gradients, an allgatherv and two allreduces of a number
 * - matmul: products of matrices as in examples/matmul: scatterv, bcast, gatherv
 * - collect: all know whether to go on, then the root gets everything: an allreduce of a number,
 *   gatherv
 * - watch: the same, but the root gets everything in the first six steps and each 400th only
 * - fftw, lammps, ntube, nbody: the applications of STAR-MPI (Faraj, Yuan, Lowenthal, ICS 2006,
 *   table 2) reduced to their collectives: alltoall there and back; allreduces long and short,
 *   sometimes a bcast; allgatherv and a short allreduce; allgather
 *
 * Bytes are of a block. Computation of applications differs by up to a tenth of it between
 * processes and steps. Prints the mean seconds of a process in collectives, by operation and in
 * all, a checksum of what they gave, which does not depend on the algorithms, and the seconds of
 * the whole program. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

#ifdef CPM_SMPI /* nothing is preloaded there that could take MPI_Init */
#include "cpm/cpm_mpi.h"
#include "tuned/adapt/learn.h"
#endif

typedef struct {
    int argc;
    char **argv;
    const char *operation;
    size_t bytes;
    int calls, n, rank;
    double computation; /* microseconds */
    unsigned seed;      /* the same on all ranks */
} program;

static int drawn(program *p, int below)
{
    return (int)((double)below * rand_r(&p->seed) / ((double)RAND_MAX + 1));
}

static void compute(double microseconds)
{
    if (microseconds > 0)
        usleep((useconds_t)microseconds);
}

/* ---- one operation ---- */

static void run_loop(program *p)
{
    int kind = call_kind(p->operation);
    for (int i = 0; i < p->calls; i++) {
        compute(p->computation);
        call(kind, p->bytes, 0, MPI_COMM_WORLD);
    }
}

/* All meet in each eighth step, as where a solver asks whether it has converged. */
static void run_hidden(program *p)
{
    int kind = call_kind(p->operation);
    call_between = p->computation;
    for (int i = 0; i < p->calls; i++) {
        call(kind, p->bytes, 0, MPI_COMM_WORLD);
        if (i % 8 == 0)
            call_named("allreduce", 8, 0, MPI_COMM_WORLD);
    }
}

static void run_dup(program *p)
{
    int kind = call_kind(p->operation);
    for (int i = 0; i < p->calls; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        call(kind, p->bytes, 0, comm);
        MPI_Comm_free(&comm);
    }
}

/* ---- any operations on any communicators ---- */

enum { COMMUNICATORS = 3, LIFE = 150 }; /* calls between changes */

static const size_t sizes[] = {8, 64, 1024, 8192, 65536};

static MPI_Comm made(program *p)
{
    MPI_Comm comm;
    int parts = 1 << drawn(p, 3);
    if (parts == 1)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
        MPI_Comm_split(MPI_COMM_WORLD, p->rank % parts, drawn(p, 2) ? p->rank : -p->rank, &comm);
    return comm;
}

static void run_random(program *p)
{
    MPI_Comm comms[COMMUNICATORS] = {MPI_COMM_WORLD};
    for (int i = 1; i < COMMUNICATORS; i++)
        comms[i] = made(p);
    for (int i = 1; i <= p->calls; i++) {
        MPI_Comm comm = comms[drawn(p, COMMUNICATORS)];
        int least = p->n < 4 ? 1 : p->n / 4; /* what every part of a split has */
        int kind = drawn(p, CALL_KINDS), root = drawn(p, 3) % least;
        call(kind, sizes[drawn(p, (int)(sizeof sizes / sizeof *sizes))], root, comm);
        if (i % LIFE == 0) {
            MPI_Comm *old = &comms[1 + drawn(p, COMMUNICATORS - 1)];
            MPI_Comm_free(old);
            *old = made(p);
        }
    }
    for (int i = 1; i < COMMUNICATORS; i++)
        MPI_Comm_free(&comms[i]);
}

/* ---- applications ---- */

/* A step's computation, unevenly divided. */
static void compute_share(program *p)
{
    double shares[p->n];
    for (int i = 0; i < p->n; i++)
        shares[i] = 1 + 0.1 * drawn(p, 1000) / 1000;
    compute(p->computation * shares[p->rank]);
}

static void step_cg(program *p, int step)
{
    (void)step;
    call_named("allgatherv", p->bytes, 0, MPI_COMM_WORLD);
    compute_share(p);
    call_named("allreduce", 8, 0, MPI_COMM_WORLD);
    call_named("allreduce", 8, 0, MPI_COMM_WORLD);
}

static void step_matmul(program *p, int step)
{
    (void)step;
    call_named("scatterv", p->bytes, 0, MPI_COMM_WORLD);
    call_named("bcast", p->bytes * (size_t)p->n, 0, MPI_COMM_WORLD);
    compute_share(p);
    call_named("gatherv", p->bytes, 0, MPI_COMM_WORLD);
}

static void step_collect(program *p, int step)
{
    (void)step;
    compute_share(p);
    call_named("allreduce", 8, 0, MPI_COMM_WORLD);
    call_named("gatherv", p->bytes, 0, MPI_COMM_WORLD);
}

static void step_watch(program *p, int step)
{
    compute_share(p);
    call_named("allreduce", 8, 0, MPI_COMM_WORLD);
    if (step < 6 || step % 400 == 399)
        call_named("gatherv", p->bytes, 0, MPI_COMM_WORLD);
}

static void step_fftw(program *p, int step)
{
    (void)step;
    for (int i = 0; i < 2; i++) {
        compute_share(p);
        call_named("alltoall", p->bytes, 0, MPI_COMM_WORLD);
    }
}

static void step_lammps(program *p, int step)
{
    compute_share(p);
    call_named("allreduce", 8, 0, MPI_COMM_WORLD);
    call_named("allreduce", p->bytes, 0, MPI_COMM_WORLD);
    if (step % 10 == 0)
        call_named("bcast", 1024, 0, MPI_COMM_WORLD);
}

static void step_ntube(program *p, int step)
{
    (void)step;
    compute_share(p);
    call_named("allgatherv", p->bytes, 0, MPI_COMM_WORLD);
    call_named("allreduce", 8, 0, MPI_COMM_WORLD);
}

static void step_nbody(program *p, int step)
{
    (void)step;
    compute_share(p);
    call_named("allgather", p->bytes, 0, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*step)(program *p, int step);
} applications[] = {
    {"cg", step_cg},     {"matmul", step_matmul}, {"collect", step_collect}, {"watch", step_watch},
    {"fftw", step_fftw}, {"lammps", step_lammps}, {"ntube", step_ntube},     {"nbody", step_nbody},
};
enum { APPLICATIONS = sizeof applications / sizeof *applications };

static int application_of(const char *name)
{
    for (int i = 0; i < APPLICATIONS; i++)
        if (strcmp(applications[i].name, name) == 0)
            return i;
    return -1;
}

static void run_application(program *p)
{
    int which = application_of(p->argv[1]);
    for (int step = 0; step < p->calls; step++)
        applications[which].step(p, step);
}

/* ---- */

typedef void (*runner)(program *p);

static double number(const program *p, int i)
{
    return p->argc > i ? atof(p->argv[i]) : 0;
}

/* What to run, or NULL: the arguments are wrong. */
static runner read_arguments(program *p)
{
    const char *name = p->argc > 3 ? p->argv[1] : "";
    bool loop = strcmp(name, "loop") == 0;
    if (loop || strcmp(name, "dup") == 0) {
        p->operation = p->argv[2];
        p->bytes = (size_t)number(p, 3);
        p->calls = (int)number(p, 4);
        p->computation = number(p, 5);
        if (call_kind(p->operation) < 0)
            return NULL;
        return !loop ? run_dup : p->operation[0] == 'i' ? run_hidden : run_loop;
    }
    p->calls = (int)number(p, 2);
    p->bytes = (size_t)number(p, 3);
    p->computation = number(p, 4);
    p->seed = (unsigned)number(p, 3) + 1;
    if (strcmp(name, "random") == 0)
        return run_random;
    return application_of(name) < 0 ? NULL : run_application;
}

static double latest(double own)
{
    double all = 0;
    PMPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
#ifdef CPM_SMPI
    cpm_tuned_begin(0);
#endif
    program p = {.argc = argc, .argv = argv};
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.n);
    runner run = read_arguments(&p);
    if (run) {
        latest(
            0); /* the simulator finds out which processes share a host in its first reduction, */
        PMPI_Barrier(MPI_COMM_WORLD); /* MPI libraries when MPI begins */
        double start = MPI_Wtime();
        run(&p);
        double seconds = latest(MPI_Wtime() - start);
        calls_report();
        if (p.rank == 0)
            printf("program %.9f\n", seconds);
    } else if (p.rank == 0) {
        fprintf(stderr,
                "usage: adapt loop|dup OPERATION BYTES CALLS [US] | adapt random CALLS SEED | "
                "adapt cg|matmul|collect|watch|fftw|lammps|ntube|nbody STEPS BYTES [US]\n");
    }
#ifdef CPM_SMPI
    tuned_learn_end();
#endif
    MPI_Finalize();
    return run ? 0 : 2;
}
