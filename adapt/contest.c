/* Contests: their outcomes, and what follows from these: the next measurements, and a table. */
#include "adapt/contest.h"

#include <math.h>
#include <stdlib.h>

#include "base/rank_tests.h"

/* Everything that is looked at. */
typedef struct {
    const cpm_contests *c;
    const cpm_measurements *m;
    cpm_error *e;
} book;

static const cpm_measurement *find(const book *b, const cpm_collective *what, size_t bytes)
{
    const cpm_experiment x = cpm_experiment_of(what, bytes);
    int at = cpm_measurements_find(b->m, &x);
    return at < 0 ? NULL : &b->m->at[at];
}

static double value(const book *b, const cpm_measurement *r)
{
    return cpm_measurement_value(r, b->m->statistic);
}

static bool is_native(const cpm_measurement *r)
{
    return !r->what.collective.algorithm;
}

/* ---- who is faster */

/* Whether x is faster than y by the gain, and not by chance: y is one of so many that x could have
 * been compared with. Without repetitions nothing is sure. */
static int is_faster(const book *b, const cpm_measurement *x, const cpm_measurement *y, int others,
                     bool *out)
{
    cpm_rank_test test;
    *out = false;
    if (!x->samples || !y->samples || value(b, x) > (1 - b->c->gain) * value(b, y))
        return CPM_OK;
    int status = cpm_rank_sum_test(x->samples, x->summary.reps, y->samples, y->summary.reps,
                                   1 - b->c->level, &test, b->e);
    *out = !status && test.shift < 0 && test.p * others <= b->c->level;
    return status;
}

/* The library's own is left only for who is faster for sure. */
static int is_better(const book *b, const cpm_measurement *x, const cpm_measurement *y, bool *out)
{
    bool is_left = false;
    *out = value(b, x) < value(b, y);
    if (is_native(y))
        return is_faster(b, x, y, 1, out);
    if (!is_native(x))
        return CPM_OK;
    int status = is_faster(b, y, x, 1, &is_left);
    *out = !is_left;
    return status;
}

static const cpm_measurement *fastest(const book *b, const cpm_contest *x,
                                      const cpm_measurement *but)
{
    const cpm_measurement *best = NULL;
    for (int k = 0; k < x->count; k++) {
        const cpm_measurement *r = find(b, &x->at[k], x->bytes);
        if (r && r != but && (!best || value(b, r) < value(b, best)))
            best = r;
    }
    return best;
}

static int count_measured(const book *b, const cpm_contest *x)
{
    int count = 0;
    for (int k = 0; k < x->count; k++)
        count += find(b, &x->at[k], x->bytes) != NULL;
    return count;
}

/* ---- who still has a chance */

static bool is_predicted(const cpm_contest *x, int k)
{
    return x->predicted && x->predicted[k] >= 0;
}

/* The most that predictions of the operation were off, as a logarithm; 0: none was measured. */
static double error_of_model(const book *b, const cpm_operation *o)
{
    double most = 0;
    for (int i = 0; i < b->c->count; i++) {
        const cpm_contest *x = &b->c->at[i];
        for (int k = 1; k < x->count && x->operation == o; k++) {
            const cpm_measurement *r = is_predicted(x, k) ? find(b, &x->at[k], x->bytes) : NULL;
            if (r)
                most = fmax(most, fabs(log(value(b, r) / x->predicted[k])));
        }
    }
    return most;
}

/* The library's own, the first of the others, and what nothing is predicted of, whatever was
 * measured; the others when the first was, and if they would win were the model twice as far off.
 */
static bool has_chance(const book *b, const cpm_contest *x, int k)
{
    if (k < 2 || !is_predicted(x, k))
        return true;
    const cpm_measurement *best = find(b, &x->at[1], x->bytes) ? fastest(b, x, NULL) : NULL;
    return best && x->predicted[k] * exp(-2 * error_of_model(b, x->operation)) <
                       (1 - b->c->gain) * value(b, best);
}

