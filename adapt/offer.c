/* Candidates are listed and predicted as for a choice; what may win among them is offered. */
#include "adapt/offer.h"

#include <math.h>
#include <stdlib.h>

#include "adapt/star_groups.h"
#include "adapt/textbook.h"
#include "base/vector.h"
#include "collectives/parameters.h"
#include "collectives/schedule/same_steps.h"
#include "collectives/tries.h"
#include "selection/evaluate.h"
#include "selection/mapped.h"
#include "selection/one_by_one.h"
#include "tables/table_selector.h"

/* Of each algorithm and threshold; thresholds of a row; either. */
enum { MOST_VARIANTS = 2, MOST_THRESHOLDS = 4, MOST_PARAMETERS = 4 };

/* What takes longer than the fastest, or than the library's own routine, by these factors cannot
 * win: models are wrong by less. */
static const double most_of_best = 3, most_of_native = 2;

/* What is not known to be the fastest of what a library may do takes at most so many times as long:
 * if it took longer it would be the model that is wrong. */
static const double most_of_fastest = 3;

/* Bytes of a block where nothing is known. */
static const size_t unknown_block = 4096;

/* Of thresholds in ascending order, bytes. */
static const size_t least_threshold = 256, most_threshold = 1 << 24, above_all = 1 << 30;

/* Of a host, where more than one may be better. */
static const int some_leaders = 4;

/* ---- the list */

static void clear_one(cpm_offer_one *x)
{
    free((int *)x->what.at.mapping);
    free((int *)x->what.at.parent);
}

void cpm_offer_clear(cpm_offer *o)
{
    for (int k = 0; k < o->count; k++)
        clear_one(&o->at[k]);
    free(o->at);
    *o = (cpm_offer){0};
}

/* Whatever the sizes and the buffers of switches are. */
static bool is_calm(const cpm_offer_one *x)
{
    const unsigned both = CPM_CALMS | CPM_OWN_SIZE;
    return x->what.algorithm && (x->what.algorithm->properties & both) == both;
}

void cpm_offer_expect_native(cpm_offer *o, double seconds)
{
    double predicted = o->at[0].as.predicted;
    if (predicted > 0 && seconds > predicted)
        o->at[0].as.predicted = fmin(seconds, most_of_fastest * predicted);
}

void cpm_offer_expect_calm(cpm_offer *o, double native, double calm)
{
    o->at[0].as.predicted = native;
    for (int k = 1; k < o->count; k++)
        if (is_calm(&o->at[k])) {
            o->at[k].as.predicted = calm;
            o->at[k].as.calm = true;
        }
}

/* Takes the owned parts of x, also on failure. */
static int append(cpm_offer *o, cpm_offer_one *x, cpm_error *e)
{
    if (!cpm_vector_extend(&o->at, o->count, sizeof *o->at)) {
        clear_one(x);
        return cpm_no_memory(e);
    }
    o->at[o->count++] = *x;
    return CPM_OK;
}

static int append_native(cpm_offer *o, const cpm_request *r, double seconds, bool at_risk,
                         cpm_error *e)
{
    cpm_offer_one native = {.what = cpm_request_collective(r, &(cpm_collective){0}),
                            .as = {.predicted = seconds, .at_risk = at_risk}};
    return append(o, &native, e);
}

static int append_other(cpm_offer *o, const cpm_collective *what, double seconds, bool at_risk,
                        cpm_error *e)
{
    cpm_offer_one x = {
        .what = *what,
        .as = {.predicted = seconds, .group = cpm_star_group(what->algorithm), .at_risk = at_risk}};
    return append(o, &x, e);
}

static bool has(const cpm_offer *o, const cpm_collective *what)
{
    for (int k = 0; k < o->count; k++)
        if (cpm_collective_equal(&o->at[k].what, what))
            return true;
    return false;
}

/* Gives out to the caller if all went well. */
static int hand_over(int status, cpm_offer *o, cpm_offer *out)
{
    if (status)
        cpm_offer_clear(o);
    else
        *out = *o;
    return status;
}

/* ---- which of the candidates */

typedef struct {
    candidate *is;
    bool taken;
} entry;

static double seconds_of(const candidate *x)
{
    return x->seconds < 0 ? INFINITY : x->seconds;
}

