/* LMO without bias: round trips and trains in one robust least-squares problem (doc/estimation.md).
 *
 *   round trip i, j; M out, N back   2(C_i + C_j + L_ij) + (M + N)(t_i + t_j + 1/beta_ij)
 *   train i, sink j, replier k       round trip of i and k, plus m (C_i + M t_i)
 *
 * A train's extra messages are what tells C_i from L_ij: the replier's round trip is delayed by the
 * root's processor alone, whatever the sink does, whenever transfers start. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>

#include "estimators/classes.h"
#include "estimators/designs.h"
#include "estimators/estimator.h"
#include "estimators/joint.h"
#include "models/lmo.h"

cpm_plan_function cpm_lmo_joint_plan;
cpm_fit_function cpm_lmo_joint_fit;

enum { LONG_MESSAGE_TRAIN = 6 }; /* longer trains of large messages queue at shared link ends */

/* Unknowns are solved for in these units, so that all are near 1. */
static const double unit_constant = 1e-6, unit_slope = 1e-9;

static bool is_kind(const cpm_measurement *m, int kind)
{
    return m->what.kind == &cpm_experiment_kinds[kind] && m->summary.min > 0;
}

/* The equation of a round trip between processes of classes a and b, M + N = bytes. */
static cpm_equation roundtrip(int a, int b, double bytes)
{
    double slope = bytes * unit_slope / unit_constant;
    return (cpm_equation){
        .i = a < b ? a : b, .j = a < b ? b : a, .node = {2, 2, slope, slope}, .link = {2, slope}};
}

/* Standard error of a measured time as a share of it. */
static double noise_of(const cpm_measurement *m, cpm_statistic statistic)
{
    const double level = 1.96;
    if (statistic == CPM_MINIMUM)
        return 0; /* bounded to one side */
    return cpm_measurement_half(m, statistic) / level / cpm_measurement_value(m, statistic);
}

static cpm_equation equation_of(const cpm_measurement *m, cpm_statistic statistic,
                                const cpm_classes *c)
{
    const cpm_experiment *x = &m->what;
    bool train = is_kind(m, CPM_TRAIN);
    cpm_equation q = roundtrip(c->of[x->i], c->of[train ? x->k : x->j],
                               (double)x->send_bytes + (double)x->reply_bytes);
    q.time = cpm_measurement_value(m, statistic) / unit_constant;
    q.noise = noise_of(m, statistic);
    if (train) {
        int root = q.i == c->of[x->i] ? 0 : 1;
        q.node[root] += x->count;
        q.node[root + 2] += x->count * (double)x->send_bytes * unit_slope / unit_constant;
    }
    return q;
}

/* One equation for each round trip and train; used, if not NULL, gets their measurements. */
static int set_equations(const cpm_measurements *m, const cpm_classes *c,
                         const cpm_measurement **used, cpm_equation *equations)
{
    int count = 0;
    for (int q = 0; q < m->count; q++)
        if (is_kind(&m->at[q], CPM_ROUNDTRIP) || is_kind(&m->at[q], CPM_TRAIN)) {
            if (used)
                used[count] = &m->at[q];
            equations[count++] = equation_of(&m->at[q], m->statistic, c);
        }
    return count;
}

/* ---- how many partners */

enum { MOST_PARTNERS = 20 };

/* Half the interval of a parameter as a share of it, which 95 % of the n processes keep. */
static double share_of_interval(const double *value, const double *half, int n, double *work)
{
    for (int i = 0; i < n; i++)
        work[i] = half[i] / value[i];
    gsl_sort(work, 1, (size_t)n);
    return gsl_stats_quantile_from_sorted_data(work, 1, (size_t)n, 0.95);
}

static bool is_precise(const cpm_joint *j, double error, double *work)
{
    double C = share_of_interval(j->node, j->node_ci, j->n, work);
    double t = share_of_interval(j->node + j->n, j->node_ci + j->n, j->n, work);
    return C <= error && t <= error;
}

/* Their rounds in turn: trains of both sizes grow evenly. */
static int add_in_turn(cpm_design *to, const cpm_design *a, const cpm_design *b, cpm_error *e)
{
    const cpm_design *both[] = {a, b};
    int at[] = {0, 0}, status = CPM_OK;
    for (int r = 0; r < a->rounds || r < b->rounds; r++)
        for (int s = 0; s < 2 && !status; s++) {
            for (; r < both[s]->rounds && at[s] < both[s]->end[r] && !status; at[s]++)
                status = cpm_design_add(to, &both[s]->at[at[s]], e);
            if (!status)
                status = cpm_design_close_round(to, e);
        }
    return status;
}

