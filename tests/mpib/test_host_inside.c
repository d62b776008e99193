/* Sockets and last-level caches of a host that lies in a folder. */
#include "mpi_test.h"

#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "mpib/inside.h"

static char folder[PATH_MAX];

static void put(int cpu, const char *file, const char *text)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/cpu%d/%s", folder, cpu, file);
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* 8 processors on 2 sockets with 2 caches of the third level each, every other two share one. */
static void create_machine(void)
{
    static const char *const sharing[] = {"0-1\n", "2-3\n", "4-5\n", "6-7\n"};
    for (int cpu = 0; cpu < 8; cpu++) {
        char own[8];
        snprintf(own, sizeof own, "%d\n", cpu);
        put(cpu, "topology/physical_package_id", cpu < 4 ? "0\n" : "1\n");
        put(cpu, "cache/index0/level", "1\n");
        put(cpu, "cache/index0/shared_cpu_list", own);
        put(cpu, "cache/index1/level", "3\n");
        put(cpu, "cache/index1/shared_cpu_list", sharing[cpu / 2]);
    }
}

static int take_away(const char *path, const struct stat *s, int kind, struct FTW *place)
{
    (void)s, (void)kind, (void)place;
    return remove(path);
}

static mpib_inside of(int first, int last)
{
    cpu_set_t used;
    CPU_ZERO(&used);
    for (int cpu = first; cpu <= last; cpu++)
        CPU_SET(cpu, &used);
    return mpib_inside_of(folder, &used);
}

static void sockets_and_caches_of_the_processors_in_use_are_counted(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/cpm-inside-XXXXXX");
    assert_non_null(mkdtemp(folder));
    create_machine();
    mpib_inside all = of(0, 7), one = of(0, 1), half = of(0, 3), none = of(8, 9);
    assert_int_equal(nftw(folder, take_away, 8, FTW_DEPTH | FTW_PHYS), 0);
    assert_true(all.sockets == 2 && all.caches == 4);
    assert_true(half.sockets == 1 && half.caches == 2);
    assert_true(one.sockets == 1 && one.caches == 1);
    assert_true(none.sockets == 0 && none.caches == 0);
}

static void all_ranks_get_the_same(void **state)
{
    (void)state;
    mpib_inside here = mpib_inside_hosts(MPI_COMM_WORLD), of_0 = here;
    MPI_Bcast(&of_0, sizeof of_0, MPI_BYTE, 0, MPI_COMM_WORLD);
    assert_everywhere(of_0.sockets == here.sockets && of_0.caches == here.caches);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sockets_and_caches_of_the_processors_in_use_are_counted),
        cmocka_unit_test(all_ranks_get_the_same),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
