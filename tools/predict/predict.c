/* cpm predict: how long collective operations take, by a model. */
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "models/draws.h"
#include "models/extrapolation.h"
#include "models/predict.h"
#include "tools/frame/announce.h"
#include "tools/frame/batch.h"
#include "tools/frame/options.h"
#include "tools/frame/output.h"
#include "tools/frame/placement.h"
#include "tools/predict/beyond.h"
#include "tools/predict/long_walks.h"
#include "tools/predict/prediction.h"
#include "tools/predict/profile_prediction.h"

/* ---- the times */

static int count_of(const prediction *p)
{
    return p->c->set->calls.sizes.count * p->which.count;
}

static int set_half(void *context, int k, cpm_error *e)
{
    prediction *p = context;
    int choice = p->which.count;
    size_t bytes = p->c->set->calls.sizes.at[k / choice];
    cpm_collective what;
    double half = 0;
    int status = p->draws ? prediction_what(p, k % choice, bytes, &what, e) : CPM_OK;
    if (status)
        return status;
    if (p->draws)
        half = cpm_draws_half(p->draws, &what, bytes, &p->by.walking, e);
    if (half < 0)
        return (int)half;
    p->at[k].half =
        hypot(half, hypot(p->checked.square, cpm_model_spread(p->model)) * p->at[k].seconds);
    return CPM_OK;
}

/* The same if messages share what they may share. */
static int set_most(const prediction *p, int choice, size_t bytes, predicted *out, cpm_error *e)
{
    cpm_collective what;
    predicted most;
    if (!p->shared)
        return CPM_OK;
    int status = prediction_what(p, choice, bytes, &what, e);
    if (!status)
        status = method_predict(&p->by, p->shared, &what, bytes, &most, e);
    if (!status)
        out->most = most.seconds > out->seconds ? most.seconds : out->seconds;
    return status;
}

static int predict_one(void *context, int k, cpm_error *e)
{
    prediction *p = context;
    int choice = p->which.count;
    size_t bytes = p->c->set->calls.sizes.at[k / choice];
    int status = prediction_time(p, k % choice, bytes, &p->at[k], e);
    return status ? status : set_most(p, k % choice, bytes, &p->at[k], e);
}

/* ---- how much that is */

enum { DRAWS = 40 };

/* Messages to walk through for intervals; more take longer than a person likes to wait. */
static const double many = 1e7;

/* Where the fastest of an operation changes once in an octave, seven more are between two sizes. */
enum { BETWEEN = 7 };

/* At each size there are about as many as at the largest, and as many calls of a batch are walked
 * through as it takes: it is one of them at least. */
static double all_messages(const void *context)
{
    const prediction *p = context;
    const cpm_sizes *sizes = &p->c->set->calls.sizes;
    int count = sizes->count + (predict_of(p->c)->crossovers && sizes->count > 1 ? BETWEEN : 0);
    double sum = 0;
    for (int k = 0; k < p->which.count; k++)
        sum += long_walks_messages(p, k, sizes->at[sizes->count - 1]);
    return sum * count * (p->draws ? 1 + DRAWS : 1);
}

/* Where the model says how certain it is, the walk predicts, and it does not take too long. */
static int make_draws(prediction *p, cpm_error *e)
{
    if (p->by.by_formula || predict_of(p->c)->no_intervals)
        return CPM_OK;
    int status = cpm_draws_create(p->model, DRAWS, 1, &p->draws, e);
    if (status || !p->draws || predict_of(p->c)->intervals ||
        DRAWS * all_messages(p) <= (1 + DRAWS) * many)
        return status;
    cpm_draws_free(p->draws);
    p->draws = NULL;
    p->too_many = true;
    return CPM_OK;
}

static int make_intervals(prediction *p, cpm_error *e)
{
    int status = make_draws(p, e);
    bool wanted = !p->by.by_formula && !predict_of(p->c)->no_intervals && !p->too_many;
    p->intervals = p->draws || (wanted && p->checked.count);
    return status;
}

/* Before the first walk, as others may take long. */
static int check_all(const prediction *p, cpm_error *e)
{
    size_t largest = beyond_largest(&p->c->set->calls.sizes);
    int status = CPM_OK;
    for (int k = 0; k < p->which.count && !status; k++)
        status = method_check(&p->by, &p->which.at[k], largest, e);
    return status;
}

