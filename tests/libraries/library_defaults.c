/* usual [--rules FILE] [--root RANK] OPERATION BYTES ...: runs the MPI library's collectives with
 * blocks of that many bytes and proves that each process sends and receives the same messages, in
 * the same order and kind as far as they can be heard (messages.h), as in the algorithm that is
 * taken to be the library's on these hosts, or that the rules of FILE name, which the library was
 * given, too. Prints the cases; those that rules leave to the library are only named. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts/hosts.h"
#include "libraries/rules_file.h"
#include "messages.h"
#include "selection/library_defaults.h"

enum { MOST_BYTES = 1 << 24 }; /* of all blocks together */
enum { MOST_TEXT = 1 << 16 };

#ifdef OPEN_MPI
static const cpm_library library =
    OMPI_MAJOR_VERSION < 5 ? CPM_LIBRARY_OPENMPI : CPM_LIBRARY_OPENMPI5;
#else
static const cpm_library library = CPM_LIBRARY_MPICH;
#endif

typedef struct {
    const cpm_ruleset *rules; /* NULL: the library's own decisions */
    const cpm_hosts *hosts;
    int rank, root, wrong;
    int *counts, *places; /* [n] of v-operations */
} context;

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "usual: %s: %s\n", what, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void set_places(context *c, int count)
{
    for (int i = 0; i < c->hosts->n; i++) {
        c->counts[i] = count;
        c->places[i] = i * count;
    }
}

static bool run_rooted(const context *c, const char *name, int count, const double *send,
                       double *receive)
{
    MPI_Comm all = MPI_COMM_WORLD;
    if (strcmp(name, "bcast") == 0)
        MPI_Bcast(receive, count, MPI_DOUBLE, c->root, all);
    else if (strcmp(name, "reduce") == 0)
        MPI_Reduce(send, receive, count, MPI_DOUBLE, MPI_SUM, c->root, all);
    else if (strcmp(name, "scatter") == 0)
        MPI_Scatter(send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, c->root, all);
    else if (strcmp(name, "gather") == 0)
        MPI_Gather(send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, c->root, all);
    else if (strcmp(name, "scatterv") == 0)
        MPI_Scatterv(send, c->counts, c->places, MPI_DOUBLE, receive, count, MPI_DOUBLE, c->root,
                     all);
    else if (strcmp(name, "gatherv") == 0)
        MPI_Gatherv(send, count, MPI_DOUBLE, receive, c->counts, c->places, MPI_DOUBLE, c->root,
                    all);
    else
        return false;
    return true;
}

static void run(const context *c, const char *name, int count, const double *send, double *receive)
{
    MPI_Comm all = MPI_COMM_WORLD;
    if (run_rooted(c, name, count, send, receive))
        return;
    if (strcmp(name, "allreduce") == 0)
        MPI_Allreduce(send, receive, count, MPI_DOUBLE, MPI_SUM, all);
    else if (strcmp(name, "reduce_scatter") == 0)
        MPI_Reduce_scatter(send, receive, c->counts, MPI_DOUBLE, MPI_SUM, all);
    else if (strcmp(name, "allgather") == 0)
        MPI_Allgather(send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, all);
    else if (strcmp(name, "allgatherv") == 0)
        MPI_Allgatherv(send, count, MPI_DOUBLE, receive, c->counts, c->places, MPI_DOUBLE, all);
    else if (strcmp(name, "alltoall") == 0)
        MPI_Alltoall(send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, all);
    else if (strcmp(name, "alltoallv") == 0)
        MPI_Alltoallv(send, c->counts, c->places, MPI_DOUBLE, receive, c->counts, c->places,
                      MPI_DOUBLE, all);
    else if (strcmp(name, "barrier") == 0)
        MPI_Barrier(all);
    else
        stop(name, "is none of the operations that are compared");
}

static void hear_ours(const context *c, const cpm_collective *what, size_t bytes, messages *out)
{
    const cpm_block_sizes sizes = {.bytes = what->operation->dataless ? 0 : bytes,
                                   .grain = sizeof(double)};
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    if (cpm_collective_schedule(what, &sizes, &s, &e))
        stop(what->operation->name, e.text);
    messages_of_schedule(s, c->rank, &sizes, out);
    cpm_schedule_free(s);
}

