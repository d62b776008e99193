/* cpm check: proves that algorithms compute their operation and cannot deadlock. */
#include <stdlib.h>

#include "collectives/schedule/messages.h"
#include "collectives/schedule/proof.h"
#include "tools/frame/choices.h"
#include "tools/frame/options.h"
#include "tools/frame/placement.h"
#include "tools/frame/table.h"

enum {
    ROOTS_OF_ALL = -1, /* the first, a middle one and the last */
    MOST = 1 << 20     /* processes */
};

/* What is known of one algorithm so far. */
typedef struct {
    cpm_sizes proved, passed; /* numbers of processes */
    char why[256];            /* the first of them was passed over */
    long schedules;
    long long messages;
    bool kept, mixed; /* the order of ranks, from some root */
} proof;

typedef struct {
    call *c;
    int root;
    placement placed;
    choices which;
    table t;
    bool proved; /* anything */
} checking;

/* ---- one schedule */

static int count_messages(const cpm_schedule *s, long long *messages, cpm_error *e)
{
    cpm_steps steps = {0};
    int status = CPM_OK;
    for (int rank = 0; rank < s->n && !status; rank++) {
        status = cpm_schedule_rank(s, rank, &steps, e);
        for (int k = 0; k < steps.count && !status; k++)
            *messages += steps.at[k].kind == CPM_SEND;
    }
    cpm_steps_free(&steps);
    return status;
}

static int prove_schedule(const cpm_collective *x, const cpm_schedule *s, proof *p, cpm_error *e)
{
    bool ordered = cpm_collective_keeps_order(x);
    int status = cpm_check(s, x->operation, ordered, e);
    if (!status)
        status = count_messages(s, &p->messages, e);
    p->schedules++;
    *(ordered ? &p->kept : &p->mixed) = true;
    return status;
}

/* Names the counterexample. */
static int blame(const cpm_collective *x, size_t bytes, const cpm_error *why, cpm_error *e)
{
    char name[CPM_COLLECTIVE_NAME], root[32] = "";
    cpm_collective_print(x, name, sizeof name);
    if (x->operation->rooted)
        snprintf(root, sizeof root, ", root %d", x->at.root);
    return cpm_fail(e, why->code, "%s is wrong for %d processes%s, blocks of %zu B: %s", name,
                    x->at.n, root, bytes, why->text);
}

/* ---- one number of processes */

static int pass_over(const cpm_collective *x, const cpm_error *why, proof *p, cpm_error *e)
{
    if (!p->passed.count)
        snprintf(p->why, sizeof p->why, "%.*s", (int)sizeof p->why - 1, why->text);
    return cpm_sizes_add(&p->passed, (size_t)x->at.n, e);
}

static int prove_size(const cpm_collective *x, size_t bytes, proof *p, bool *fits, cpm_error *e)
{
    cpm_schedule *s = NULL;
    size_t *each = NULL;
    cpm_error why = {0};
    int status = cpm_collective_sizes(x, bytes, &each, e);
    if (status)
        return status;
    status = cpm_collective_schedule(x, &(cpm_block_sizes){.bytes = bytes, .each = each}, &s, &why);
    *fits = status != CPM_EINVAL;
    if (!*fits)
        status = pass_over(x, &why, p, e);
    else if (status || (status = prove_schedule(x, s, p, &why)))
        status = blame(x, bytes, &why, e);
    cpm_schedule_free(s);
    free(each);
    return status;
}

static int prove_root(const checking *k, const cpm_collective *x, proof *p, bool *fits,
                      cpm_error *e)
{
    const cpm_sizes *sizes = &k->c->set->calls.sizes;
    int status = CPM_OK;
    for (int i = 0; i < sizes->count && *fits && !status; i++)
        status = prove_size(x, sizes->at[i], p, fits, e);
    return status;
}

/* What an algorithm needs, in few words, before its schedule says it at length. */
static bool applies(const cpm_collective *x, cpm_error *why)
{
    const unsigned order = CPM_REORDERS | CPM_REORDERS_UNLESS_ROOT_0 | CPM_REORDERS_UNLESS_IN_ROWS;
    char needs[120];
    if (!cpm_collective_applies(x, NULL))
        return true;
    cpm_algorithm_needs(&(cpm_algorithm){.properties = x->algorithm->properties & ~order,
                                         .messages = x->algorithm->messages},
                        needs, sizeof needs);
    cpm_fail(why, CPM_EINVAL, "it needs %s", needs);
    return false;
}