static int predict_all(prediction *p, cpm_error *e)
{
    p->at = calloc((size_t)count_of(p) + 1, sizeof *p->at);
    if (!p->at)
        return cpm_no_memory(e);
    int status = cpm_parallel(count_of(p), p->c->set->predicting.threads, predict_one, p, e);
    return status || !p->intervals
               ? status
               : cpm_parallel(count_of(p), p->c->set->predicting.threads, set_half, p, e);
}

/* ---- what goes beyond what was measured */

static int look_beyond(prediction *p, cpm_error *e)
{
    bool share = false;
    cpm_combining what;
    int status = beyond_what(p->model, beyond_largest(&p->c->set->calls.sizes), p->beyond, e);
    if (!status)
        beyond_tell(p->beyond);
    bool combines = choices_combine(&p->which, &what);
    beyond_warn_combining(p->model, combines, what);
    beyond_warn_check(p->model);
    if (!status && !predict_of(p->c)->crossovers)
        status = cpm_model_may_share(p->model, &share, e);
    return status || !share ? status : cpm_model_share_all(p->model, &p->shared, e);
}

/* ---- the subcommand */

static int check(const call *c, const cpm_model *m, cpm_error *e)
{
    if (predict_of(c)->processes && predict_of(c)->processes != m->n)
        return cpm_fail(
            e, CPM_EPROCESS,
            "%s: is a model of %d processes and cannot predict for %d: give them a --layout",
            c->operand[0], m->n, predict_of(c)->processes);
    if (c->set->calls.root >= m->n)
        return cpm_fail(e, CPM_EINVAL, "--root: %d is not in 0..%d", c->set->calls.root, m->n - 1);
    if (predict_of(c)->crossovers && c->set->predicting.threads)
        return cpm_fail(e, CPM_EINVAL, "--threads: --crossovers are found one after the other");
    for (int i = 1; predict_of(c)->crossovers && i < c->set->calls.sizes.count; i++)
        if (c->set->calls.sizes.at[i] <= c->set->calls.sizes.at[i - 1])
            return cpm_fail(e, CPM_EINVAL, "--crossovers: sizes must ascend, and %zu follows %zu",
                            c->set->calls.sizes.at[i], c->set->calls.sizes.at[i - 1]);
    return CPM_OK;
}

/* Those that are asked for, where there can be none. */
static int check_intervals(const prediction *p, cpm_error *e)
{
    const predict_settings *s = predict_of(p->c);
    const char *without = s->no_intervals    ? "--no-intervals"
                          : s->crossovers    ? "--crossovers"
                          : s->overlap       ? "--overlap"
                          : s->bound         ? "--bound"
                          : p->by.by_formula ? "--method formula"
                                             : NULL;
    return !s->intervals || !without
               ? CPM_OK
               : cpm_fail(e, CPM_EINVAL, "--intervals: there are none with %s", without);
}

/* What prints isolated calls by the walk in a table of its own; overlap of algorithms whose
 * messages are known. */
static int check_table(const call *c, cpm_error *e)
{
    const predict_settings *s = predict_of(c);
    const char *own = s->bound ? "--bound" : s->overlap ? "--overlap" : NULL;
    const char *other = s->crossovers                          ? "--crossovers"
                        : s->bound && s->overlap               ? "--overlap"
                        : s->method                            ? "--method"
                        : s->overlap && s->library             ? "--library"
                        : batch_of(&s->shared) != CPM_ISOLATED ? "--timing batch"
                                                               : NULL;
    if (s->computing > 0 && !s->overlap)
        return cpm_fail(e, CPM_EINVAL, "--computing: is computed between with --overlap only");
    return own && other ? cpm_fail(e, CPM_EINVAL, "%s: does not go with %s: omit it", own, other)
                        : CPM_OK;
}

/* A profile says itself what is to be predicted. */
static int check_profile(const call *c, cpm_error *e)
{
    const predict_settings *s = predict_of(c);
    const struct {
        const char *name;
        bool given;
    } others[] = {{"OP", c->operands > 1},
                  {"--sizes", s->shared.calls.sizes.count > 0},
                  {"--root", s->shared.calls.root != 0},
                  {"--method", s->method},
                  {"--segments", s->segments.count > 0},
                  {"--crossovers", s->crossovers},
                  {"--overlap", s->overlap},
                  {"--bound", s->bound},
                  {"--intervals", s->intervals},
                  {"--no-intervals", s->no_intervals},
                  {"--processes", s->processes != 0},
                  {"--map", s->shared.where.map},
                  {"--blocks", s->shared.where.blocks},
                  {"--topology", s->shared.where.topology},
                  {"--timing", batch_of(&s->shared) != CPM_ISOLATED},
                  {"--library", s->library},
                  {"--tolerance", s->tolerance != CPM_CROWD_TOLERANCE},
                  {"--threads", s->shared.predicting.threads != 0}};
    for (size_t k = 0; s->shared.calls.profile && k < sizeof others / sizeof *others; k++)
        if (others[k].given)
            return cpm_fail(e, CPM_EINVAL, "--profile names the calls itself: omit %s",
                            others[k].name);
    return check_table(c, e);
}

