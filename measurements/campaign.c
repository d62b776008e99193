/* The loop of a campaign: plan, measure round by round, keep, plan again.
 *
 * Rank 0 plans and keeps; the others learn each round by broadcast. Whatever can fail at rank 0
 * only (planning, the disk) is agreed on before anybody goes on. */
#include "measurements/campaign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "measurements/budget.h"
#include "measurements/held_out.h"
#include "measurements/switches.h"

typedef struct {
    cpm_machine *machine;
    const cpm_campaign *options;
    void *context; /* the planner's */
    cpm_measurements *out;
    cpm_meas_file *file;
    bool opened;     /* rank 0: the output, if there is one */
    int round;       /* of the whole campaign */
    int done;        /* experiments measured in this run */
    double start;    /* of the machine's clock */
    double earlier;  /* seconds that a resumed, complete campaign had taken */
    cpm_costs costs; /* with a budget, rank 0 */
    double needed;   /* seconds for the whole design, where the budget ended before it; else 0 */
    int kept; /* rank 0: the status of keeping the last round, of which the others do not know */
    cpm_error *e;
} campaign;

/* An experiment as it travels: a row instead of a pointer, -1 for none. All have one placement. */
typedef struct {
    double collective[CPM_PACKED_HEAD / sizeof(double)];
    int kind, i, j, k, count;
    size_t send_bytes, reply_bytes;
} travelling;

int cpm_plan_fixed(void *context, int n, const cpm_measurements *so_far, cpm_design *next,
                   cpm_error *e)
{
    (void)n, (void)so_far;
    const cpm_design *fixed = context;
    int status = CPM_OK;
    for (int r = 0, x = 0; r < fixed->rounds && !status; r++) {
        for (; x < fixed->end[r] && !status; x++)
            status = cpm_design_add(next, &fixed->at[x], e);
        if (!status)
            status = cpm_design_close_round(next, e);
    }
    for (int x = fixed->rounds ? fixed->end[fixed->rounds - 1] : 0; x < fixed->count && !status;
         x++)
        status = cpm_design_add(next, &fixed->at[x], e); /* of a round that is still open */
    return status;
}

static travelling pack(const cpm_experiment *x)
{
    travelling t = {.kind = x->kind ? (int)(x->kind - cpm_experiment_kinds) : -1,
                    .i = x->i,
                    .j = x->j,
                    .k = x->k,
                    .count = x->count,
                    .send_bytes = x->send_bytes,
                    .reply_bytes = x->reply_bytes};
    cpm_collective plain = x->collective;
    plain.at = (cpm_placement){0};
    if (!x->kind)
        cpm_collective_pack(&plain, t.collective);
    return t;
}

static cpm_experiment unpack(const travelling *t, const cpm_placement *at)
{
    cpm_experiment x = {.kind = t->kind < 0 ? NULL : &cpm_experiment_kinds[t->kind],
                        .i = t->i,
                        .j = t->j,
                        .k = t->k,
                        .count = t->count,
                        .send_bytes = t->send_bytes,
                        .reply_bytes = t->reply_bytes};
    if (x.kind)
        return x;
    cpm_collective_unpack(t->collective, &x.collective);
    if (at)
        x.collective.at = *at;
    return x;
}

static bool at_root(const campaign *c)
{
    return c->machine->rank == 0;
}

static int agree(campaign *c, int status)
{
    return c->machine->agree(c->machine, status, c->e);
}

/* ---- the header */

static int describe_placement(campaign *c, cpm_metadata *metadata)
{
    const cpm_placement plain = {0};
    char text[CPM_FINGERPRINT];
    cpm_placement_fingerprint(c->options->placement ? c->options->placement : &plain, text);
    return cpm_metadata_set(metadata, c->e, "placement", "%s", text);
}

static int describe_precision(campaign *c, cpm_metadata *metadata)
{
    const cpm_precision *p = &c->options->precision;
    char limit[48] = "";
    if (p->max_seconds > 0)
        snprintf(limit, sizeof limit, ", at most %g s if %d are done", p->max_seconds, p->min_reps);
    return cpm_metadata_set(metadata, c->e, "precision",
                            "%d to %d repetitions, confidence %.15g, relative error %g%s",
                            p->min_reps, p->max_reps, p->confidence, p->relative_error, limit);
}