/* Those that are not known last; what is alike as it was listed. */
static int by_promise(const void *a, const void *b)
{
    const candidate *x = ((const entry *)a)->is, *y = ((const entry *)b)->is;
    double of_x = seconds_of(x), of_y = seconds_of(y);
    if (x->at_risk != y->at_risk)
        return x->at_risk ? 1 : -1;
    return of_x != of_y ? (of_x > of_y) - (of_x < of_y) : (x > y) - (x < y);
}

/* How many of the algorithm of entry k, and its threshold, come before it. */
static int variants_before(const entry *at, int k)
{
    const cpm_collective *x = &at[k].is->what;
    int count = 0;
    for (int i = 0; i < k; i++) {
        const cpm_collective *y = &at[i].is->what;
        count += x->algorithm == y->algorithm && x->with.threshold == y->with.threshold;
    }
    return count;
}

static int are_alike(const cpm_block_sizes *of, const candidate *a, const candidate *b, bool *alike,
                     cpm_error *e)
{
    cpm_schedule *x, *y;
    int status = cpm_collective_schedule(&a->what, of, &x, e);
    if (status)
        return status;
    status = cpm_collective_schedule(&b->what, of, &y, e);
    if (!status) {
        status = cpm_schedules_equal(x, y, alike, e);
        cpm_schedule_free(y);
    }
    cpm_schedule_free(x);
    return status;
}

/* Whether one that is as fast is the same under another name, whatever the sizes. */
static int find_taken(const entry *at, int k, const cpm_request *r, bool *found, cpm_error *e)
{
    const cpm_block_sizes of = {.bytes = r->bytes, .each = r->sizes};
    bool unknown = r->operation->like && !r->sizes;
    int status = CPM_OK;
    *found = false;
    for (int i = 0; i < k && !*found && !status && !unknown; i++)
        if (at[i].taken && seconds_of(at[i].is) == seconds_of(at[k].is))
            status = are_alike(&of, at[i].is, at[k].is, found, e);
    return status;
}

/* Every algorithm once, then once more, as many as may be. */
static int take(entry *at, int count, int most, const cpm_request *r, cpm_error *e)
{
    int status = CPM_OK;
    for (int variant = 0; variant < MOST_VARIANTS; variant++)
        for (int k = 0; k < count && most > 0 && !status; k++) {
            bool found = variants_before(at, k) != variant;
            if (!found)
                status = find_taken(at, k, r, &found, e);
            at[k].taken = at[k].taken || (!found && !status);
            most -= !found;
        }
    return status;
}

/* Whether what one is of the MPI library's is listed as CPM runs it, too: that is what is tried. */
static bool is_in_own_form(const candidates *c, const candidate *x)
{
    for (int k = 0; k < c->count && x->what.by_library; k++)
        if (!c->at[k].what.by_library && c->at[k].allowed && c->at[k].seconds >= 0 &&
            cpm_collective_equal(&c->at[k].what, &x->what))
            return true;
    return false;
}

/* Those that the request allows and that take at most so long. */
static int list_entries(const candidates *c, double most, entry *at)
{
    int count = 0;
    for (int k = 0; k < c->count; k++)
        if (c->at[k].allowed && seconds_of(&c->at[k]) <= most && !is_in_own_form(c, &c->at[k]))
            at[count++] = (entry){.is = &c->at[k]};
    qsort(at, (size_t)count, sizeof *at, by_promise);
    return count;
}

static int append_taken(cpm_offer *o, const entry *at, int count, bool predicted, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < count && !status; k++) {
        candidate *x = at[k].is;
        if (!at[k].taken || has(o, &x->what))
            continue;
        const cpm_collective what = x->what;
        x->what.at.mapping = x->what.at.parent = NULL;
        status = append_other(o, &what, predicted ? x->seconds : NAN, x->at_risk, e);
    }
    return status;
}

/* Appends what is worth trying of c, for r; it takes at most so long, if that is predicted. */
static int append_best(cpm_offer *o, const cpm_request *r, const candidates *c, double most,
                       bool predicted, cpm_error *e)
{
    entry *at = malloc((size_t)c->count * sizeof *at + 1);
    if (!at)
        return cpm_no_memory(e);
    int count = list_entries(c, most, at);
    int status = take(at, count, CPM_MOST_OFFERED + 1 - o->count, r, e);
    if (!status)
        status = append_taken(o, at, count, predicted, e);
    free(at);
    return status;
}

