/* Making a plan: one rank's steps become messages with places and lengths. */
#include "executor/plan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "collectives/schedule/from_input.h"

static size_t stored(const mpib_layout *l, size_t bytes)
{
    return l->holes ? bytes / l->sizes->grain * l->extent : bytes;
}

/* input: where the user has it. */
static mpib_piece piece_at(const mpib_layout *l, int64_t position, bool input)
{
    const cpm_schedule *s = l->schedule;
    int64_t unit = cpm_unit_at(s, position);
    int k = cpm_piece_at(s, position);
    size_t bytes = l->sizes->each ? l->sizes->each[unit] : l->sizes->bytes;
    mpib_place place = l->place(l->context, unit, k);
    if (input)
        place = (mpib_place){MPIB_SEND_BUFFER, place.offset - l->accumulated};
    if (s->apart)
        return (mpib_piece){.place = place, .bytes = bytes};
    size_t from = cpm_piece_offset(s, bytes, l->sizes->grain, k);
    place.offset += (ptrdiff_t)stored(l, from);
    return (mpib_piece){.place = place,
                        .bytes = cpm_piece_offset(s, bytes, l->sizes->grain, k + 1) - from};
}

/* The bytes that are expected of a position. */
static mpib_piece position_of(const mpib_layout *l, int64_t position)
{
    size_t bytes = l->sizes->each[cpm_unit_at(l->schedule, position)];
    int k = cpm_piece_at(l->schedule, position);
    return (mpib_piece){.place = {MPIB_MEMORY, (ptrdiff_t)position},
                        .bytes = cpm_piece_offset(l->schedule, bytes, 0, k + 1) -
                                 cpm_piece_offset(l->schedule, bytes, 0, k)};
}

/* Appends a position to the pieces of the last message, growing the last piece where it can. */
static int add_position(mpib_plan *p, mpib_message *m, const mpib_layout *l, int64_t position,
                        cpm_error *e)
{
    mpib_piece next = l->any_sizes ? position_of(l, position)
                                   : piece_at(l, position, m->input && m->kind == CPM_SEND);
    next.later = p->combined && p->combined[position];
    mpib_piece *last = m->pieces > 0 ? &p->pieces[m->first_piece + m->pieces - 1] : NULL;
    if (next.bytes == 0 && !l->any_sizes)
        return CPM_OK;
    m->bytes += next.bytes;
    if (last && !l->any_sizes && last->place.base == next.place.base && last->later == next.later &&
        last->place.offset + (ptrdiff_t)stored(l, last->bytes) == next.place.offset) {
        last->bytes += next.bytes;
        return CPM_OK;
    }
    if (p->piece_count == INT_MAX ||
        !cpm_vector_extend(&p->pieces, p->piece_count, sizeof *p->pieces))
        return cpm_no_memory(e);
    p->pieces[p->piece_count++] = next;
    m->pieces++;
    return CPM_OK;
}

/* Bytes above INT_MAX as one element of a type: whole MiB, and the rest. */
static int make_type(size_t bytes, MPI_Datatype *out, cpm_error *e)
{
    const int chunk = 1 << 20;
    MPI_Datatype chunks, parts[2] = {MPI_BYTE, MPI_BYTE};
    MPI_Aint places[2] = {0, (MPI_Aint)(bytes / (size_t)chunk * (size_t)chunk)};
    int lengths[2] = {1, (int)(bytes % (size_t)chunk)};
    PMPI_Type_contiguous(chunk, MPI_BYTE, &chunks);
    int failed = PMPI_Type_contiguous((int)(bytes / (size_t)chunk), chunks, &parts[0]);
    failed = failed || PMPI_Type_create_struct(2, lengths, places, parts, out);
    failed = failed || PMPI_Type_commit(out);
    PMPI_Type_free(&chunks);
    PMPI_Type_free(&parts[0]);
    return failed ? cpm_fail(e, CPM_EMPI, "MPI has no datatype of %zu bytes", bytes) : CPM_OK;
}