static int describe_options(campaign *c, cpm_metadata *metadata)
{
    int status = cpm_metadata_date(metadata, c->e);
    if (!status)
        status = cpm_metadata_copy(metadata, &c->options->metadata, c->e);
    if (!status)
        status = cpm_metadata_set(metadata, c->e, "processes", "%d", c->machine->n);
    if (!status)
        status = describe_precision(c, metadata);
    if (!status)
        status = cpm_metadata_set(metadata, c->e, "statistic", "%s",
                                  cpm_statistic_named(c->options->precision.statistic));
    if (!status)
        status = describe_placement(c, metadata);
    if (!status && c->options->budget > 0)
        status = cpm_metadata_set(metadata, c->e, "budget", "%g", c->options->budget);
    return status;
}

static int open_output(campaign *c)
{
    c->opened = true;
    if (!c->options->path)
        return CPM_OK;
    int status = cpm_meas_open(c->options->path, c->options->resume, c->options->raw, c->out,
                               &c->file, c->e);
    if (!status && c->out->duration > 0)
        c->earlier = c->out->duration;
    c->out->duration = -1; /* until it is complete again */
    return status;
}

/* When the machine has said which hosts there are. What is resumed is planned for what the file
 * has; any other file waits for the first plan, as what cannot be planned must not touch it. */
static int open_described(campaign *c)
{
    const cpm_campaign *o = c->options;
    c->out->n = c->machine->n;
    c->out->duration = -1;
    c->out->statistic = o->precision.statistic;
    int status = o->topology ? cpm_switches_describe(o->topology, o->topology_file, c->machine->n,
                                                     &c->out->metadata, c->e)
                             : CPM_OK;
    return status || !o->resume ? status : open_output(c);
}

static int begin(campaign *c)
{
    int status = at_root(c) ? describe_options(c, &c->out->metadata) : CPM_OK;
    status = agree(c, status);
    if (!status)
        status = c->machine->describe(c->machine, &c->out->metadata, c->e);
    if (status)
        return status;
    status = agree(c, at_root(c) ? open_described(c) : CPM_OK);
    for (int i = 0; i < c->out->count; i++) /* of a resumed campaign */
        if (c->out->at[i].round >= c->round)
            c->round = c->out->at[i].round + 1;
    return status;
}

/* ---- planning, at rank 0 */

/* Appends x to the design unless it was measured or is planned already. */
static int add_new(const campaign *c, const cpm_experiment *x, cpm_measurements *planned,
                   cpm_design *to)
{
    const cpm_measurement mark = {.what = *x};
    if (cpm_measurements_find(c->out, x) >= 0 || cpm_measurements_find(planned, x) >= 0)
        return CPM_OK;
    int status = cpm_measurements_add(planned, &mark, c->e);
    return status ? status : cpm_design_add(to, x, c->e);
}

/* Keeps what is not measured yet, once: a file holds an experiment only once. */
static int copy_new(const campaign *c, const cpm_design *from, cpm_design *to)
{
    cpm_measurements planned = {0}; /* for its quick search */
    int status = CPM_OK;
    for (int r = 0, x = 0; r < from->rounds && !status; r++) {
        for (; x < from->end[r] && !status; x++)
            status = add_new(c, &from->at[x], &planned, to);
        if (!status)
            status = cpm_design_close_round(to, c->e);
    }
    cpm_measurements_clear(&planned);
    return status;
}

static int plan(campaign *c, cpm_planner *planner, void *context, cpm_design *next)
{
    cpm_design asked = {0};
    int status = planner(context, c->machine->n, c->out, &asked, c->e);
    if (!status)
        status = cpm_design_close_round(&asked, c->e);
    for (int x = 0; x < asked.count && !status; x++)
        status = cpm_experiment_check(&asked.at[x], c->machine->n, c->e);
    if (!status)
        status = copy_new(c, &asked, next);
    if (!status && c->options->serial)
        status = cpm_design_serial(next, c->e);
    if (!status && c->options->budget > 0)
        status = cpm_budget_order(next, c->e);
    cpm_design_clear(&asked);
    return status;
}

static int plan_and_open(campaign *c, cpm_planner *planner, void *context, cpm_design *next)
{
    int status = plan(c, planner, context, next);
    return status || c->opened ? status : open_output(c);
}

/* ---- a round, on all ranks */

/* What a rank needs for a round. */
typedef struct {
    cpm_experiment *x;
    cpm_measurement *results;
    travelling *packed;
    int count;
    int reps;     /* 0: until it is precise */
    int held_out; /* 1: it is for no fit, but for comparing with predictions */
} shared_round;