static int print(prediction *p, cpm_error *e)
{
    const predict_settings *s = predict_of(p->c);
    bool others = s->crossovers || s->overlap;
    int status = others || s->bound ? CPM_OK : make_intervals(p, e);
    if (status)
        return status;
    /* the schedules of all ranks are made before the second message of any */
    p->said->first = (double)p->model->n *
                     (p->c->set->predicting.threads > 1 ? p->c->set->predicting.threads : 1);
    announce_begin(p->said);
    status = s->crossovers ? crossovers_print(p, e)
             : s->overlap  ? overlap_predict(p, e)
                           : predict_all(p, e);
    announce_end(p->said);
    if (status || others)
        return status;
    return s->bound ? bounds_print(p, e) : prediction_print(p, e);
}

static int choose(call *c, prediction *p, cpm_error *e)
{
    int status = placement_open(c->set, p->model->n, &p->placed, e);
    if (!status)
        placement_of_model(&p->placed, p->model);
    if (!status)
        status = placement_at_switches(&p->placed, p->model, e);
    if (!status && !c->set->calls.sizes.count)
        status = cpm_sizes_parse("1K:1M", &c->set->calls.sizes, e);
    choices_context context = {.n = p->model->n,
                               .root = c->set->calls.root,
                               .libraries = true,
                               .native = p->library != CPM_LIBRARY_OTHER,
                               .placement = &p->placed.known,
                               .segments = &predict_of(c)->segments,
                               .leave_out = true,
                               .combining = c->set->calls.combining,
                               .command = "predict"};
    if (!status)
        status = choices_parse(c->operand + 1, c->operands - 1, &context, &p->which, e);
    return status ? status : placement_check(&p->placed, c->set, &p->which, e);
}

/* The method that was asked for, counted for who waits. */
static int choose_method(const call *c, prediction *p, cpm_error *e)
{
    int status = method_parse(predict_of(c)->method, batch_of(c->set), &p->by, e);
    p->by.walking.tolerance = predict_of(c)->tolerance;
    p->by.walking.exact = predict_of(c)->tolerance == 0;
    p->by.walking.through = announce_counter(p->said);
    return status;
}

static int predict_with(call *c, const cpm_model *m, cpm_error *e)
{
    prediction p = {.c = c, .model = m};
    cpm_checked_of(&m->metadata, &p.checked);
    announcement said = {
        .c = c, .what = "messages to walk through", .unit = 1, .all = all_messages, .context = &p};
    p.said = &said;
    int status = check(c, m, e);
    if (!status && predict_of(c)->library)
        status = cpm_library_find(predict_of(c)->library, &p.library, e);
    if (!status)
        status = choose_method(c, &p, e);
    if (!status)
        status = check_intervals(&p, e);
    if (!status)
        status = choose(c, &p, e);
    if (!status)
        status = check_all(&p, e);
    if (!status)
        status = long_walks_leave_out(&p, e);
    if (!status)
        status = look_beyond(&p, e);
    if (!status)
        status = print(&p, e);
    free(p.at);
    cpm_model_free(p.shared);
    cpm_draws_free(p.draws);
    choices_clear(&p.which);
    placement_close(&p.placed);
    return status;
}

static int run_with(call *c, const cpm_model *m, cpm_error *e)
{
    output_move to = {0};
    int status = output_move_to(c->set->out.path, CPM_FILE_PREDICTION, &to, e);
    if (!status)
        status = c->set->calls.profile ? profile_predict(c, m, e) : predict_with(c, m, e);
    return output_end_move(&to, status, e);
}

/* Larger ones would say nothing of the time that is predicted. */
static int set_tolerance(void *value, const char *text, cpm_error *e)
{
    static const double most = 0.01;
    double parsed;
    int status = set_number(&parsed, text, e);
    if (status)
        return status;
    if (parsed > most)
        return cpm_fail(e, CPM_EPARSE, "'%s' is not from 0 to %g", text, most);
    *(double *)value = parsed;
    return CPM_OK;
}

static void defaults(void *set)
{
    predict_settings *s = set;
    s->tolerance = CPM_CROWD_TOLERANCE;
    s->shared.calls.combining = CPM_COMBINING_USUAL;
}

