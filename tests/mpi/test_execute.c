/* The executor does, byte by byte, what the MPI library's collectives do. */
#include "mpi_test.h"

#include <string.h>

#include "mpib/algorithms/algorithm.h"
#include "mpib/execute.h"

enum { TAG = 7 };
static const size_t sizes_tried[] = {0, 1, 1000, 70000};
static const char *const algorithms_tried[] = {"linear", "binomial", "chain"};

/* Bytes that differ between ranks, blocks and places. */
static unsigned char content(int rank, int64_t block, size_t at)
{
    return (unsigned char)(31 * rank + 57 * block + 7 * at + at / 251);
}

/* One collective, and where this rank's blocks are. */
typedef struct {
    const cpm_operation *op;
    int root;
    int64_t blocks;
    size_t bytes;
    size_t *place; /* [blocks], or NULL: one after the other */
    unsigned char *buffer;
    size_t space;
} collective;

static unsigned char *block_of(const collective *c, int64_t b)
{
    return c->buffer + (c->place ? c->place[b] : (size_t)b * c->bytes);
}

static void fill(collective *c)
{
    memset(c->buffer, 0xEE, c->space);
    for (int64_t b = 0; b < c->blocks; b++)
        if (c->op->before(test_ranks(), c->root, test_rank(), b))
            for (size_t i = 0; i < c->bytes; i++)
                block_of(c, b)[i] = content(test_rank(), b, i);
}

/* What the library delivers, block b at b * bytes. */
static void run_library(const collective *c, unsigned char *all)
{
    int count = (int)c->bytes, rank = test_rank();
    unsigned char *own = all + (size_t)(c->blocks > 1 ? rank : 0) * c->bytes;
    bool at_root = rank == c->root;
    for (int64_t b = 0; b < c->blocks; b++)
        memcpy(all + (size_t)b * c->bytes, block_of(c, b), c->bytes);
    if (strcmp(c->op->name, "bcast") == 0)
        MPI_Bcast(all, count, MPI_BYTE, c->root, MPI_COMM_WORLD);
    else if (strcmp(c->op->name, "scatter") == 0)
        MPI_Scatter(all, count, MPI_BYTE, at_root ? MPI_IN_PLACE : own, count, MPI_BYTE, c->root,
                    MPI_COMM_WORLD);
    else
        MPI_Gather(at_root ? MPI_IN_PLACE : own, count, MPI_BYTE, all, count, MPI_BYTE, c->root,
                   MPI_COMM_WORLD);
}

static bool same_result(const collective *c, const unsigned char *expected)
{
    for (int64_t b = 0; b < c->blocks; b++)
        if (c->op->after(test_ranks(), c->root, test_rank(), b) &&
            memcmp(block_of(c, b), expected + (size_t)b * c->bytes, c->bytes) != 0)
            return false;
    return true;
}

static bool run_schedule(collective *c, const cpm_algorithm *a, const int *mapping)
{
    cpm_error e = {0};
    cpm_schedule *s = NULL;
    mpib_plan *plan = NULL;
    cpm_call call = {.n = test_ranks(), .root = c->root, .mapping = mapping};
    int status = cpm_schedule_create(a, &call, &s, &e);
    cpm_block_sizes sizes = {.bytes = c->bytes};
    if (status == CPM_OK)
        status = mpib_plan_create(s, test_rank(), &sizes, c->buffer, c->place, &plan, &e);
    if (status != CPM_OK)
        fprintf(stderr, "rank %d: %s\n", test_rank(), e.text);
    assert_everywhere(status == CPM_OK);
    for (int times = 0; times < 2; times++) /* a plan runs any number of times */
        mpib_plan_run(plan, MPI_COMM_WORLD, TAG);
    mpib_plan_free(plan);
    cpm_schedule_free(s);
    return true;
}

static void compare(const cpm_algorithm *a, const cpm_operation *op, int root, size_t bytes,
                    const int *mapping, bool scattered)
{
    collective c = {.op = op, .root = root, .bytes = bytes, .blocks = op->blocks(test_ranks())};
    c.space = (size_t)c.blocks * (bytes + 3) + 1;
    c.buffer = malloc(c.space);
    unsigned char *expected = calloc(c.space, 1);
    size_t *place = malloc((size_t)c.blocks * sizeof *place);
    for (int64_t b = 0; b < c.blocks; b++) /* backwards, with gaps */
        place[b] = (size_t)(c.blocks - 1 - b) * (bytes + 3);
    c.place = scattered ? place : NULL;
    fill(&c);
    run_library(&c, expected);
    run_schedule(&c, a, mapping);
    bool same = same_result(&c, expected);
    if (!same)
        fprintf(stderr, "%s:%s root %d, %zu bytes\n", a->operation, a->name, root, bytes);
    assert_everywhere(same);
    free(place);
    free(expected);
    free(c.buffer);
}

