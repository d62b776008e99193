/* Programs that repeat parts of themselves: the schedule of a segmented operation is longer the
 * more segments there are, and its program must hold for all of them.
 *
 * Rounds that follow each other and differ in their pieces only, by as many from one to the next,
 * are one part and its repetitions. Where the program for one segment more has the same parts, with
 * one repetition more here and other pieces there, it grows so; whether it does for still more
 * segments is tried. */
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "libraries/routine.h"

enum { LONGEST = 64, LEAST_TIMES = 3 }; /* rounds that are repeated, and how often */

typedef struct {
    int first, rounds, times, shift;
} part;

typedef struct {
    part *at;
    int count;
} parts;

static int does_not_grow(cpm_error *e)
{
    return cpm_fail(e, CPM_EINVAL, "its messages do not repeat themselves from segment to segment");
}

/* ---- comparing rounds */

static const int *round_at(const cpm_program *p, int k)
{
    return p->code.at + p->rounds.at[k];
}

/* Calls each for all runs of two rounds of the same form. False: they are not, or each says so. */
typedef bool each_run(const int *a, const int *b, void *context);

static bool compare(const int *a, const int *b, each_run *each, void *context)
{
    int messages = *a;
    if (*a++ != *b++)
        return false;
    for (int k = 0; k < messages; k++) {
        int runs = a[CPM_MESSAGE_RUNS];
        if (memcmp(a, b, CPM_MESSAGE_NUMBERS * sizeof *a) != 0)
            return false;
        a += CPM_MESSAGE_NUMBERS;
        b += CPM_MESSAGE_NUMBERS;
        for (int q = 0; q < runs; q++, a += CPM_RUN_NUMBERS, b += CPM_RUN_NUMBERS)
            if (!each(a, b, context))
                return false;
    }
    return true;
}

/* *context: the shift, 0: not known yet. */
static bool is_shifted(const int *a, const int *b, void *context)
{
    int *shift = context, found = b[CPM_RUN_PIECE] - a[CPM_RUN_PIECE];
    if (*shift == 0)
        *shift = found;
    return found && found == *shift && a[CPM_RUN_BITS] == b[CPM_RUN_BITS] &&
           a[CPM_RUN_BLOCK] == b[CPM_RUN_BLOCK] && a[CPM_RUN_COUNT] == b[CPM_RUN_COUNT];
}

/* How often the rounds from first on are repeated, and by how many pieces they are shifted. */
static part repetitions(const cpm_program *p, int first, int rounds)
{
    int count = (int)p->rounds.count, k = first;
    part x = {.first = first, .rounds = rounds};
    while (k + rounds < count &&
           compare(round_at(p, k), round_at(p, k + rounds), is_shifted, &x.shift))
        k++;
    x.times = 1 + (k - first) / rounds;
    return x;
}

/* ---- parts */

/* The part from a round on that covers most rounds. */
static part next_part(const cpm_program *p, int first)
{
    part best = {.first = first, .rounds = 1, .times = 1};
    int left = (int)p->rounds.count - first;
    for (int rounds = 1; rounds <= LONGEST && rounds * LEAST_TIMES <= left; rounds++) {
        part x = repetitions(p, first, rounds);
        if (x.shift && x.times >= LEAST_TIMES && x.times * x.rounds > best.times * best.rounds)
            best = x;
    }
    if (best.times == 1)
        best.shift = 0;
    return best;
}

static int find_parts(const cpm_program *p, parts *out, cpm_error *e)
{
    int behind = 0;
    for (int k = 0; k < p->rounds.count; k = behind) {
        if (!cpm_vector_extend(&out->at, out->count, sizeof *out->at))
            return cpm_no_memory(e);
        part x = out->at[out->count++] = next_part(p, k);
        behind = k + x.rounds * x.times;
    }
    return CPM_OK;
}

/* ---- writing */

static bool add_grown_run(cpm_numbers *out, const int *a, const int *b)
{
    const int grown[2] = {b[CPM_RUN_PIECE] - a[CPM_RUN_PIECE], b[CPM_RUN_COUNT] - a[CPM_RUN_COUNT]};
    int run[CPM_RUN_NUMBERS];
    bool grows = grown[0] || grown[1];
    memcpy(run, a, sizeof run);
    run[CPM_RUN_BITS] |= grows ? CPM_RUN_GROWS : 0;
    return cpm_numbers_add(out, run, CPM_RUN_NUMBERS) && (!grows || cpm_numbers_add(out, grown, 2));
}

/* The round of a program, and that of the one for one segment more. */
static bool add_round(cpm_numbers *out, const int *a, const int *b)
{
    int messages = *a;
    bool added = cpm_numbers_add(out, a, 1);
    a++, b++;
    for (int k = 0; k < messages && added; k++) {
        int runs = a[CPM_MESSAGE_RUNS];
        added = cpm_numbers_add(out, a, CPM_MESSAGE_NUMBERS);
        a += CPM_MESSAGE_NUMBERS;
        b += CPM_MESSAGE_NUMBERS;
        for (int q = 0; q < runs && added; q++, a += CPM_RUN_NUMBERS, b += CPM_RUN_NUMBERS)
            added = add_grown_run(out, a, b);
    }
    return added;
}