int mpib_message_size(mpib_message *m, size_t bytes, cpm_error *e)
{
    if (m->type != MPI_BYTE)
        PMPI_Type_free(&m->type);
    m->type = MPI_BYTE;
    m->count = bytes <= INT_MAX ? (int)bytes : 1;
    return bytes <= INT_MAX ? CPM_OK : make_type(bytes, &m->type, e);
}

static int add_message(mpib_plan *p, const mpib_layout *l, const cpm_steps *steps,
                       const cpm_step *step, bool input, cpm_error *e)
{
    mpib_message *m = &p->messages[p->count++];
    int status = CPM_OK;
    *m = (mpib_message){.kind = step->kind,
                        .peer = step->peer,
                        .round = step->round,
                        .deferred = step->deferred,
                        .input = input,
                        .type = MPI_BYTE,
                        .first_piece = p->piece_count};
    for (int k = 0; k < step->runs; k++) {
        cpm_run run = cpm_step_run(steps, step, k);
        for (int64_t b = 0; b < run.count && status == CPM_OK; b++)
            status = add_position(p, m, l, run.first + b, e);
        if (p->combined && step->kind == CPM_COMBINE)
            memset(p->combined + run.first, true, (size_t)run.count);
    }
    m->at = m->pieces ? p->pieces[m->first_piece].place : (mpib_place){MPIB_PACKED, 0};
    if (status != CPM_OK || l->any_sizes)
        return status;
    m->packed =
        m->pieces > 1 || (m->pieces && (l->holes || (mpib_message_combines(m) && !m->input)));
    return mpib_message_size(m, m->bytes, e);
}

static bool overlap(const mpib_message *a, const mpib_message *b)
{
    return a->at.base == b->at.base && a->at.offset < b->at.offset + (ptrdiff_t)b->bytes &&
           b->at.offset < a->at.offset + (ptrdiff_t)a->bytes;
}

static bool receives_directly(const mpib_message *m)
{
    return m->kind == CPM_RECV && !m->packed && m->bytes > 0;
}

/* A round may receive the same block twice (two replies of an experiment): the first is kept. */
static void drop_second_receives(mpib_plan *p)
{
    for (int i = 0; i < p->count; i++) {
        mpib_message *m = &p->messages[i];
        for (int j = i - 1;
             receives_directly(m) && j >= 0 && p->messages[j].round == m->round && !m->dropped; j--)
            m->dropped = receives_directly(&p->messages[j]) && overlap(m, &p->messages[j]);
    }
}

static bool needs_space(const mpib_message *m)
{
    return m->packed || m->dropped;
}

