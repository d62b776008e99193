#include "tools/predict/long_walks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/schedule/symmetry.h"
#include "models/predict.h"
#include "models/symmetry.h"
#include "selection/effort.h"

/* Ten seconds and more of a flow walk. */
static const double most_messages = 1e7;
/* Fewer processes send so many only in tiny segments, which somebody asked for; and counting them
 * takes as long as a walk. */
enum { MANY = 512 };

/* Of how many like ranks one is walked; where the schedule does not say that they are alike,
 * finding out would take as long. */
static double likes_of(const cpm_model *m, const cpm_schedule *s, const cpm_block_sizes *sizes)
{
    cpm_model_symmetry y;
    bool found;
    if (!cpm_schedule_says_symmetric(s, sizes, &s->symmetry) ||
        cpm_model_find_symmetry(m, s, sizes, &y, &found, NULL) || !found)
        return 1;
    cpm_model_symmetry_clear(&y);
    return (double)m->n / y.ranks.period;
}

static double messages_of(const prediction *p, int choice, size_t bytes, bool different)
{
    const cpm_block_sizes sizes = {.bytes = bytes};
    cpm_effort effort = {0};
    cpm_collective what;
    cpm_schedule *s;
    if (prediction_what(p, choice, bytes, &what, NULL) ||
        cpm_model_schedule(p->model, &what, &sizes, &s, NULL))
        return 0;
    cpm_walk_effort(s, &sizes, &effort, NULL);
    if (different && effort.messages > most_messages)
        effort.messages /= likes_of(p->model, s, &sizes);
    cpm_schedule_free(s);
    return effort.messages;
}

double long_walks_messages(const prediction *p, int choice, size_t bytes)
{
    return messages_of(p, choice, bytes, false);
}

/* ---- leaving out */

static bool names_algorithms(const call *c)
{
    for (int k = 1; k < c->operands; k++)
        if (strchr(c->operand[k], ':'))
            return true;
    return false;
}

static bool is_quicker_left(const choices *c, const bool *is_long, const cpm_operation *operation)
{
    for (int k = 0; k < c->count; k++)
        if (c->at[k].operation == operation && !is_long[k])
            return true;
    return false;
}

/* One line with all of them. */
static void tell(const choices *c, const bool *leaves)
{
    const char *before = "cpm predict: left out, with too many messages to walk through: ";
    for (int k = 0; k < c->count; k++)
        if (leaves[k]) {
            fprintf(stderr, "%s%s:%s", before, c->at[k].operation->name,
                    cpm_collective_algorithm(&c->at[k]));
            before = ", ";
        }
    fputs(". Name them to predict them\n", stderr);
}

/* leaves[count]: which are too long; those of an operation that has no others stay. */
static bool choose(const prediction *p, bool *is_long, bool *leaves)
{
    const choices *c = &p->which;
    const cpm_sizes *sizes = &p->c->set->calls.sizes;
    size_t largest = sizes->at[sizes->count - 1];
    bool any = false;
    for (int k = 0; k < c->count; k++)
        is_long[k] = messages_of(p, k, largest, true) > most_messages;
    for (int k = 0; k < c->count; k++) {
        leaves[k] = is_long[k] && is_quicker_left(c, is_long, c->at[k].operation);
        any |= leaves[k];
    }
    return any;
}

static void drop(choices *c, const bool *leaves)
{
    int kept = 0;
    for (int k = 0; k < c->count; k++)
        if (!leaves[k])
            c->at[kept++] = c->at[k];
    c->count = kept;
}

int long_walks_leave_out(prediction *p, cpm_error *e)
{
    if (p->model->n < MANY || names_algorithms(p->c) || p->by.by_formula || p->model->type->predict)
        return CPM_OK;
    bool *is_long = calloc(2 * (size_t)p->which.count + 1, sizeof *is_long);
    if (!is_long)
        return cpm_no_memory(e);
    bool *leaves = is_long + p->which.count;
    if (choose(p, is_long, leaves)) {
        tell(&p->which, leaves);
        drop(&p->which, leaves);
    }
    free(is_long);
    return CPM_OK;
}
