/* A model chooses: the fastest of what it predicts, unless the library's own routine is as good. */
#include <math.h>
#include <stdlib.h>

#include "base/monotonic.h"
#include "selection/decomposed.h"
#include "selection/evaluate.h"
#include "selection/mapped.h"
#include "selection/model_selector.h"
#include "selection/one_by_one.h"

typedef struct {
    cpm_selector base;
    const cpm_model *model;
    cpm_selector_options options;
    double spent; /* seconds in decisions so far */
} selector;

/* The effort of decisions of which there have been many: a program must not spend its time on them.
 */
static const double hurried = 0.01;

/* ---- answers */

static const cpm_choice library_always = {.most = SIZE_MAX, .any_root = true};

/* The fastest of those that the library's own routine may be; NULL if one of them is not known. */
static const candidate *fastest_usual(const candidates *c, bool *at_risk)
{
    const candidate *fastest = NULL;
    *at_risk = false;
    for (int k = 0; k < c->count; k++) {
        const candidate *x = &c->at[k];
        if (!x->usual)
            continue;
        if (x->seconds < 0)
            return NULL;
        *at_risk = *at_risk || x->at_risk;
        fastest = fastest && fastest->seconds <= x->seconds ? fastest : x;
    }
    return fastest;
}

/* Whether best is worth leaving the library's own routine for. */
static bool is_worth_it(const candidate *best, const candidate *usual, bool usual_at_risk,
                        double gain)
{
    if (usual_at_risk != best->at_risk)
        return usual_at_risk;
    return best->seconds < (1 - gain) * usual->seconds;
}

/* x gives its parts to the answer. */
static void answer(candidate *x, bool native, cpm_choice *out)
{
    out->expected = x->finish;
    x->finish = NULL;
    if (native)
        return;
    out->what = x->what;
    x->what.at.mapping = x->what.at.parent = NULL;
}

static candidate *of_list(const candidates *c, const candidate *x)
{
    return x ? &c->at[x - c->at] : NULL;
}

/* The best, or the library's own where it may be. */
static void decide(const selector *s, const candidates *c, cpm_choice *out)
{
    bool at_risk;
    candidate *best = of_list(c, candidates_best(c)),
              *usual = of_list(c, fastest_usual(c, &at_risk));
    if (!s->options.native && best)
        answer(best, false, out);
    if (!s->options.native || !best || !usual)
        return;
    bool leave = is_worth_it(best, usual, at_risk, s->options.gain);
    answer(leave ? best : usual, !leave, out);
}

/* ---- nonblocking calls */

/* So many of the fastest are looked at, and what is usual. */
enum { MOST_HIDDEN = 4 };

/* The fastest in seconds that are known by walks, longer than after, and no longer than most. */
static candidate *next_known(const candidates *c, double after, double most)
{
    candidate *found = NULL;
    for (int k = 0; k < c->count; k++) {
        candidate *x = &c->at[k];
        if (x->finish && x->seconds > after && x->seconds <= most &&
            (!found || x->seconds < found->seconds))
            found = x;
    }
    return found;
}

/* With computing as long as the usual call takes alone, as the OSU benchmarks have it. Negative:
 * not known. */
static int predict_hidden(const evaluation *v, const candidate *x, double computing,
                          double *seconds, cpm_error *e)
{
    evaluation there = *v;
    candidate same = {.what = x->what, .allowed = true, .seconds = -1};
    there.computing = computing;
    int status = evaluate_one(&there, &same, e);
    *seconds = same.seconds;
    free(same.finish);
    return status;
}

/* Of those that take no longer alone than what is usual, the one by which call and computing
 * together end first; the library's own unless that is worth it. */