static int round_allocate(shared_round *r, cpm_error *e)
{
    size_t count = (size_t)(unsigned)r->count;
    r->packed = calloc(count, sizeof *r->packed);
    r->x = calloc(count, sizeof *r->x);
    r->results = calloc(count, sizeof *r->results);
    if (r->packed && r->x && r->results)
        return CPM_OK;
    return cpm_no_memory(e);
}

/* Everybody gets the experiments of a round, rank 0's next ones; count 0 ends the plan. That the
 * last round could not be kept is said in the place of a count, which spares an agreement. */
static int share_round(campaign *c, const cpm_experiment *next, shared_round *r)
{
    if (at_root(c) && c->kept)
        r->count = -1;
    int terms[] = {r->count, r->reps, r->held_out};
    int status = c->machine->broadcast(c->machine, terms, sizeof terms, c->e);
    r->count = terms[0];
    r->reps = terms[1];
    r->held_out = terms[2];
    if (!status && r->count < 0)
        status = agree(c, c->kept);
    if (status || r->count == 0)
        return status;
    status = agree(c, round_allocate(r, c->e));
    for (int i = 0; i < r->count && !status && at_root(c); i++)
        r->packed[i] = pack(&next[i]);
    if (!status)
        status = c->machine->broadcast(c->machine, r->packed, (size_t)r->count * sizeof *r->packed,
                                       c->e);
    for (int i = 0; i < r->count && !status; i++)
        r->x[i] = unpack(&r->packed[i], c->options->placement);
    return status;
}

/* Puts the results of a round into memory and on disk; what cannot be kept is freed. */
static int keep(campaign *c, cpm_measurement *results, int count)
{
    int status = CPM_OK;
    for (int i = 0; i < count; i++) {
        results[i].round = c->round;
        int added = cpm_measurements_add(c->out, &results[i], c->e);
        if (added)
            free(results[i].samples);
        else if (!status && c->file)
            added = cpm_meas_append(c->file, &results[i], c->e);
        status = status ? status : added;
    }
    c->done += count;
    return status || !c->file
               ? status
               : cpm_meas_sync(c->file, c->machine->now(c->machine) - c->start, c->e);
}

/* What a round is worth: as its experiment that is worth most. */
static int most_repetitions(const campaign *c, const shared_round *r)
{
    const cpm_precision *p = &c->options->precision;
    int most = c->options->repetitions ? p->min_reps : p->max_reps;
    for (int i = 0; i < r->count && c->options->repetitions; i++) {
        int worth = c->options->repetitions(c->context, &r->x[i], p->max_reps);
        most = worth > most ? worth : most;
    }
    return most < p->max_reps ? most : p->max_reps;
}

static int measure_at_once(campaign *c, const shared_round *r, const cpm_precision *p)
{
    cpm_machine *m = c->machine;
    if (r->held_out && m->together)
        m->together(m, true);
    int status = m->measure(m, r->x, r->count, p, r->results, c->e);
    if (r->held_out && m->together)
        m->together(m, false);
    return status;
}

static int measure_round(campaign *c, shared_round *r)
{
    cpm_precision p = c->options->precision;
    double begin = c->machine->now(c->machine);
    p.max_reps = most_repetitions(c, r);
    if (r->reps > p.max_reps)
        r->reps = p.max_reps;
    if (r->reps)
        p.min_reps = p.max_reps = r->reps;
    int status = measure_at_once(c, r, &p);
    double seconds = c->machine->now(c->machine) - begin;
    if (!status && at_root(c))
        c->kept = keep(c, r->results, r->count);
    if (!status && at_root(c) && !c->kept && r->reps)
        c->kept = cpm_costs_learn(&c->costs, r->x, r->reps, seconds, c->e);
    c->round++;
    return status;
}

static void report(const campaign *c, int remaining)
{
    if (at_root(c) && c->options->progress)
        c->options->progress(c->options->progress_context, c->done, c->done + remaining,
                             c->machine->now(c->machine) - c->start);
}

/* ---- a budget, at rank 0 */

static double time_used(const campaign *c)
{
    return c->machine->now(c->machine) - c->start;
}

/* Seconds from a round on with the least repetitions. */
static double least_time(const campaign *c, const cpm_design *d, int round)
{
    return c->options->precision.min_reps * cpm_costs_of(&c->costs, d, round);
}

/* Whether there is no time for that round; then it is noted what all would take. Of every kind and
 * size one experiment is measured in any case: without them that would be a guess. */