/* ---- without a model */

/* There is nothing to do. */
static bool is_idle(const cpm_request *r)
{
    return r->n < 2 || (r->bytes == 0 && !r->operation->like && !r->operation->dataless);
}

static cpm_request with_some_bytes(const cpm_request *r)
{
    cpm_request known = *r;
    if (r->operation->like && r->bytes == 0 && !r->sizes)
        known.bytes = unknown_block;
    return known;
}

/* All thresholds of a row. Returns how many. */
static int thresholds_of(const cpm_algorithm *a, cpm_parameters *with)
{
    int count = 0;
    while (count < MOST_THRESHOLDS && a->tries->thresholds[count]) {
        with[count] = (cpm_parameters){.threshold = a->tries->thresholds[count]};
        count++;
    }
    return count;
}

/* Blocks of a v-operation that are much shorter than the others need not go one by one: they are
 * sent as usual, also where all blocks of a call are. */
static size_t some_threshold(const cpm_algorithm *a, const cpm_request *r)
{
    bool own = a->properties & CPM_OWN_SIZE && a->properties & CPM_TAKES_THRESHOLD;
    return own && r->sizes && r->bytes > 4 ? r->bytes / 4 : 0;
}

/* The first that a row tries, and others that may be better for the size; where it is not known,
 * all thresholds. Returns how many. */
static int parameters_of(const cpm_algorithm *a, const cpm_request *r, const cpm_parameters *first,
                         cpm_parameters with[MOST_PARAMETERS])
{
    int count = 0;
    if (a->tries && a->tries->thresholds[0] && r->operation->like && !r->sizes)
        return thresholds_of(a, with);
    with[count] = *first;
    with[count++].threshold = some_threshold(a, r);
    cpm_parameters other = {0};
    if (a->tries && a->tries->segments)
        other.segment = cpm_textbook_segment(r->n, r->bytes);
    else if (a->properties & CPM_TAKES_LEADERS)
        other.leaders = some_leaders;
    else if (a->properties & CPM_TAKES_MESH && cpm_hosts_have_levels(r->hosts))
        other.mesh[0] = CPM_MESH_OF_HOSTS;
    if (cpm_parameters_given(&other))
        with[count++] = other;
    return count;
}

static int list_one(candidates *all, const cpm_request *r, const cpm_collective *what, cpm_error *e)
{
    candidate x = {.what = cpm_request_collective(r, what)};
    int status = cpm_request_asks(r, &x.what, &x.allowed, e);
    if (!status && x.allowed)
        status = cpm_textbook_seconds(r, &x.what, &x.seconds, e);
    return status || !x.allowed ? status : candidates_add(all, &x, e);
}

static int list_row(candidates *all, const cpm_request *r, const cpm_algorithm *a, cpm_error *e)
{
    cpm_parameters with[MOST_PARAMETERS], first;
    int status = CPM_OK;
    if (!cpm_algorithm_tries(a, r->n, r->bytes, NULL, &first, 1)) /* it makes no sense */
        return CPM_OK;
    int count = parameters_of(a, r, &first, with);
    for (int k = 0; k < count && !status; k++)
        status = list_one(all, r, &(cpm_collective){.algorithm = a, .with = with[k]}, e);
    return status;
}

static int append_by_textbook(cpm_offer *o, const cpm_request *r, cpm_error *e)
{
    candidates all = {0};
    int status = CPM_OK;
    for (const cpm_algorithm *a = cpm_algorithms; a->name && !status; a++)
        if (cpm_algorithm_serves(a, r->operation) && !a->theirs)
            status = list_row(&all, r, a, e);
    if (!status)
        status = append_best(o, r, &all, INFINITY, false, e);
    candidates_clear(&all);
    return status;
}

static int append_groups(cpm_offer *o, const cpm_request *r, cpm_error *e)
{
    const cpm_request known = with_some_bytes(r);
    return is_idle(r) ? CPM_OK : append_by_textbook(o, &known, e);
}