/* The root first, then the others downwards. */
static int *mapping_from(int root)
{
    int n = test_ranks(), *mapping = malloc((size_t)n * sizeof *mapping), at = 0;
    mapping[at++] = root;
    for (int p = n - 1; p >= 0; p--)
        if (p != root)
            mapping[at++] = p;
    return mapping;
}

static void compare_all(const char *operation)
{
    const cpm_operation *op = NULL;
    const cpm_algorithm *a = NULL;
    assert_everywhere(cpm_operation_find(operation, &op, NULL) == CPM_OK);
    for (size_t i = 0; i < sizeof algorithms_tried / sizeof *algorithms_tried; i++)
        for (int root = 0; root < test_ranks(); root++) {
            int *mapping = mapping_from(root);
            assert_everywhere(cpm_algorithm_find(operation, algorithms_tried[i], &a, NULL) ==
                              CPM_OK);
            for (size_t s = 0; s < sizeof sizes_tried / sizeof *sizes_tried; s++) {
                compare(a, op, root, sizes_tried[s], NULL, false);
                compare(a, op, root, sizes_tried[s], mapping, false);
                compare(a, op, root, sizes_tried[s], mapping, true);
            }
            free(mapping);
        }
}

static void bcast_equals_the_librarys(void **state)
{
    (void)state;
    compare_all("bcast");
}

static void scatter_equals_the_librarys(void **state)
{
    (void)state;
    compare_all("scatter");
}

static void gather_equals_the_librarys(void **state)
{
    (void)state;
    compare_all("gather");
}

/* Three blocks of different sizes, the middle one empty, from rank 0 to rank 1; one block comes
 * twice in a round. */
static void build_unequal(const cpm_schedule *s, int rank, cpm_steps *out)
{
    (void)s;
    if (rank == 0) {
        cpm_send(out, 1, 0, 3);
        cpm_next_round(out);
        cpm_send(out, 1, 2, 1);
        cpm_send(out, 1, 2, 1);
    }
    if (rank == 1) {
        cpm_recv(out, 0, 0, 3);
        cpm_next_round(out);
        cpm_recv(out, 0, 2, 1);
        cpm_recv(out, 0, 2, 1);
    }
}

static void unequal_blocks_arrive_in_their_places(void **state)
{
    (void)state;
    const size_t each[] = {2, 0, 5};
    char buffer[8] = "";
    cpm_schedule s = {.n = test_ranks(), .root = 0, .blocks = 3, .build = build_unequal};
    cpm_block_sizes sizes = {.each = each};
    mpib_plan *plan = NULL;
    if (test_rank() == 0)
        memcpy(buffer, "abvwxyz", 8);
    assert_everywhere(mpib_plan_create(&s, test_rank(), &sizes, buffer, NULL, &plan, NULL) ==
                      CPM_OK);
    mpib_plan_run(plan, MPI_COMM_WORLD, TAG);
    mpib_plan_free(plan);
    assert_everywhere(test_rank() > 1 || strcmp(buffer, "abvwxyz") == 0);
}

static void a_message_above_2_gib_is_refused(void **state)
{
    (void)state;
    const size_t each[] = {(size_t)1 << 30, (size_t)1 << 30, (size_t)1 << 30};
    cpm_schedule s = {.n = test_ranks(), .root = 0, .blocks = 3, .build = build_unequal};
    cpm_block_sizes sizes = {.each = each};
    char none;
    mpib_plan *plan = NULL;
    cpm_error e = {0};
    int status = mpib_plan_create(&s, test_rank(), &sizes, &none, NULL, &plan, &e);
    bool takes_part = test_rank() < 2;
    assert_everywhere(!takes_part || (status == CPM_EINVAL && strstr(e.text, "2 GiB") && !plan));
    mpib_plan_free(plan);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bcast_equals_the_librarys),
        cmocka_unit_test(scatter_equals_the_librarys),
        cmocka_unit_test(gather_equals_the_librarys),
        cmocka_unit_test(unequal_blocks_arrive_in_their_places),
        cmocka_unit_test(a_message_above_2_gib_is_refused),
    };
    return RUN_MPI_TESTS(argc, argv, tests);
}