static bool is_used_up(campaign *c, const cpm_design *d, int round)
{
    const cpm_experiment *x = &d->at[round ? d->end[round - 1] : 0];
    if (x->kind && !cpm_costs_known(&c->costs, x))
        return false;
    double used = time_used(c), rest = least_time(c, d, round);
    double next = rest - least_time(c, d, round + 1);
    if (used < c->options->budget && used + next <= c->options->budget)
        return false;
    c->needed = used + rest;
    return true;
}

static bool is_late(const campaign *c)
{
    return at_root(c) && c->options->time_limit > 0 && time_used(c) >= c->options->time_limit;
}

/* Count and repetitions of the next round; none if the design or the time is at its end. */
static shared_round next_round(campaign *c, const cpm_design *d, int r, int first)
{
    shared_round round = {0};
    bool limited = at_root(c) && c->options->budget > 0;
    if (r >= d->rounds || (limited && is_used_up(c, d, r)) || is_late(c))
        return round;
    round.count = d->end[r] - first;
    round.held_out = at_root(c) && cpm_is_held_out(c->out, &d->at[first]);
    if (limited)
        round.reps = cpm_budget_reps(&c->costs, d, r, c->options->budget - time_used(c),
                                     &c->options->precision);
    return round;
}

/* Whether what the budget allowed is enough. */
static int judge(const campaign *c, void *context)
{
    cpm_error why = {0};
    if (c->needed <= 0 || !c->options->enough || !c->options->enough(context, c->out, &why))
        return CPM_OK;
    return cpm_fail(c->e, CPM_EDATA,
                    "a budget of %g s is too small for an estimate: %d repetitions of everything "
                    "take about %.2g s (now %s)%s",
                    c->options->budget, c->options->precision.min_reps, c->needed, why.text,
                    c->options->path ? "; what was measured is kept, and --resume goes on" : "");
}

/* Measures a planned design (rank 0's; the others pass an empty one). *measured: experiments. */
static int measure_design(campaign *c, const cpm_design *d, int *measured)
{
    *measured = 0;
    for (int r = 0, first = 0;; r++) {
        shared_round round = next_round(c, d, r, first);
        int status = share_round(c, d->at ? d->at + first : NULL, &round);
        if (!status && round.count)
            status = measure_round(c, &round);
        free(round.x);
        free(round.results);
        free(round.packed);
        if (status || round.count == 0)
            return status;
        first += round.count;
        *measured += round.count;
        report(c, d->count - first);
    }
}

/* What is to be said of the conditions under which all of it was measured. */
static int end_conditions(campaign *c)
{
    cpm_metadata more = {0};
    if (!c->options->ended)
        return CPM_OK;
    int status = c->options->ended(c->options->conditions, &c->out->metadata, &more, c->e);
    int added = CPM_OK;
    if (at_root(c) && !status)
        added = cpm_meas_add(c->file, &c->out->metadata, "warning", &more, c->e);
    cpm_metadata_clear(&more);
    return status ? status : agree(c, added);
}

static int run(campaign *c, cpm_planner *planner, void *context)
{
    int measured = 1, over = 0, status = CPM_OK;
    while (!status && measured && !over) {
        cpm_design next = {0};
        status = agree(c, at_root(c) ? plan_and_open(c, planner, context, &next) : CPM_OK);
        if (!status)
            status = measure_design(c, &next, &measured);
        cpm_design_clear(&next);
        over = c->needed > 0;
        if (!status && c->options->budget > 0)
            status = c->machine->broadcast(c->machine, &over, sizeof over, c->e);
    }
    if (!status)
        status = end_conditions(c);
    if (status || !(c->options->budget > 0))
        return status;
    return agree(c, at_root(c) ? judge(c, context) : CPM_OK);
}

int cpm_campaign_run(cpm_machine *machine, cpm_planner *planner, void *context,
                     const cpm_campaign *options, cpm_measurements *out, cpm_error *e)
{
    campaign c = {.machine = machine, .options = options, .context = context, .out = out, .e = e};
    int status = agree(&c, cpm_precision_check(&options->precision, e));
    if (!status)
        status = begin(&c);
    c.start = machine->now(machine);
    if (!status)
        status = run(&c, planner, context);
    double seconds = machine->now(machine) - c.start;
    if (!status && at_root(&c))
        out->duration = c.earlier + seconds;
    cpm_costs_clear(&c.costs);
    int complete = c.file && !status ? cpm_meas_complete(c.file, seconds, e) : CPM_OK;
    status = status ? status : agree(&c, complete);
    if (status || !c.options->file)
        cpm_meas_close(c.file);
    else
        *c.options->file = c.file;
    return status;
}