int cpm_offer_of_groups(const cpm_request *r, cpm_offer *out, cpm_error *e)
{
    cpm_offer o = {0};
    int status = append_native(&o, r, NAN, false, e);
    if (!status)
        status = append_groups(&o, r, e);
    return hand_over(status, &o, out);
}

/* ---- by a model */

/* What the library does itself: the fastest of what that may be; NaN if one of them is not known.
 */
static double native_seconds(const candidates *c, bool *at_risk)
{
    double fastest = INFINITY;
    *at_risk = false;
    for (int k = 0; k < c->count; k++) {
        const candidate *x = &c->at[k];
        if (x->usual && x->seconds < 0)
            return NAN;
        if (x->usual) {
            fastest = fmin(fastest, x->seconds);
            *at_risk = *at_risk || x->at_risk;
        }
    }
    return isinf(fastest) ? NAN : fastest;
}

/* The time of a routine that loses messages is no measure for the others. */
static double most_seconds(const candidates *c, double native, bool native_at_risk)
{
    const candidate *best = candidates_best(c);
    double most = best ? most_of_best * best->seconds : 0;
    return native_at_risk ? most : fmin(most, most_of_native * native); /* of NaN: the other */
}

static int append_judged(cpm_offer *o, const cpm_request *r, const candidates *c, cpm_error *e)
{
    bool at_risk;
    double native = native_seconds(c, &at_risk);
    int status = append_native(o, r, native, at_risk, e);
    if (status)
        return status;
    return append_best(o, r, c, most_seconds(c, native, at_risk), true, e);
}

/* Large blocks of a gatherv come one by one where gathers escalate, whatever their sizes are. */
static bool calm_of(const cpm_model *m, const cpm_request *r, cpm_collective *out)
{
    cpm_collective calm;
    if (!cpm_one_by_one(m, r, &calm))
        return false;
    *out = cpm_request_collective(r, &calm);
    return true;
}

static int list_candidates(const evaluation *j, const cpm_selector_options *options,
                           candidates *all, cpm_error *e)
{
    candidate calm = {.allowed = true, .seconds = -1};
    int status = candidates_list(j->model, options, &j->request, all, e);
    if (!status && calm_of(j->model, &j->request, &calm.what))
        status = candidates_add(all, &calm, e);
    return status;
}

static int append_predicted(cpm_offer *o, const cpm_model *m, const cpm_selector_options *options,
                            const cpm_request *r, cpm_error *e)
{
    evaluation j = evaluation_of(m, r, cpm_size_class_of(m, options, r), options->effort);
    candidates all = {0};
    j.within = most_of_best;
    int status = list_candidates(&j, options, &all, e);
    if (!status)
        status = evaluate_all(&j, &all, e);
    if (!status)
        status = mapped_add(&j, options->seconds, &all, e);
    if (!status && candidates_best(&all))
        status = append_judged(o, r, &all, e);
    candidates_clear(&all);
    return status;
}

static int append_unpredicted(cpm_offer *o, const cpm_model *m, const cpm_request *r, cpm_error *e)
{
    cpm_collective calm;
    int status = append_native(o, r, NAN, false, e);
    if (!status && !is_idle(r) && calm_of(m, r, &calm))
        status = append_other(o, &calm, NAN, false, e);
    return status ? status : append_groups(o, r, e);
}

/* A model that can predict nothing is none. */
static int append_by_model(cpm_offer *o, const cpm_model *m, const cpm_selector_options *options,
                           const cpm_request *r, cpm_error *e)
{
    bool sized = !r->operation->like || r->sizes || r->bytes > 0;
    int status = CPM_OK;
    if (sized && !is_idle(r))
        status = append_predicted(o, m, options, r, e);
    return status || o->count ? status : append_unpredicted(o, m, r, e);
}

int cpm_offer_of_model(const cpm_model *m, const cpm_selector_options *options,
                       const cpm_request *r, cpm_offer *out, cpm_error *e)
{
    cpm_offer o = {0};
    cpm_selector_options with_native = *options;
    cpm_request known = *r;
    with_native.native = true;
    if (r->n != m->n)
        return cpm_fail(e, CPM_EPROCESS, "a model of %d processes cannot predict for %d", m->n,
                        r->n);
    if (!r->hosts && cpm_hosts_have_levels(&m->on))
        known.hosts = &m->on;
    return hand_over(append_by_model(&o, m, &with_native, &known, e), &o, out);
}