/* Whether two runs differ only in what may grow. */
static bool is_grown(const int *a, const int *b, void *context)
{
    (void)context;
    bool longer = a[CPM_RUN_COUNT] != b[CPM_RUN_COUNT];
    bool may = a[CPM_RUN_BITS] & CPM_RUN_OF_PIECES && !(a[CPM_RUN_BITS] & CPM_RUN_TURNS_PIECE);
    return a[CPM_RUN_BITS] == b[CPM_RUN_BITS] && a[CPM_RUN_BLOCK] == b[CPM_RUN_BLOCK] &&
           (!longer || may);
}

static bool are_like(const cpm_program *a, const part *x, const cpm_program *b, const part *y)
{
    if (x->rounds != y->rounds || x->shift != y->shift || y->times < x->times)
        return false;
    for (int k = 0; k < x->rounds; k++)
        if (!compare(round_at(a, x->first + k), round_at(b, y->first + k), is_grown, NULL))
            return false;
    return true;
}

static int add_part(const cpm_program *a, const part *x, const cpm_program *b, const part *y,
                    cpm_numbers *out, cpm_error *e)
{
    const int head[4] = {x->rounds, x->times, y->times - x->times, x->shift};
    bool added = cpm_numbers_add(out, head, 4);
    for (int k = 0; k < x->rounds && added; k++)
        added = add_round(out, round_at(a, x->first + k), round_at(b, y->first + k));
    return added ? CPM_OK : cpm_no_memory(e);
}

static int begin(const cpm_program *p, cpm_numbers *out, cpm_error *e)
{
    const int receives = p->receives;
    return cpm_numbers_add(out, &receives, 1) ? CPM_OK : cpm_no_memory(e);
}

static int end(cpm_numbers *out, cpm_error *e)
{
    const int nothing = 0;
    return cpm_numbers_add(out, &nothing, 1) ? CPM_OK : cpm_no_memory(e);
}

/* ---- trying it */

static bool grow_run(cpm_numbers *out, const int **code, int shift, int more)
{
    const int *x = *code;
    int run[CPM_RUN_NUMBERS];
    bool grows = x[CPM_RUN_BITS] & CPM_RUN_GROWS;
    memcpy(run, x, sizeof run);
    run[CPM_RUN_BITS] &= ~CPM_RUN_GROWS;
    run[CPM_RUN_PIECE] += shift + (grows ? x[CPM_RUN_NUMBERS] * more : 0);
    run[CPM_RUN_COUNT] += grows ? x[CPM_RUN_NUMBERS + 1] * more : 0;
    *code += CPM_RUN_NUMBERS + (grows ? 2 : 0);
    return cpm_numbers_add(out, run, CPM_RUN_NUMBERS);
}

static bool grow_round(cpm_numbers *out, const int **code, int shift, int more)
{
    int messages = **code;
    bool added = cpm_numbers_add(out, (*code)++, 1);
    for (int k = 0; k < messages && added; k++) {
        int runs = (*code)[CPM_MESSAGE_RUNS];
        added = cpm_numbers_add(out, *code, CPM_MESSAGE_NUMBERS);
        *code += CPM_MESSAGE_NUMBERS;
        for (int q = 0; q < runs && added; q++)
            added = grow_run(out, code, shift, more);
    }
    return added;
}

/* What the executor does with so many segments more. */
static bool grow(const cpm_numbers *program, int more, cpm_numbers *out)
{
    const int *code = program->at + 1;
    bool added = true;
    while (*code && added) {
        int rounds = code[0], times = code[1] + code[2] * more, shift = code[3];
        const int *body = code + 4;
        for (int i = 0; i < times; i++) {
            code = body;
            for (int k = 0; k < rounds && added; k++)
                added = grow_round(out, &code, i * shift, more);
        }
    }
    return added;
}

static int try_it(const cpm_numbers *program, const cpm_program *expected, int more, cpm_error *e)
{
    cpm_numbers grown = {0};
    int status = grow(program, more, &grown) ? CPM_OK : cpm_no_memory(e);
    if (!status && !cpm_numbers_equal(&grown, &expected->code))
        status = does_not_grow(e);
    cpm_numbers_clear(&grown);
    return status;
}

/* ---- programs */

/* Of the program for the fewest segments, and of that for one more. */
static int write_growing(const cpm_program *a, const cpm_program *b, cpm_numbers *out, cpm_error *e)
{
    parts x = {0}, y = {0};
    int status = find_parts(a, &x, e);
    status = status ? status : find_parts(b, &y, e);
    if (!status && x.count != y.count)
        status = does_not_grow(e);
    status = status ? status : begin(a, out, e);
    for (int k = 0; k < x.count && !status; k++)
        status = are_like(a, &x.at[k], b, &y.at[k]) ? add_part(a, &x.at[k], b, &y.at[k], out, e)
                                                    : does_not_grow(e);
    status = status ? status : end(out, e);
    free(x.at);
    free(y.at);
    return status;
}

int cpm_program_repeating(const cpm_program *const compared[CPM_PROGRAMS_COMPARED],
                          const int by[CPM_PROGRAMS_COMPARED], cpm_numbers *out, cpm_error *e)
{
    int status = write_growing(compared[0], compared[1], out, e);
    for (int k = 0; k < CPM_PROGRAMS_COMPARED && !status; k++)
        status = try_it(out, compared[k], by[k], e);
    return status;
}

int cpm_program_plain(const cpm_program *p, cpm_numbers *out, cpm_error *e)
{
    const part all = {.rounds = (int)p->rounds.count, .times = 1};
    int status = begin(p, out, e);
    if (!status && all.rounds)
        status = add_part(p, &all, p, &all, out, e);
    return status ? status : end(out, e);
}
