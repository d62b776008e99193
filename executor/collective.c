/* A planned call: schedule, places and messages are made once; a run moves what must be moved
 * within the process and sends the messages. */
#include "executor/collective.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/on_groups.h"
#include "executor/agree.h"
#include "executor/any_sizes.h"
#include "executor/emergency.h"
#include "executor/layout.h"
#include "executor/on_groups.h"
#include "executor/unit_sizes.h"

struct mpib_collective {
    mpib_plan *plan;
    mpib_moves before, after;
    mpib_move input;   /* as in mpib_arrangement */
    char *input_space; /* its copy, where a program gives one buffer as both; NULL: not yet */
    bool truncated;    /* a block is longer than its place at this rank */
    char *space;
    size_t bytes;              /* of that */
    mpib_any_sizes *any;       /* instead of all that */
    mpib_on_groups *on_groups; /* or this */
    MPI_Comm comm;
    struct {
        char *bases[MPIB_BASES];
        int tag, failed;
    } run; /* by steps */
};

static int check_order(const cpm_collective *what, const mpib_arguments *a, cpm_error *e)
{
    int commutes = 1;
    const cpm_algorithm *algorithm = what->algorithm;
    if (a->operation->combines)
        PMPI_Op_commutative(a->op, &commutes);
    if (commutes || cpm_collective_keeps_order(what))
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL,
                    "%s:%s combines out of the order of ranks (root %d), and the operation does "
                    "not commute",
                    algorithm->operation, algorithm->name, a->root);
}

/* With the operation, number of processes and root of the arguments, run by CPM. */
static cpm_collective called(const cpm_collective *what, const mpib_arguments *a)
{
    cpm_collective c = *what;
    c.operation = a->operation;
    c.by_library = false;
    c.at.root = a->operation->rooted ? a->root : 0;
    PMPI_Comm_size(a->comm, &c.at.n);
    return c;
}

static int create_schedule(const cpm_collective *what, const mpib_arguments *a,
                           const cpm_block_sizes *sizes, cpm_schedule **out, cpm_error *e)
{
    const cpm_collective c = called(what, a);
    int status = check_order(&c, a, e);
    return status == CPM_OK ? cpm_collective_schedule(&c, sizes, out, e) : status;
}

static int arrange(const mpib_arguments *a, const cpm_schedule *s, const cpm_block_sizes *sizes,
                   mpib_arrangement *out, cpm_error *e)
{
    return (a->operation->combines ? mpib_arrange_reduction : mpib_arrange_blocks)(a, s, sizes, out,
                                                                                   e);
}

static int plan(mpib_collective *c, const mpib_arguments *a, const cpm_schedule *s,
                const cpm_block_sizes *sizes, cpm_error *e)
{
    mpib_arrangement all = {0};
    int rank, status = arrange(a, s, sizes, &all, e);
    PMPI_Comm_rank(a->comm, &rank);
    if (status == CPM_OK)
        status = mpib_plan_create(&all.layout, rank, &c->plan, e);
    if (status == CPM_OK && !(c->space = malloc(all.space + 64)))
        status = cpm_no_memory(e);
    if (status == CPM_OK) {
        c->bytes = all.space + 64;
        memset(c->space, 0, c->bytes);
        c->before = all.before;
        c->after = all.after;
        c->truncated = all.truncated;
        c->input = all.input;
        all.before = all.after = (mpib_moves){0};
    }
    mpib_arrangement_clear(&all);
    return status;
}

static int check_comm(MPI_Comm comm, cpm_error *e)
{
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    return inter ? cpm_fail(e, CPM_EMPI, "collectives of inter-communicators are not known")
                 : CPM_OK;
}

static int plan_any(mpib_collective *c, const mpib_arguments *a, const cpm_schedule *s,
                    const cpm_block_sizes *sizes, cpm_error *e)
{
    return mpib_any_sizes_create(a, s, sizes->each, &c->any, e);
}

static int create_on_groups(const cpm_collective *what, const mpib_arguments *a,
                            const cpm_block_sizes *sizes, mpib_on_groups **out, cpm_error *e)
{
    const cpm_collective c = called(what, a);
    int status = check_order(&c, a, e);
    return status == CPM_OK ? mpib_on_groups_create(&c, a, sizes, out, e) : status;
}

typedef int planner(mpib_collective *c, const mpib_arguments *a, const cpm_schedule *s,
                    const cpm_block_sizes *sizes, cpm_error *e);

static int create_by_schedule(const cpm_collective *what, const mpib_arguments *arguments,
                              const cpm_block_sizes *sizes, planner *make, mpib_collective *out,
                              cpm_error *e)
{
    cpm_schedule *s = NULL;
    int status = create_schedule(what, arguments, sizes, &s, e);
    if (status == CPM_OK)
        status = make(out, arguments, s, sizes, e);
    cpm_schedule_free(s);
    return status;
}

/* Groups come first: a rank that could not allocate would leave the others waiting there. */
static int create_once(const cpm_collective *what, const mpib_arguments *arguments,
                       const cpm_block_sizes *sizes, planner *make, mpib_collective **out,
                       cpm_error *e)
{
    mpib_on_groups *on_groups = NULL;
    int status = CPM_OK;
    if (cpm_is_on_groups(what))
        status = create_on_groups(what, arguments, sizes, &on_groups, e);
    mpib_collective *c = status == CPM_OK ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        mpib_on_groups_free(on_groups);
        return status ? status : cpm_no_memory(e);
    }
    c->on_groups = on_groups;
    if (!on_groups)
        status = create_by_schedule(what, arguments, sizes, make, c, e);
    if (status != CPM_OK) {
        mpib_collective_free(c);
        return status;
    }
    c->comm = arguments->comm;
    *out = c;
    return CPM_OK;
}