/* Messages of nearly no bytes, and of nearly that many, between all pairs, both ways: more times
 * that say what the first ones say. Short ones take little time and tell of L, which is known
 * worst, so there are twice as many. */
static int add_more_roundtrips(int n, size_t message, cpm_design *next, cpm_error *e)
{
    const size_t bytes[] = {1, 2, message - 1};
    int status = CPM_OK;
    for (size_t k = 0; k < sizeof bytes / sizeof *bytes && !status && message > 4; k++)
        status = cpm_design_both_ways(next, n, n, CPM_ROUNDTRIP, bytes[k], 0, e);
    return status;
}

static int add_roundtrips(int n, bool more, size_t message, cpm_design *next, cpm_error *e)
{
    int status = cpm_design_tournament(next, n, 0, e);
    if (!status)
        status = cpm_design_tournament(next, n, message, e);
    return status || !more ? status : add_more_roundtrips(n, message, next, e);
}

/* The whole design with that many partners; more than the least: more round trips, too. Long
 * messages of trains have empty answers: those take time and say nothing of the root. */
static int add_design(const cpm_estimation *options, int n, int partners, cpm_design *next,
                      cpm_error *e)
{
    size_t message = cpm_design_message(options);
    int train = options->train;
    int short_train = train < LONG_MESSAGE_TRAIN ? train : LONG_MESSAGE_TRAIN;
    cpm_design empty = {0}, full = {0};
    int status = add_roundtrips(n, partners > options->partners, message, next, e);
    if (!status)
        status = cpm_design_trains(&empty, n, train, partners, 0, 0, e);
    if (!status)
        status = cpm_design_trains(&full, n, short_train, partners, message, 0, e);
    if (!status)
        status = add_in_turn(next, &empty, &full, e);
    cpm_design_clear(&empty);
    cpm_design_clear(&full);
    return status;
}

static int judge(const cpm_estimation *options, const cpm_measurements *m, bool *precise,
                 cpm_error *e)
{
    size_t room = (size_t)m->count + (size_t)m->n;
    cpm_equation *equations = malloc(room * sizeof *equations);
    double *work = malloc(room * sizeof *work);
    cpm_joint *j = NULL;
    int status = equations && work ? CPM_OK : cpm_no_memory(e);
    if (!status)
        status = cpm_joint_solve(equations, set_equations(m, options->classes, NULL, equations),
                                 m->n, NULL, options->confidence, &j, e);
    *precise = !status && is_precise(j, options->parameter_error, work);
    cpm_joint_free(j);
    free(equations);
    free(work);
    return status;
}

/* Everything is planned with as many partners as are needed: those that are measured are left out
 * by the campaign. */
int cpm_lmo_joint_plan(const cpm_estimation *options, int n, const cpm_measurements *so_far,
                       cpm_design *next, cpm_error *e)
{
    if (options->classes->name)
        return cpm_class_design(options->classes, options->train, LONG_MESSAGE_TRAIN,
                                cpm_design_message(options), next, e);
    int partners = options->partners, most = n - 1 < MOST_PARTNERS ? n - 1 : MOST_PARTNERS;
    int status = add_design(options, n, partners, next, e);
    bool precise = options->parameter_error <= 0;
    while (!status && !precise && partners < most && cpm_design_is_measured(next, so_far)) {
        status = judge(options, so_far, &precise, e);
        if (status || precise)
            break;
        partners += CPM_PARTNERS_STEP;
        cpm_design_clear(next);
        status = add_design(options, n, partners, next, e);
    }
    return status;
}

/* ---- the fit */

static int set_parameters(const cpm_joint *j, cpm_model *m)
{
    size_t n = (size_t)j->n, pairs = n * n;
    for (size_t i = 0; i < n; i++) {
        m->value[CPM_LMO_C][i] = j->node[i] * unit_constant;
        m->ci[CPM_LMO_C][i] = j->node_ci[i] * unit_constant;
        m->value[CPM_LMO_T][i] = j->node[n + i] * unit_slope;
        m->ci[CPM_LMO_T][i] = j->node_ci[n + i] * unit_slope;
    }
    int negative = 0;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a; b < n; b++)
            for (int way = 0; way < 2; way++) {
                size_t from = a * n + b, to = way ? b * n + a : from;
                m->value[CPM_LMO_L][to] = j->link[from] * unit_constant;
                m->ci[CPM_LMO_L][to] = j->link_ci[from] * unit_constant;
                m->value[CPM_LMO_INVBETA][to] = j->link[pairs + from] * unit_slope;
                m->ci[CPM_LMO_INVBETA][to] = j->link_ci[pairs + from] * unit_slope;
                negative += way == 0 && (j->link[from] < 0 || j->link[pairs + from] < 0);
            }
    return negative;
}