static int decide_hidden(const selector *s, const evaluation *v, const candidates *c,
                         cpm_choice *out, cpm_error *e)
{
    bool at_risk;
    candidate *usual = of_list(c, fastest_usual(c, &at_risk)), *best = usual;
    double least = -1, after = -1;
    if (!usual)
        return CPM_OK;
    int status = predict_hidden(v, usual, usual->seconds, &least, e);
    double worth = least * (1 - s->options.gain);
    for (int k = 0; k < MOST_HIDDEN && !status && least >= 0; k++) {
        double with;
        candidate *x = next_known(c, after, usual->seconds);
        if (!x)
            break;
        after = x->seconds;
        status = predict_hidden(v, x, usual->seconds, &with, e);
        if (!status && !x->at_risk && with >= 0 && with < worth) {
            worth = with;
            best = x;
        }
    }
    if (!status)
        answer(best, best->usual, out);
    return status;
}

/* ---- requests */

/* What nothing is known of, and what there is nothing to do in. */
static bool is_for_library(const selector *s, const cpm_request *r)
{
    bool sizes_differ = r->operation->like != NULL;
    bool empty = sizes_differ ? !r->sizes : r->bytes == 0 && !r->operation->dataless;
    return s->options.native && (r->n < 2 || empty);
}

/* In a homogeneous model of one level all roots are alike; orders of contributions differ, though.
 */
static bool is_for_any_root(const selector *s, const cpm_request *r, const cpm_choice *c)
{
    const cpm_model *m = s->model;
    bool alike = m->classes.count == 1 && m->across.count == 0 && m->switches.count == 0 &&
                 !cpm_hosts_have_levels(r->hosts) && !r->operation->combines && !c->what.at.mapping;
    return !r->operation->rooted || alike;
}

/* Seconds: so long that the best of few processes is found, and no program of many waits for what
 * it cannot gain. Nothing is left out of 1,024 where messages do not hinder each other: nobody
 * knows of a plain walk that there was no time for how long it would have been. */
static double search_for(const cpm_model *m, int n)
{
    static const double least = 0.006, each = 1.6e-4, each_plain = 4e-4;
    return fmax(least, (cpm_model_flows(m) ? each : each_plain) * n);
}

/* ---- segments that are others for other sizes of a class */

typedef struct {
    size_t at[16];
    int count;
} segments;

static bool is_left_out(const selector *s, const segments *out, const candidate *x)
{
    bool is = false;
    for (int k = 0; k < out->count; k++)
        is = is || out->at[k] == x->what.with.segment;
    return is && !x->usual && !candidates_named(&s->options, &x->what);
}

static void leave_out(const selector *s, const segments *out, candidates *all)
{
    for (int k = all->count - 1; k >= 0; k--)
        if (is_left_out(s, out, &all->at[k]))
            candidates_remove(all, k);
}

/* Whether x takes longer for a smaller block of the class than for the largest, by more than what
 * is worth a choice. Where calls follow each other that is not asked, but taken to be so. */
static int is_slower_inside(const selector *s, const evaluation *v, const candidate *x, bool *is,
                            cpm_error *e)
{
    evaluation there = *v;
    candidate same = {.what = x->what, .allowed = true, .seconds = -1};
    there.request.bytes = cpm_size_class_torn_at(&v->sizes, s->model, x->what.with.segment);
    *is = there.request.bytes > 0;
    if (!*is || v->batch != CPM_ISOLATED)
        return CPM_OK;
    int status = evaluate_one(&there, &same, e);
    *is = !status && same.seconds > x->seconds * (1 + s->options.gain);
    free(same.finish);
    return status;
}

/* Lists and predicts. A class is decided by its largest block: when the best does not hold for
 * another, its segments are left out, and the rest is evaluated again. MPI libraries that a table
 * is for cut blocks themselves, into segments that are whole. */
