/* Every rank's steps are compared with those of its like. */
#include "collectives/schedule/symmetry.h"

typedef struct {
    const cpm_schedule *s;
    const cpm_block_sizes *sizes;
    const cpm_symmetry *symmetry;
    cpm_steps like, own;
} comparison;

static bool same_step(const comparison *c, int rank, int k)
{
    const cpm_step *own = &c->own.at[k], *like = &c->like.at[k];
    if (own->kind != like->kind || own->round != like->round || own->deferred != like->deferred)
        return false;
    return !cpm_step_is_message(own) ||
           (cpm_symmetry_move(c->symmetry, c->s->n, rank, own->peer) == like->peer &&
            cpm_step_bytes(c->s, &c->own, own, c->sizes) ==
                cpm_step_bytes(c->s, &c->like, like, c->sizes));
}

static int compare(comparison *c, int rank, bool *same, cpm_error *e)
{
    int status = cpm_schedule_rank(c->s, rank, &c->own, e);
    *same = !status && c->own.count == c->like.count;
    for (int k = 0; *same && k < c->own.count; k++)
        *same = same_step(c, rank, k);
    return status;
}

static int compare_all(comparison *c, bool *same, cpm_error *e)
{
    int status = CPM_OK, period = c->symmetry->period;
    *same = true;
    for (int like = 0; like < period && *same && !status; like++) {
        status = cpm_schedule_rank(c->s, like, &c->like, e);
        for (int rank = like + period; rank < c->s->n && *same && !status; rank += period)
            status = compare(c, rank, same, e);
    }
    return status;
}

bool cpm_schedule_says_symmetric(const cpm_schedule *s, const cpm_block_sizes *sizes,
                                 const cpm_symmetry *y)
{
    return s->symmetry.period && s->symmetry.by == y->by && y->period % s->symmetry.period == 0 &&
           !sizes->each && s->pieces <= 1;
}

int cpm_schedule_is_symmetric(const cpm_schedule *s, const cpm_block_sizes *sizes,
                              const cpm_symmetry *y, bool *out, cpm_error *e)
{
    *out = cpm_schedule_says_symmetric(s, sizes, y);
    return *out ? CPM_OK : cpm_schedule_compare_likes(s, sizes, y, out, e);
}

int cpm_schedule_compare_likes(const cpm_schedule *s, const cpm_block_sizes *sizes,
                               const cpm_symmetry *y, bool *out, cpm_error *e)
{
    comparison c = {.s = s, .sizes = sizes, .symmetry = y};
    int status = compare_all(&c, out, e);
    cpm_steps_free(&c.like);
    cpm_steps_free(&c.own);
    return status;
}