/* ---- as STAR-MPI */

static int append_star(cpm_offer *o, const cpm_request *r, const cpm_algorithm *a, cpm_error *e)
{
    const cpm_collective row = {.algorithm = a};
    const cpm_collective what = cpm_request_collective(r, &row);
    bool allowed;
    if (!cpm_algorithm_serves(a, r->operation) || !cpm_star_has(a, r->bytes))
        return CPM_OK;
    int status = cpm_request_asks(r, &what, &allowed, e);
    return status || !allowed ? status : append_other(o, &what, NAN, false, e);
}

static int by_group(const void *a, const void *b)
{
    const cpm_offer_one *x = a, *y = b;
    if (x->as.group != y->as.group)
        return x->as.group - y->as.group;
    return (x->what.algorithm > y->what.algorithm) - (x->what.algorithm < y->what.algorithm);
}

int cpm_offer_of_star(const cpm_request *r, cpm_offer *out, cpm_error *e)
{
    cpm_offer o = {0};
    const char *like = r->operation->like ? r->operation->like : r->operation->name;
    if (!cpm_star_knows(like) || is_idle(r))
        return cpm_offer_of_groups(r, out, e);
    int status = append_native(&o, r, NAN, false, e);
    for (const cpm_algorithm *a = cpm_algorithms; a->name && !status; a++)
        status = append_star(&o, r, a, e);
    if (!status && o.count > 1)
        qsort(o.at + 1, (size_t)o.count - 1, sizeof *o.at, by_group);
    return hand_over(status, &o, out);
}

/* ---- thresholds */

static int append_threshold(cpm_offer *o, const cpm_request *r, const cpm_algorithm *a,
                            size_t threshold, cpm_error *e)
{
    const cpm_collective row = {.algorithm = a, .with.threshold = threshold};
    const cpm_collective what = cpm_request_collective(r, &row);
    return append_other(o, &what, NAN, false, e);
}

static int append_thresholds(cpm_offer *o, const cpm_request *r, const cpm_algorithm *a,
                             cpm_error *e)
{
    int status = append_threshold(o, r, a, CPM_FROM_NOTHING, e);
    for (size_t from = least_threshold; from < most_threshold && !status; from *= 2) {
        status = append_threshold(o, r, a, from, e);
        if (!status)
            status = append_threshold(o, r, a, from + from / 2, e);
    }
    if (!status)
        status = append_threshold(o, r, a, most_threshold, e);
    return status ? status : append_threshold(o, r, a, above_all, e);
}

int cpm_offer_of_thresholds(const cpm_request *r, cpm_offer *out, cpm_error *e)
{
    cpm_offer o = {0};
    int status = append_native(&o, r, NAN, false, e);
    for (const cpm_algorithm *a = cpm_algorithms; a->name && !status; a++)
        if (cpm_algorithm_serves(a, r->operation) && a->tries && a->tries->thresholds[0])
            status = append_thresholds(&o, r, a, e);
    return hand_over(status, &o, out);
}

/* ---- by a table */

static int append_choice(cpm_offer *o, const cpm_table *t, const cpm_request *r, cpm_error *e)
{
    cpm_selector *s;
    cpm_choice choice = {0};
    int status = cpm_selector_of_table(t, &s, e);
    if (status)
        return status;
    status = s->choose(s, r, &choice, e);
    s->free(s);
    if (!status && choice.what.algorithm) {
        const cpm_collective what = cpm_request_collective(r, &choice.what);
        choice.what.at.mapping = choice.what.at.parent = NULL;
        status = append_other(o, &what, NAN, false, e);
    }
    cpm_choice_clear(&choice);
    return status;
}

int cpm_offer_of_table(const cpm_table *t, const cpm_request *r, cpm_offer *out, cpm_error *e)
{
    cpm_offer o = {0};
    int status = append_native(&o, r, NAN, false, e);
    if (!status && !is_idle(r))
        status = append_choice(&o, t, r, e);
    if (!status)
        status = append_groups(&o, r, e);
    return hand_over(status, &o, out);
}
