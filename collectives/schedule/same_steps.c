/* Rank by rank. */
#include "collectives/schedule/same_steps.h"

static bool same_shape(const cpm_schedule *a, const cpm_schedule *b)
{
    if (a->n != b->n || a->root != b->root || a->blocks != b->blocks || a->apart != b->apart)
        return false;
    for (int64_t p = 0; p < a->blocks; p++)
        if (cpm_unit_at(a, p) != cpm_unit_at(b, p) || cpm_piece_at(a, p) != cpm_piece_at(b, p))
            return false;
    return true;
}

static bool same_steps(const cpm_steps *a, const cpm_steps *b)
{
    bool same = a->count == b->count;
    for (int k = 0; k < a->count && same; k++) {
        const cpm_step *x = &a->at[k], *y = &b->at[k];
        same = x->kind == y->kind && x->deferred == y->deferred && x->peer == y->peer &&
               x->round == y->round && x->names == y->names;
    }
    return same;
}

int cpm_schedules_equal(const cpm_schedule *a, const cpm_schedule *b, bool *out, cpm_error *e)
{
    cpm_steps of_a = {0}, of_b = {0};
    bool same = same_shape(a, b);
    int status = CPM_OK;
    for (int rank = 0; rank < a->n && same && !status; rank++) {
        status = cpm_schedule_rank(a, rank, &of_a, e);
        if (!status)
            status = cpm_schedule_rank(b, rank, &of_b, e);
        same = !status && same_steps(&of_a, &of_b);
    }
    cpm_steps_free(&of_a);
    cpm_steps_free(&of_b);
    if (!status)
        *out = same;
    return status;
}