/* clang-format off */
static const option own[] = {
    {"output", 'o', "FILE", "write the predictions to FILE (default: standard output)",
     offsetof(settings, out.path), set_new_file},
    {"sizes", 'm', "SIZES", "block sizes: 1K,2K or 1K:1M (doubling; the default) or 0:256K:4K "
     "(stride)", offsetof(settings, calls.sizes), set_sizes},
    {"root", 0, "R", "root process (default 0)", offsetof(settings, calls.root), set_integer},
    {"combine", 0, "CLASS", "what reductions combine: doubles (default) or floats (sums), or bytes (by "
     "exclusive or)", offsetof(settings, calls.combining), set_combining},
    {"method", 0, "METHOD", "walk (default): run through the messages of the algorithm; formula: "
     "use the formula of the model; formula:NAME: use the one of this name", offsetof(predict_settings, method), set_text},
    {"segments", 0, "SIZES", "for algorithms that can send in segments: also try these segment "
     "sizes", offsetof(predict_settings, segments), set_sizes},
    {"library", 0, "LIBRARY", "also predict the own routine of this MPI library (openmpi, "
                              "openmpi5 or mpich), as OP:native",
     offsetof(predict_settings, library), set_text},
    {"crossovers", 0, NULL, "print which algorithm is the fastest from which size on, to 1 %",
     offsetof(predict_settings, crossovers), NULL},
    {"overlap", 0, NULL, "predict nonblocking calls: how much of one is hidden where each process computes "
     "between beginning it and waiting for it", offsetof(predict_settings, overlap), NULL},
    {"computing", 0, "SECONDS", "with --overlap: how long each process computes (default: as long as the "
     "call takes alone)", offsetof(predict_settings, computing), set_number},
    {"format", 0, "FORMAT", "text (default), tsv or json", offsetof(settings, out.format), set_format},
    {"bound", 0, NULL, "print the least time that any schedule of messages can take by the model, and why. "
     "Beside it is the fastest of these algorithms (with --segments also pipelines)",
     offsetof(predict_settings, bound), NULL},
    {"intervals", 0, NULL, "print intervals from the model's uncertainty and its own check (default where this "
     "takes at most 10 million messages)", offsetof(predict_settings, intervals), NULL},
    {"no-intervals", 0, NULL, "do not print intervals",
     offsetof(predict_settings, no_intervals), NULL},
    {"tolerance", 0, "SHARE", "in dense exchanges, delay changes of rates by this share of the "
     "shortest message. The default 6e-5 keeps times right to less than 0.1 %; 0 is exact, and "
     "slower",
     offsetof(predict_settings, tolerance), set_tolerance},
    {"profile", 0, "FILE", "print what a program's calls cost (cpm run --profile), and what they "
     "would cost with the choices of the model", offsetof(settings, calls.profile), set_text},
    {"processes", 'n', "N", "fail unless the model has N processes",
     offsetof(predict_settings, processes), set_integer},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

const command cpm_predict_command = {
    .name = "predict",
    .operands = "FILE.mod [OP[:ALGORITHM[:PARAMETER=VALUE]...]] ...",
    .summary = "predict the time of collective operations",
    .description =
        "Predicts how long collective operations take on the processes of a model. OP alone "
        "stands for all its algorithms that apply to the number of processes, ranked by time. "
        "Those that take very long to predict must be named. "
        "Without OP, all operations are predicted. A named algorithm that does not apply is left "
        "out with a note, as long as another one applies. Algorithms send in segments only with "
        "--segments or a name such as segment=8K; cpm tune and cpm report try segments by "
        "themselves. Intervals are of the model's parameters, and of how far it was off in its own "
        "check. If the model has no check, a line says so. A warning says what lies beyond the "
        "measurements: more hosts or processes, or far longer messages. With --profile, predicts "
        "the calls of a program. With --overlap, messages go on by themselves while a process "
        "computes, but what must be received before it is sent on waits. Needs no MPI.",
    .example = "cpm predict cluster.mod scatter:binomial -m 1K,64K\n"
               "cpm predict cluster.mod bcast -m 1K:1M --segments 8K,64K --crossovers\n"
               "cpm predict cluster.mod bcast --format tsv",
    .min_operands = 1,
    .defaults = defaults,
    .check = check_profile,
    .max_operands = 1000,
    .settings = sizeof(predict_settings),
    .options = {own, calls_options, placement_options, graph_options, topology_options,
                layout_options, predicting_options, force_options},
    .run_with = run_with,
};