/* A schedule of a file has one, unless another is asked for. */
static int root_of(const checking *k, const cpm_collective *x)
{
    if (!x->operation->rooted)
        return 0;
    return k->root == ROOTS_OF_ALL && x->algorithm->messages ? x->algorithm->messages->root
                                                             : k->root;
}

static int prove_processes(const checking *k, cpm_collective x, proof *p, cpm_error *e)
{
    int n = x.at.n, status = CPM_OK;
    int usual[] = {0, n / 2, n - 1}, only[] = {root_of(k, &x)};
    bool all = only[0] == ROOTS_OF_ALL, fits = true;
    const int *roots = all ? usual : only;
    cpm_error why = {0};
    if (!applies(&x, &why))
        return pass_over(&x, &why, p, e);
    for (int r = 0; r < (all ? 3 : 1) && fits && !status; r++) {
        x.at.root = roots[r];
        if (r == 0 || roots[r] != roots[r - 1])
            status = prove_root(k, &x, p, &fits, e);
    }
    return status || !fits ? status : cpm_sizes_add(&p->proved, (size_t)n, e);
}

/* ---- one algorithm */

/* "1-33,64" */
static void list_ranges(const cpm_sizes *all, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "-");
    for (int i = 0, end; i < all->count && used < size; i = end) {
        for (end = i + 1; end < all->count && all->at[end] == all->at[end - 1] + 1;)
            end++;
        used += (size_t)snprintf(text + used, size - used, "%s%zu", i ? "," : "", all->at[i]);
        if (end > i + 1 && used < size)
            used += (size_t)snprintf(text + used, size - used, "-%zu", all->at[end - 1]);
    }
}

static const char *order_of(const cpm_collective *x, const proof *p)
{
    if (!x->operation->combines || !p->schedules)
        return "-";
    return !p->mixed ? "kept" : p->kept ? "kept from root 0" : "not kept";
}

static void add_row(checking *k, const cpm_collective *x, const proof *p)
{
    char name[CPM_COLLECTIVE_NAME], ranges[256], root[16];
    cpm_collective_print(x, name, sizeof name);
    snprintf(root, sizeof root, root_of(k, x) == ROOTS_OF_ALL ? "0,n/2,n-1" : "%d", root_of(k, x));
    list_ranges(&p->proved, ranges, sizeof ranges);
    table_cell(&k->t, "%s", name);
    table_cell(&k->t, "%s", ranges);
    table_cell(&k->t, "%s", x->operation->rooted ? root : "-");
    table_cell(&k->t, "%ld", p->schedules);
    table_cell(&k->t, "%lld", p->messages);
    table_cell(&k->t, "%s", order_of(x, p));
    list_ranges(&p->passed, ranges, sizeof ranges);
    table_cell(&k->t, p->passed.count ? "%s: %s" : "%s", ranges, p->why);
    k->proved = k->proved || p->schedules;
}

static int prove(checking *k, cpm_collective x, cpm_error *e)
{
    proof p = {0};
    const cpm_sizes *all = &k->c->set->calls.processes;
    int status = CPM_OK;
    for (int i = 0; i < all->count && !status; i++) {
        x.at.n = (int)all->at[i];
        status = prove_processes(k, x, &p, e);
    }
    if (!status)
        add_row(k, &x, &p);
    cpm_sizes_free(&p.proved);
    cpm_sizes_free(&p.passed);
    return status;
}

/* ---- all of them */

static void print_head(const cpm_sizes *sizes)
{
    puts("# cpm check: every rank ends with what the operation demands, and no rank waits for "
         "ever,\n"
         "# even if all sends are synchronous.\n"
         "# order: whether contributions are combined in the order of ranks");
    for (int i = 0; i < sizes->count; i++)
        printf("%s%zu%s", i ? ", " : "# blocks of ", sizes->at[i],
               i + 1 < sizes->count ? "" : " bytes\n");
}

