/* When what was chosen is chosen anew: mpiexec -n N bench_slowed OPERATION BYTES CALLS AT COMMAND
 *
 * Calls of one operation (allgather, alltoall, bcast or allreduce), back to back, with CPM_ADAPT in
 * the environment. Process 0 runs COMMAND before call AT: it makes the network slow. Prints a row
 * whenever something else is to run: number of the call, seconds of the calls since the last row
 * (mean), what is chosen, what is tried or checked beside it, and the calls of the period; the
 * last row is the end. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpm/cpm_mpi.h"
#include "tuned/adapt/adapt.h"
#include "tuned/report/ab_comparison.h"
#include "tuned/report/observed.h"

typedef struct {
    const cpm_operation *operation;
    int bytes, rank, n;
    char *send, *recv; /* n blocks */
} program;

static void call(const program *p)
{
    const char *name = p->operation->name;
    if (strcmp(name, "allgather") == 0)
        cpm_allgather(p->send, p->bytes, MPI_BYTE, p->recv, p->bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (strcmp(name, "alltoall") == 0)
        cpm_alltoall(p->send, p->bytes, MPI_BYTE, p->recv, p->bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (strcmp(name, "allreduce") == 0)
        cpm_allreduce(p->send, p->recv, p->bytes, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
    else
        cpm_bcast(p->recv, p->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* ---- what runs */

static const tuned_context *context_of(const cpm_operation *o)
{
    const tuned_state *t = tuned_state_of(MPI_COMM_WORLD);
    if (!t || !t->adapt)
        return NULL;
    for (const tuned_context *x = t->adapt->contexts.all; x; x = x->next)
        if (x->kind.operation == o && x->engine)
            return x;
    return NULL;
}

typedef struct {
    int chosen, beside, calls;
} turn;

static turn turn_of(const tuned_context *x)
{
    if (!x)
        return (turn){0};
    int chosen = cpm_adapt_incumbent(x->engine);
    int beside = x->period.first == chosen ? x->period.second : x->period.first;
    return (turn){chosen, beside, x->period.calls};
}

static const char *name_of(const tuned_context *x, int who, char *name)
{
    snprintf(name, TUNED_NAME, "native");
    if (x && who)
        tuned_choice_print(&x->candidates[who]->choice, name, TUNED_NAME);
    return name;
}

static void print(const tuned_context *x, const turn *now, long number, double mean)
{
    char chosen[TUNED_NAME], beside[TUNED_NAME];
    printf("%ld\t%.6f\t%s\t%s\t%d\n", number, mean, name_of(x, now->chosen, chosen),
           now->beside == now->chosen ? "-" : name_of(x, now->beside, beside), now->calls);
    fflush(stdout);
}

/* ---- */

static void run(const program *p, long calls, long at, const char *command)
{
    turn before = {0};
    double start = MPI_Wtime();
    long since = 0;
    for (long k = 0; k < calls; k++) {
        if (k == at && p->rank == 0 && system(command) != 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
        call(p);
        const tuned_context *x = context_of(p->operation);
        turn now = turn_of(x);
        bool other = now.chosen != before.chosen || now.beside != before.beside;
        if (p->rank == 0 && (other || k + 1 == at || k + 1 == calls)) {
            print(x, &now, k + 1, (MPI_Wtime() - start) / (double)(k + 1 - since));
            start = MPI_Wtime();
            since = k + 1;
        }
        before = now;
    }
}

int main(int argc, char **argv)
{
    program p = {.bytes = argc == 6 ? atoi(argv[2]) : 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.n);
    p.send = calloc((size_t)p.n, (size_t)p.bytes + 1);
    p.recv = calloc((size_t)p.n, (size_t)p.bytes + 1);
    if (p.bytes < 1 || cpm_operation_find(argv[1], &p.operation, NULL) || !p.send || !p.recv) {
        fprintf(stderr, "usage: bench_slowed OPERATION BYTES CALLS AT COMMAND\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    run(&p, atol(argv[3]), atol(argv[4]), argv[5]);
    free(p.send);
    free(p.recv);
    MPI_Finalize();
    return 0;
}