static int count_dropped(const book *b, const cpm_contest *x)
{
    int count = x->dropped;
    for (int k = 2; k < x->count && find(b, &x->at[1], x->bytes); k++)
        count += !find(b, &x->at[k], x->bytes) && !has_chance(b, x, k);
    return count;
}

/* ---- who has won */

/* Who has won before stays unless the best is faster for sure; best or that one, if it is faster
 * than the library's own for sure. */
static int choose(const book *b, const cpm_measurement *best, const cpm_measurement *stays,
                  cpm_outcome *out)
{
    const int others = out->measured - 1;
    bool ahead = true, sure = true;
    int status = CPM_OK;
    if (stays && stays != best)
        status = is_faster(b, best, stays, others, &ahead);
    const cpm_measurement *x = stays && !(ahead && best != stays) ? stays : best;
    if (!status && !is_native(x))
        status = is_faster(b, x, out->native, others, &sure);
    if (!status && !sure && x != best && !is_native(best)) {
        x = best;
        status = is_faster(b, x, out->native, others, &sure);
    }
    out->winner = sure ? x : out->native;
    out->within_noise = is_native(out->winner) && !is_native(best);
    return status;
}

static int decide(const book *b, const cpm_contest *x, const cpm_collective *before,
                  cpm_outcome *out)
{
    *out = (cpm_outcome){.native = find(b, &x->at[0], x->bytes),
                         .measured = count_measured(b, x),
                         .dropped = count_dropped(b, x)};
    if (!out->native)
        return CPM_OK;
    const cpm_measurement *stays = NULL;
    for (int k = 0; k < x->count && before && !stays; k++)
        if (cpm_collective_same(before, &x->at[k]))
            stays = find(b, &x->at[k], x->bytes);
    int status = choose(b, fastest(b, x, NULL), stays, out);
    out->next = fastest(b, x, out->winner);
    if (out->next && value(b, out->next) > 0)
        out->lead = 1 - value(b, out->winner) / value(b, out->next);
    return status;
}

int cpm_contest_outcome(const cpm_contests *c, const cpm_contest *x, const cpm_collective *before,
                        const cpm_measurements *m, cpm_outcome *out, cpm_error *e)
{
    return decide(&(book){c, m, e}, x, before, out);
}

/* ---- where winners change */

/* Between two sizes: the first wins up to low, the second from high on. */
typedef struct {
    const cpm_measurement *first, *second; /* at these sizes */
    size_t ask; /* both have to be measured for blocks of so many bytes; 0: it is found */
} change;

static size_t size_of(const cpm_measurement *r)
{
    return r->what.send_bytes;
}

/* To a quarter of the size: where two take about the same time it matters little who runs. */
static size_t middle(size_t low, size_t high)
{
    size_t at = (size_t)sqrt((double)(low ? low : 1) * (double)high);
    if (at >= 128)
        at -= at % 8;
    bool close = high - low <= 8 || high - low <= low / 4 || at <= low;
    return close ? 0 : at;
}

static int find_change(const book *b, const cpm_measurement *first, const cpm_measurement *second,
                       change *out)
{
    const cpm_collective *low = &first->what.collective, *high = &second->what.collective;
    int status = CPM_OK;
    *out = (change){first, second, 0};
    while (!status && (out->ask = middle(size_of(out->first), size_of(out->second)))) {
        const cpm_measurement *x = find(b, low, out->ask), *y = find(b, high, out->ask);
        bool second_is_better;
        if (!x || !y)
            return CPM_OK;
        status = is_better(b, y, x, &second_is_better);
        if (second_is_better)
            out->second = y;
        else
            out->first = x;
    }
    return status;
}

static bool same_winner(const cpm_outcome *a, const cpm_outcome *b)
{
    return cpm_collective_same(&a->winner->what.collective, &b->winner->what.collective);
}