/* What was proved is printed even if something is wrong then. */
static int prove_all(checking *k, cpm_error *e)
{
    int status = CPM_OK;
    table_head(&k->t, "algorithm", "processes", "roots", "schedules", "messages", "order",
               "passed over", NULL);
    for (int i = 0; i < k->which.count && !status; i++)
        status = prove(k, k->which.at[i], e);
    print_head(&k->c->set->calls.sizes);
    int printed = table_print(&k->t, "", k->t.columns, stdout, e);
    if (!status && !k->proved)
        return cpm_fail(e, CPM_EINVAL, "nothing was proved: all was passed over");
    return status ? status : printed;
}

static int set_usual(settings *s, const placement *placed, cpm_error *e)
{
    int status = CPM_OK;
    if (placement_sets_processes(s))
        status = cpm_sizes_add(&s->calls.processes, (size_t)placed->n, e);
    else if (!s->calls.processes.count)
        status = cpm_sizes_parse("1:33:1,64", &s->calls.processes, e);
    if (!status && !s->calls.sizes.count)
        status = cpm_sizes_parse("1K,100K", &s->calls.sizes, e);
    return status;
}

static int open_and_prove(checking *k, cpm_error *e)
{
    settings *s = k->c->set;
    int status = placement_open(s, placement_sets_processes(s) ? -1 : 1, &k->placed, e);
    if (!status)
        status = set_usual(s, &k->placed, e);
    if (s->where.map)
        k->root = s->calls.root;
    const choices_context context = {.whatever = true, .placement = &k->placed.known};
    if (!status)
        status = choices_parse(k->c->operand, k->c->operands, &context, &k->which, e);
    if (!status)
        status = placement_check(&k->placed, s, &k->which, e);
    return status ? status : prove_all(k, e);
}

static int run(call *c, cpm_error *e)
{
    checking k = {.c = c, .root = c->set->calls.root};
    if (c->set->calls.root == ROOTS_OF_ALL)
        c->set->calls.root = 0;
    int status = open_and_prove(&k, e);
    choices_clear(&k.which);
    placement_close(&k.placed);
    return status;
}

static int check(const call *c, cpm_error *e)
{
    const cpm_sizes *all = &c->set->calls.processes;
    const char *by = placement_sets_processes(c->set);
    if (by && all->count)
        return cpm_fail(e, CPM_EINVAL, "--processes: with %s there are as many as it has", by);
    for (int i = 0; i < all->count; i++)
        if (all->at[i] < 1 || all->at[i] > MOST)
            return cpm_fail(e, CPM_EINVAL, "--processes: %zu is not in 1..%d", all->at[i], MOST);
    return CPM_OK;
}

static void defaults(void *set)
{
    settings *s = set;
    s->calls.root = ROOTS_OF_ALL;
}

/* clang-format off */
static const option own[] = {
    {"processes", 'n', "N,...", "numbers of processes (default 1:33:1,64: 1 to 33, and 64)",
     offsetof(settings, calls.processes), set_sizes},
    {"root", 0, "R", "root process (default: the first, a middle one and the last)",
     offsetof(settings, calls.root), set_integer},
    {"sizes", 'm', "SIZES", "block sizes, for segment=... and threshold=... (default 1K,100K)",
     offsetof(settings, calls.sizes), set_sizes},
    {"map", 0, "FILE", "place the processes as cpm map did. This sets their number and the root",
     offsetof(settings, where.map), set_text},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_check_command = {
    .name = "check",
    .operands = "[OP[:ALGORITHM[:PARAMETER=VALUE]...]] ...",
    .summary = "prove that algorithms are correct and cannot deadlock",
    .description =
        "Proves, without MPI, that algorithms compute their operation and cannot deadlock. It "
        "runs their schedules with synchronous sends and follows every block and contribution. "
        "It skips numbers of processes that an algorithm does not support. An error names who "
        "lacks which block, or who waits for whom; the exit code is then 1. Without OP, checks "
        "all algorithms of all operations (v-operations only by name).",
    .example = "cpm check bcast:chain:segment=8K allreduce -n 2:17:1,100\n"
               "cpm check scatter:binomial -n 100 --root 42",
    .max_operands = 1000,
    .defaults = defaults,
    .check = check,
    .options = {own, topology_options, graph_options, layout_options},
    .run = run,
};