/* Median and largest relative residual of one kind of experiment. */
static int note_residuals(const cpm_measurement *const *used, int count, const cpm_joint *j,
                          int kind, double *work, cpm_model *m, cpm_error *e)
{
    size_t k = 0;
    for (int q = 0; q < count; q++)
        if (is_kind(used[q], kind))
            work[k++] = fabs(j->residual[q]);
    if (k == 0)
        return CPM_OK;
    gsl_sort(work, 1, k);
    return cpm_note(&m->notes, e,
                    "%zu %s experiments: residual %.2g %% in the median, %.2g %% at most", k,
                    cpm_experiment_kinds[kind].name,
                    100 * gsl_stats_median_from_sorted_data(work, 1, k), 100 * work[k - 1]);
}

static int note_fit(const cpm_measurement *const *used, int count, const cpm_joint *j, int negative,
                    double *work, cpm_model *m, cpm_error *e)
{
    int status = note_residuals(used, count, j, CPM_ROUNDTRIP, work, m, e);
    if (!status)
        status = note_residuals(used, count, j, CPM_TRAIN, work, m, e);
    if (!status && j->bounded)
        status = cpm_note(&m->notes, e,
                          "%d processor parameters came out negative and are held at 0: the data "
                          "do not show an overhead there",
                          j->bounded);
    bool many = 4 * negative >= j->n * (j->n - 1) / 2;
    if (!status && negative)
        status = cpm_note(&m->notes, e,
                          "%d pairs have a negative L or 1/beta: their link shows less than the "
                          "processors' own times. Processes that share link ends or memory cause "
                          "this%s",
                          negative, many ? "; try --model lmo2" : "");
    return status;
}

/* One-way times must not be negative even where L or 1/beta is. */
static int keep_possible(cpm_model *m, int node, int link, cpm_error *e)
{
    int raised = 0, g = m->classes.count;
    for (int i = 0; i < g; i++)
        for (int j = 0; j < g; j++) {
            double least = -(m->value[node][i] + m->value[node][j]);
            double *value = &m->value[link][(size_t)i * (size_t)g + (size_t)j];
            if (!cpm_classes_meet(&m->classes, i, j) || *value >= least)
                continue;
            *value = least;
            raised += i <= j;
        }
    if (!raised)
        return CPM_OK;
    return cpm_note(
        &m->notes, e, "%d pairs would have a negative total %s: their %s is raised to make it 0",
        raised, node == CPM_LMO_C ? "latency" : "time per byte", m->type->parameters[link].name);
}

static int finish(const cpm_measurement *const *used, int count, const cpm_joint *j, double *work,
                  cpm_model *m, cpm_error *e)
{
    int negative = set_parameters(j, m);
    int status = note_fit(used, count, j, negative, work, m, e);
    if (!status)
        status = keep_possible(m, CPM_LMO_C, CPM_LMO_L, e);
    return status ? status : keep_possible(m, CPM_LMO_T, CPM_LMO_INVBETA, e);
}

static int fit(const cpm_estimation *options, const cpm_measurements *m,
               const cpm_measurement **used, cpm_equation *equations, double *work,
               cpm_model *model, cpm_error *e)
{
    const cpm_classes *c = &model->classes;
    int count = set_equations(m, c, used, equations);
    cpm_joint *j;
    int status = cpm_joint_solve(equations, count, c->count, c->name, options->confidence, &j, e);
    if (status)
        return status;
    status = finish(used, count, j, work, model, e);
    if (!status && c->name)
        status = cpm_note_odd_ones(used, j->residual, count, m, model, e);
    cpm_joint_free(j);
    return status;
}

int cpm_lmo_joint_fit(const cpm_estimation *options, const cpm_measurements *m, cpm_model **out,
                      cpm_error *e)
{
    size_t room = (size_t)m->count + 1;
    const cpm_sizes no_sizes = {0};
    cpm_model *model;
    int status = cpm_model_create_classes(&cpm_lmo, options->classes, &no_sizes, &model, e);
    if (status)
        return status;
    const cpm_measurement **used = malloc(room * sizeof *used);
    cpm_equation *equations = malloc(room * sizeof *equations);
    double *work = malloc(room * sizeof *work);
    if (!used || !equations || !work)
        status = cpm_no_memory(e);
    else
        status = fit(options, m, used, equations, work, model, e);
    free(used);
    free(equations);
    free(work);
    return cpm_model_hand_over(status, model, out);
}