/* Calls each with every outcome, those without a winner too, and with the change before it (NULL:
 * there is none). */
typedef int visitor(const book *b, const cpm_contest *x, const cpm_outcome *now,
                    const change *before, void *context);

static int visit(const book *b, visitor *each, void *context)
{
    cpm_outcome last = {0}, now;
    bool gap = false; /* between the last that was measured and this one */
    int status = CPM_OK;
    for (int k = 0; k < b->c->count && !status; k++) {
        const cpm_contest *x = &b->c->at[k];
        change met;
        if (k && x->operation != b->c->at[k - 1].operation)
            last.winner = NULL;
        const cpm_collective *before = last.winner ? &last.winner->what.collective : NULL;
        status = decide(b, x, before, &now);
        bool changes = !status && !gap && last.winner && now.winner && b->c->divide &&
                       !same_winner(&last, &now);
        if (changes)
            status = find_change(b, last.winner, now.winner, &met);
        if (!status)
            status = each(b, x, &now, changes ? &met : NULL, context);
        gap = !now.winner;
        if (now.winner)
            last = now;
    }
    return status;
}

/* ---- what is next */

typedef struct {
    const cpm_contest *x;
    int index, depth;
} turn;

/* 0 at the ends, 1 in their middle, 2 in the middles between ... */
static int depth_of(int i, int count)
{
    int low = 0, high = count - 1, depth = 1;
    if (i == low || i == high)
        return 0;
    for (int at = (low + high) / 2; at != i; at = (low + high) / 2, depth++)
        if (i < at)
            high = at;
        else
            low = at;
    return depth;
}

static int in_turn(const void *a, const void *b)
{
    const turn *x = a, *y = b;
    if (x->x->weight != y->x->weight)
        return x->x->weight > y->x->weight ? -1 : 1;
    return x->depth != y->depth ? x->depth - y->depth : x->index - y->index;
}

static void sort_turns(const cpm_contests *c, turn *t)
{
    for (int first = 0, behind; first < c->count; first = behind) {
        for (behind = first + 1; behind < c->count; behind++)
            if (c->at[behind].operation != c->at[first].operation)
                break;
        for (int k = first; k < behind; k++)
            t[k] = (turn){&c->at[k], k, depth_of(k - first, behind - first)};
    }
    qsort(t, (size_t)c->count, sizeof *t, in_turn);
}

static int ask(const book *b, const cpm_collective *what, size_t bytes, cpm_design *next)
{
    const cpm_experiment x = cpm_experiment_of(what, bytes);
    if (find(b, what, bytes))
        return CPM_OK;
    int status = cpm_design_add(next, &x, b->e);
    return status ? status : cpm_design_close_round(next, b->e);
}

static int ask_contests(const book *b, cpm_design *next)
{
    turn *t = malloc((size_t)b->c->count * sizeof *t + 1);
    int status = t ? CPM_OK : cpm_no_memory(b->e);
    if (!status)
        sort_turns(b->c, t);
    for (int i = 0; i < b->c->count && !status; i++)
        for (int k = 0; k < t[i].x->count && !status; k++)
            if (has_chance(b, t[i].x, k))
                status = ask(b, &t[i].x->at[k], t[i].x->bytes, next);
    free(t);
    return status;
}

static int ask_change(const book *b, const cpm_contest *x, const cpm_outcome *now,
                      const change *before, void *context)
{
    cpm_design *next = context;
    (void)x, (void)now;
    if (!before || !before->ask)
        return CPM_OK;
    int status = ask(b, &before->first->what.collective, before->ask, next);
    return status ? status : ask(b, &before->second->what.collective, before->ask, next);
}

int cpm_contests_next(const cpm_contests *c, const cpm_measurements *m, cpm_design *next,
                      cpm_error *e)
{
    const book b = {c, m, e};
    int before = next->count, status = ask_contests(&b, next);
    return status || next->count > before ? status : visit(&b, ask_change, next);
}

