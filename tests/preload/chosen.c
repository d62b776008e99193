/* A few calls whose algorithms a test looks for in the report: bcast of 8 and 1024 bytes from ranks
 * 0 and 1, scatter, scatterv, gather, gatherv and allreduce of 8 bytes. The exit code says whether
 * their results were right.
 *
 * usage: chosen [KEY=VALUE...]: with these info keys on MPI_COMM_WORLD, which it then says to have;
 * then the same on a duplicate made with them, and on one made without. Names that begin with '@'
 * are values for rules (cpm_set_value), which hold for a second round of calls. */
#include "program.h"

#include <dlfcn.h>

static int wrong;

static void bcast(MPI_Comm comm, int count, int root)
{
    int rank;
    char buffer[1024];
    MPI_Comm_rank(comm, &rank);
    memset(buffer, rank == root ? root + 7 : 0, sizeof buffer);
    MPI_Bcast(buffer, count, MPI_CHAR, root, comm);
    for (int k = 0; k < count; k++)
        wrong += buffer[k] != root + 7;
}

static void scatter_and_gather(MPI_Comm comm, int n, int rank)
{
    double one = rank, all[64], back[64];
    int counts[64], places[64];
    for (int k = 0; k < n; k++) {
        counts[k] = 1;
        places[k] = k;
    }
    MPI_Gather(&one, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, comm);
    MPI_Scatter(all, 1, MPI_DOUBLE, &one, 1, MPI_DOUBLE, 0, comm);
    MPI_Scatterv(all, counts, places, MPI_DOUBLE, &one, 1, MPI_DOUBLE, 0, comm);
    MPI_Gatherv(&one, 1, MPI_DOUBLE, back, counts, places, MPI_DOUBLE, 0, comm);
    for (int k = 0; k < n && rank == 0; k++)
        wrong += back[k] != k;
    wrong += one != rank;
}

static void call_all(MPI_Comm comm)
{
    int n, rank;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &rank);
    for (int root = 0; root < 2; root++) {
        bcast(comm, 8, root);
        bcast(comm, 1024, root);
    }
    scatter_and_gather(comm, n, rank);
    double one = rank, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    wrong += sum != n * (n - 1) / 2.0;
}

/* ---- info keys ---- */

static MPI_Info info_of(int argc, char **argv)
{
    MPI_Info info;
    MPI_Info_create(&info);
    for (int k = 1; k < argc; k++) {
        char key[256];
        snprintf(key, sizeof key, "%s", argv[k]);
        char *value = strchr(key, '=');
        if (*key == '@' || !value)
            continue;
        *value = '\0';
        MPI_Info_set(info, key, value + 1);
    }
    return info;
}

/* What the communicator says it has; expected is false of one to which nothing was said. */
static void look(MPI_Comm comm, int argc, char **argv, bool expected)
{
    MPI_Info info;
    MPI_Comm_get_info(comm, &info);
    for (int k = 1; k < argc; k++) {
        char key[256], value[256] = "";
        int found = 0;
        snprintf(key, sizeof key, "%s", argv[k]);
        if (*key == '@' || !strchr(key, '='))
            continue;
        *strchr(key, '=') = '\0';
        MPI_Info_get(info, key, sizeof value - 1, value, &found);
        bool wrong_value = strcmp(value, strchr(argv[k], '=') + 1) != 0;
        if (strncmp(key, "cpm_", 4) == 0 && strcmp(value, "native") != 0)
            wrong += expected ? !found || wrong_value : found;
    }
    MPI_Info_free(&info);
}

static void with_keys(int argc, char **argv)
{
    MPI_Info info = info_of(argc, argv), none = info_of(0, argv);
    MPI_Comm with, without;
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
    look(MPI_COMM_WORLD, argc, argv, true);
    call_all(MPI_COMM_WORLD);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &with);
    look(with, argc, argv, true);
    call_all(with);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &without);
    look(without, argc, argv, false);
    call_all(without);
    MPI_Comm_set_info(with, none);
    look(with, argc, argv, true);
    MPI_Comm_free(&with);
    MPI_Comm_free(&without);
    MPI_Info_free(&info);
    MPI_Info_free(&none);
}

/* ---- values ---- */

typedef int set_value(MPI_Comm comm, const char *name, long value, void *error);

static void set_values(int argc, char **argv)
{
    set_value *set;
    *(void **)&set = dlsym(RTLD_DEFAULT, "cpm_set_value");
    for (int k = 1; k < argc; k++) {
        char name[256];
        snprintf(name, sizeof name, "%s", argv[k]);
        if (*name != '@' || !strchr(name, '='))
            continue;
        long value = atol(strchr(name, '=') + 1);
        *strchr(name, '=') = '\0';
        wrong += !set || set(MPI_COMM_WORLD, name + 1, value, NULL) != 0;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    call_all(MPI_COMM_WORLD);
    set_values(argc, argv);
    if (argc > 1 && *argv[1] != '@')
        with_keys(argc, argv);
    call_all(MPI_COMM_WORLD);
    return finish(wrong);
}