static int evaluate_class(const selector *s, const evaluation *v, candidates *all, cpm_error *e)
{
    segments out = {.count = 0};
    bool again;
    int status;
    do {
        again = false;
        candidates_clear(all);
        status = candidates_list(s->model, &s->options, &v->request, all, e);
        leave_out(s, &out, all);
        if (!status)
            status = evaluate_all(v, all, e);
        const candidate *best = status ? NULL : candidates_best(all);
        if (best && !best->usual && !v->request.sizes && !s->options.theirs &&
            !candidates_named(&s->options, &best->what))
            status = is_slower_inside(s, v, best, &again, e);
        again = again && out.count < (int)(sizeof out.at / sizeof *out.at);
        if (again)
            out.at[out.count++] = best->what.with.segment;
    } while (again && !status);
    return status;
}

static int predict_and_choose(const selector *s, const cpm_request *r, cpm_choice *out,
                              cpm_error *e)
{
    bool hurry = s->options.total > 0 && s->spent > s->options.total;
    candidates all = {0};
    cpm_size_class sizes = {r->bytes, r->bytes};
    if (!s->options.exact || r->operation->dataless)
        sizes = cpm_size_class_of(s->model, &s->options, r);
    evaluation v = evaluation_of(s->model, r, sizes, hurry ? hurried : s->options.effort);
    if (isfinite(v.most))
        v.most_of_search = fmin(v.most, search_for(s->model, r->n));
    v.batch = s->options.batch;
    if (s->options.native)
        v.share_of_usual = 1 - s->options.gain;
    int status = evaluate_class(s, &v, &all, e);
    if (!status && isinf(s->options.effort))
        status = decomposed_add(&v, &s->options, &all, e);
    if (!status)
        status = mapped_add(&v, hurry ? 0 : s->options.seconds, &all, e);
    if (!status) {
        *out = (cpm_choice){.least = sizes.least, .most = sizes.most, .by_sizes = r->sizes != NULL};
        if (r->begun && s->options.native)
            status = decide_hidden(s, &v, &all, out, e);
        else
            decide(s, &all, out);
        out->any_root = is_for_any_root(s, r, out);
    }
    candidates_clear(&all);
    return status;
}

/* Where gathers escalate, large blocks of a gatherv come one by one. This is good for all sizes, so
 * nobody has to be told those of others, which would cost more than other algorithms gain; and for
 * small blocks it is what libraries do. */
static bool is_for_one_by_one(const selector *s, const cpm_request *r, cpm_choice *out)
{
    cpm_collective calm;
    if (!s->options.native || !cpm_one_by_one(s->model, r, &calm))
        return false;
    *out = library_always;
    out->what = calm;
    return true;
}

static int choose_known(selector *s, const cpm_request *r, cpm_choice *out, cpm_error *e)
{
    if (is_for_one_by_one(s, r, out))
        return CPM_OK;
    if (is_for_library(s, r)) {
        *out = library_always;
        if (r->n >= 2 && !r->operation->like)
            out->most = 0;
        return CPM_OK;
    }
    double start = cpm_monotonic_seconds();
    int status = predict_and_choose(s, r, out, e);
    s->spent += cpm_monotonic_seconds() - start;
    return status;
}

static int choose(cpm_selector *base, const cpm_request *r, cpm_choice *out, cpm_error *e)
{
    selector *s = (selector *)base;
    cpm_request known = *r;
    if (r->n != s->model->n)
        return cpm_fail(e, CPM_EPROCESS, "a model of %d processes cannot choose for %d",
                        s->model->n, r->n);
    if (!r->hosts && cpm_hosts_have_levels(&s->model->on))
        known.hosts = &s->model->on;
    if (!r->topology)
        known.topology = s->options.topology;
    return choose_known(s, &known, out, e);
}

static void finish(cpm_selector *s)
{
    free(s);
}

int cpm_selector_of_model(const cpm_model *m, const cpm_selector_options *options,
                          cpm_selector **out, cpm_error *e)
{
    selector *s = malloc(sizeof *s);
    if (!s)
        return cpm_no_memory(e);
    *s = (selector){.base = {.choose = choose, .free = finish}, .model = m, .options = *options};
    *out = &s->base;
    return CPM_OK;
}