/* ---- the table */

typedef struct {
    cpm_table *table;
    int n;
} destination;

static bool has_rules(const destination *to, const cpm_operation *o)
{
    const cpm_rules *r = cpm_table_find(to->table, o, to->n);
    return r && r->operation == o && r->n == to->n;
}

/* Where nobody knows the sizes of a call there is one rule, for all of them. */
static int put_rule(const book *b, const destination *to, const cpm_measurement *r,
                    const cpm_rule_figures *figures)
{
    const cpm_operation *o = r->what.collective.operation;
    const bool only = o->sizes == CPM_KNOWN_TO_NOBODY;
    const cpm_rule rule = {.from = only ? 0 : size_of(r),
                           .what = r->what.collective,
                           .seconds = only ? NAN : value(b, r),
                           .batch = b->c->batch,
                           .figures = *figures};
    return only && has_rules(to, o) ? CPM_OK : cpm_table_add(to->table, o, to->n, &rule, b->e);
}

/* The lower end of the share of the library's own time that r saves. */
static double least_gain(const book *b, const cpm_measurement *r, const cpm_measurement *native)
{
    const cpm_summary *own = &r->summary, *theirs = &native->summary;
    if (is_native(r) || own->reps < 2 || theirs->reps < 2)
        return 0;
    const cpm_mean above = {value(b, r), own->sd * own->sd, own->reps};
    const cpm_mean below = {value(b, native), theirs->sd * theirs->sd, theirs->reps};
    double gain = 1 - cpm_ratio_of_means(&above, &below, CPM_CONTEST_CONFIDENCE).high;
    return isfinite(gain) ? gain : 0;
}

/* The two that were measured where winners change. */
static int put_change(const book *b, const destination *to, const change *x)
{
    const cpm_measurement *other = find(b, &x->first->what.collective, size_of(x->second));
    cpm_rule_figures figures = {.measured = other ? 2 : 1};
    if (other && is_native(other))
        figures.native = value(b, other);
    if (other && is_native(other))
        figures.least_gain = least_gain(b, x->second, other);
    if (is_native(x->second))
        figures.native = value(b, x->second);
    if (other && value(b, other) > 0)
        figures.lead = 1 - value(b, x->second) / value(b, other);
    return put_rule(b, to, x->second, &figures);
}

/* Nobody knows who is the fastest there: MPI's own may not be left, or for longer than its rules
 * say. */
static int put_unmeasured(const destination *to, const cpm_contest *x, cpm_error *e)
{
    const cpm_rules *r = cpm_table_find(to->table, x->operation, to->n);
    const cpm_rule rule = {.from = x->bytes, .what = x->at[0], .seconds = NAN};
    bool chosen =
        has_rules(to, x->operation) && r->at[r->count - 1].what.algorithm != x->at[0].algorithm;
    return chosen && x->operation->sizes != CPM_KNOWN_TO_NOBODY
               ? cpm_table_add(to->table, x->operation, to->n, &rule, e)
               : CPM_OK;
}

static int put(const book *b, const cpm_contest *x, const cpm_outcome *now, const change *before,
               void *context)
{
    if (!now->winner)
        return put_unmeasured(context, x, b->e);
    const cpm_rule_figures figures = {.measured = now->measured,
                                      .native = value(b, now->native),
                                      .lead = now->lead,
                                      .least_gain = least_gain(b, now->winner, now->native)};
    int status = CPM_OK;
    if (before && size_of(before->second) < x->bytes)
        status = put_change(b, context, before);
    return status ? status : put_rule(b, context, now->winner, &figures);
}

int cpm_contests_table(const cpm_contests *c, const cpm_measurements *m, int n, cpm_table *t,
                       cpm_error *e)
{
    destination to = {t, n};
    return visit(&(book){c, m, e}, put, &to);
}