/* The second call: the first one makes communicators. */
static void hear_theirs(context *c, const char *name, size_t bytes, messages *out)
{
    double *send = calloc(MOST_BYTES, 1), *receive = calloc(MOST_BYTES, 1);
    if (!send || !receive || bytes * (size_t)c->hosts->n > MOST_BYTES)
        stop(name, "so many bytes are too many");
    set_places(c, (int)(bytes / sizeof *send));
    for (int k = 0; k < 2; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        messages_begin(out);
        run(c, name, (int)(bytes / sizeof *send), send, receive);
        messages_end();
    }
    free(send);
    free(receive);
}

/* False: the rules leave it to the library. */
static bool find(const context *c, const cpm_request *r, cpm_collective *out)
{
    cpm_collective usual[CPM_MOST_USUAL] = {{0}};
    if (c->rules) {
        const cpm_situation now = cpm_situation_of(r);
        int k = cpm_ruleset_find(c->rules, &now, NULL);
        if (k >= 0)
            usual[0] = c->rules->rule[k].what;
        bool allowed = false;
        if (usual[0].algorithm && (cpm_request_asks(r, &usual[0], &allowed, NULL) || !allowed))
            usual[0].algorithm = NULL;
    } else if (cpm_library_default(library, r, usual) != 1)
        stop(r->operation->name, "it is not known what is usual");
    *out = cpm_request_collective(r, &usual[0]);
    return usual[0].algorithm;
}

static void report(context *c, const char *text, size_t bytes, const messages *ours,
                   const messages *theirs)
{
    static char one[MOST_TEXT], other[MOST_TEXT];
    if (!messages_print(ours, one, sizeof one) || !messages_print(theirs, other, sizeof other))
        stop(text, "more messages than there is room for");
    fprintf(stderr, "usual: %zu B, %s, root %d: process %d of %d:\n    MPI %s\n    CPM %s\n", bytes,
            text, c->root, c->rank, c->hosts->n, other, one);
    c->wrong++;
}

static void compare(context *c, const char *name, size_t bytes)
{
    static messages ours, theirs;
    cpm_request r = {.n = c->hosts->n, .root = c->root, .bytes = bytes, .hosts = c->hosts};
    cpm_collective what;
    char text[CPM_COLLECTIVE_NAME];
    if (cpm_operation_find(name, &r.operation, NULL))
        stop(name, "is not known");
    r.root = r.operation->rooted ? c->root : 0;
    bool known = find(c, &r, &what);
    cpm_collective_print(&what, text, sizeof text);
    if (known) {
        hear_ours(c, &what, bytes, &ours);
        hear_theirs(c, name, bytes, &theirs);
        if (!messages_equal(&ours, &theirs))
            report(c, text, bytes, &ours, &theirs);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (c->rank == 0)
        printf("%zu %s\n", bytes, text);
}

static const cpm_ruleset *read_rules(const char *path)
{
    cpm_ruleset *rules = NULL;
    cpm_error e = {0};
    if (cpm_ruleset_read(path, &rules, NULL, &e))
        stop(path, e.text);
    return rules;
}

int main(int argc, char **argv)
{
    cpm_hosts hosts = {0};
    cpm_error e = {0};
    MPI_Init(&argc, &argv);
    const char *silent = messages_open();
    if (silent)
        stop("MPI", silent);
    if (mpib_hosts(MPI_COMM_WORLD, &hosts, &e))
        stop("hosts", e.text);
    context c = {.hosts = &hosts,
                 .counts = calloc((size_t)hosts.n, sizeof(int)),
                 .places = calloc((size_t)hosts.n, sizeof(int))};
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2)
        if (strcmp(argv[i], "--rules") == 0)
            c.rules = read_rules(argv[i + 1]);
        else
            c.root = atoi(argv[i + 1]);
    for (; i + 1 < argc; i += 2)
        compare(&c, argv[i], (size_t)atol(argv[i + 1]));
    free(c.counts);
    free(c.places);
    cpm_ruleset_free((cpm_ruleset *)c.rules);
    cpm_hosts_clear(&hosts);
    MPI_Finalize();
    return c.wrong != 0;
}