static int create(const cpm_collective *what, const mpib_arguments *arguments,
                  const cpm_block_sizes *sizes, planner *make, mpib_collective **out, cpm_error *e)
{
    cpm_error first = {0};
    mpib_emergency_renew();
    int status = create_once(what, arguments, sizes, make, out, &first);
    if (status == CPM_ENOMEM && mpib_emergency_spend())
        return create_once(what, arguments, sizes, make, out, e);
    return status == CPM_OK ? CPM_OK : cpm_fail(e, status, "%s", first.text);
}

int mpib_collective_create_sized(const cpm_collective *what, const mpib_arguments *arguments,
                                 const cpm_block_sizes *sizes, mpib_collective **out, cpm_error *e)
{
    return create(what, arguments, sizes, plan, out, e);
}

int mpib_collective_create_any_sizes(const cpm_collective *what, const mpib_arguments *arguments,
                                     const size_t *expected, mpib_collective **out, cpm_error *e)
{
    const cpm_block_sizes sizes = {.each = expected};
    return create(what, arguments, &sizes, plan_any, out, e);
}

int mpib_collective_create(const cpm_collective *what, const mpib_arguments *arguments,
                           mpib_collective **out, cpm_error *e)
{
    mpib_unit_sizes sizes = {0};
    int status = check_comm(arguments->comm, e);
    if (status != CPM_OK)
        return status;
    status = mpib_unit_sizes_find(what, arguments, &sizes, e);
    if (cpm_is_on_groups(what) && !arguments->groups)
        status = mpib_agree(arguments->comm, status, e);
    if (status == CPM_OK)
        status = mpib_collective_create_sized(what, arguments, &sizes.sizes, out, e);
    mpib_unit_sizes_clear(&sizes);
    return status;
}

size_t mpib_collective_bytes(const mpib_collective *c)
{
    return c->bytes;
}

/* MPI forbids one buffer for both. Libraries let it pass here and there, and programs live by that.
 */
static int part_input(mpib_collective *c, int tag, char **send)
{
    const mpib_move *m = &c->input;
    MPI_Aint lower, extent;
    PMPI_Type_get_true_extent(m->type, &lower, &extent);
    if (!c->input_space)
        c->input_space = malloc((m->elements - 1) * m->extent + (size_t)extent);
    if (!c->input_space)
        return MPI_ERR_NO_MEM;
    char *to = c->input_space + m->to.offset;
    const int failed = mpib_move_run(m, *send, to, c->comm, tag);
    *send = to;
    return failed;
}

/* Nothing is written to the send buffer: plans and moves only read there. */
static int set_bases(mpib_collective *c, const void *send, void *recv, int tag,
                     char *bases[MPIB_BASES])
{
    bases[MPIB_SEND_BUFFER] = (char *)send;
    bases[MPIB_RECV_BUFFER] = recv;
    bases[MPIB_SPACE] = c->space;
    return c->input.elements && send == recv ? part_input(c, tag, &bases[MPIB_SEND_BUFFER])
                                             : MPI_SUCCESS;
}

int mpib_collective_run(mpib_collective *c, const void *send, void *recv, int tag)
{
    if (c->on_groups)
        return mpib_on_groups_run(c->on_groups, send, recv, tag);
    char *bases[MPIB_BASES];
    int failed = set_bases(c, send, recv, tag, bases);
    failed = mpib_first_failure(failed, mpib_moves_run(&c->before, bases, c->comm, tag));
    failed = mpib_first_failure(failed, mpib_plan_run(c->plan, bases, c->comm, tag));
    failed = mpib_first_failure(failed, mpib_moves_run(&c->after, bases, c->comm, tag));
    return c->truncated ? mpib_first_failure(failed, MPI_ERR_TRUNCATE) : failed;
}

void mpib_collective_begin(mpib_collective *c, const void *send, void *recv, bool finishes, int tag)
{
    c->run.tag = tag;
    c->run.failed = set_bases(c, send, recv, tag, c->run.bases);
    c->run.failed =
        mpib_first_failure(c->run.failed, mpib_moves_run(&c->before, c->run.bases, c->comm, tag));
    mpib_plan_begin(c->plan, c->run.bases, finishes, c->comm, tag);
}

/* After its messages, which failed or not. */
static int end_steps(mpib_collective *c, int failed)
{
    failed = mpib_first_failure(c->run.failed, failed);
    const int moved = mpib_moves_run(&c->after, c->run.bases, c->comm, c->run.tag);
    failed = mpib_first_failure(failed, moved);
    return c->truncated ? mpib_first_failure(failed, MPI_ERR_TRUNCATE) : failed;
}

bool mpib_collective_advance(mpib_collective *c, int *failed)
{
    int status;
    if (!mpib_plan_advance(c->plan, &status))
        return false;
    *failed = end_steps(c, status);
    return true;
}

int mpib_collective_finish(mpib_collective *c)
{
    return end_steps(c, mpib_plan_finish(c->plan));
}

int mpib_collective_run_any_sizes(mpib_collective *c, const mpib_arguments *arguments,
                                  const void *send, void *recv, int tag)
{
    return mpib_any_sizes_run(c->any, arguments, c->comm, send, recv, tag);
}

void mpib_collective_free(mpib_collective *c)
{
    if (!c)
        return;
    mpib_plan_free(c->plan);
    mpib_any_sizes_free(c->any);
    mpib_on_groups_free(c->on_groups);
    free(c->before.at);
    free(c->after.at);
    free(c->input_space);
    free(c->space);
    free(c);
}