/* Aligned, because elements are combined there. */
static size_t aligned(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t give_message_space(mpib_message *m, size_t used)
{
    if (!needs_space(m))
        return used;
    m->at = (mpib_place){MPIB_PACKED, (ptrdiff_t)used};
    return used + aligned(m->bytes);
}

/* Deferred messages need it to the end; the other rounds follow each other, so they share it. */
static int give_space(mpib_plan *p, cpm_error *e)
{
    size_t kept = 0;
    for (int i = 0; i < p->count; i++)
        if (p->messages[i].deferred)
            kept = give_message_space(&p->messages[i], kept);
    size_t used = kept, most = kept;
    for (int i = 0; i < p->count; i++) {
        mpib_message *m = &p->messages[i];
        if (i > 0 && p->messages[i - 1].round != m->round)
            used = kept;
        if (!m->deferred)
            used = give_message_space(m, used);
        most = used > most ? used : most;
    }
    p->space = malloc(most + 1);
    if (!p->space)
        return cpm_no_memory(e);
    memset(p->space, 0, most + 1);
    return CPM_OK;
}

static bool is_message(const mpib_message *m)
{
    return m->kind == CPM_SEND || mpib_message_receives(m);
}

static mpib_round_kind kind_of(const mpib_message *first, int count)
{
    if (!is_message(first))
        return MPIB_MARK;
    if (first->deferred)
        return MPIB_DEFERRED;
    if (count == 1)
        return mpib_message_receives(first) ? MPIB_ONE_RECEIVE : MPIB_ONE_SEND;
    return count == 2 && mpib_message_receives(first) != mpib_message_receives(first + 1)
               ? MPIB_ONE_OF_EACH
               : MPIB_SEVERAL;
}

static void make_rounds(mpib_plan *p)
{
    for (int begin = 0, end; begin < p->count; begin = end) {
        end = begin + 1;
        while (end < p->count && p->messages[end].round == p->messages[begin].round)
            end++;
        p->rounds[p->round_count++] =
            (mpib_round){kind_of(&p->messages[begin], end - begin), begin, end};
    }
}

/* input: [steps->count] or NULL, as cpm_take_from_input tells it. */
static int fill(mpib_plan *p, const mpib_layout *l, int rank, const cpm_steps *steps,
                const bool *input, cpm_error *e)
{
    size_t messages = (size_t)steps->count + 1, largest = 0;
    p->messages = calloc(messages, sizeof *p->messages);
    p->requests = malloc(messages * sizeof(MPI_Request));
    p->statuses = malloc(messages * sizeof(MPI_Status));
    p->rounds = malloc(messages * sizeof *p->rounds);
    int status = CPM_OK;
    p->keeps = l->leaves_own_out;
    p->accumulated = l->accumulated;
    p->combined = p->keeps ? calloc((size_t)l->schedule->blocks, sizeof *p->combined) : NULL;
    if (!p->messages || !p->requests || !p->statuses || !p->rounds || (p->keeps && !p->combined))
        return cpm_no_memory(e);
    for (int i = 0; i < steps->count && status == CPM_OK; i++)
        status = add_message(p, l, steps, &steps->at[i], input && input[i], e);
    free(p->combined);
    p->combined = NULL;
    if (status != CPM_OK)
        return status;
    make_rounds(p);
    for (int i = 0; i < p->piece_count; i++)
        largest = p->pieces[i].bytes > largest ? p->pieces[i].bytes : largest;
    if (!l->any_sizes)
        drop_second_receives(p);
    status = give_space(p, e);
    return status == CPM_OK ? mpib_combiner_create(l, rank, largest, &p->combiner, e) : status;
}

static int find_input(const mpib_layout *l, int rank, const cpm_steps *steps, bool **out,
                      cpm_error *e)
{
    *out = calloc((size_t)steps->count + 1, sizeof **out);
    return *out ? cpm_take_from_input(l->schedule, steps, rank, *out, &(bool){false}, e)
                : cpm_no_memory(e);
}

int mpib_plan_create(const mpib_layout *layout, int rank, mpib_plan **out, cpm_error *e)
{
    cpm_steps steps = {0};
    mpib_plan *p = calloc(1, sizeof *p);
    int status = p ? CPM_OK : cpm_no_memory(e);
    if (status == CPM_OK)
        status = cpm_schedule_rank(layout->schedule, rank, &steps, e);
    bool *input = NULL;
    if (status == CPM_OK && layout->from_input)
        status = find_input(layout, rank, &steps, &input, e);
    if (status == CPM_OK)
        status = fill(p, layout, rank, &steps, input, e);
    free(input);
    cpm_steps_free(&steps);
    if (status == CPM_OK)
        *out = p;
    else
        mpib_plan_free(p);
    return status;
}

void mpib_plan_free(mpib_plan *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->count; i++)
        if (p->messages[i].type != MPI_BYTE)
            PMPI_Type_free(&p->messages[i].type);
    mpib_combiner_free(&p->combiner);
    free(p->messages);
    free(p->rounds);
    free(p->pieces);
    free(p->space);
    free(p->requests);
    free(p->statuses);
    free(p);
}
