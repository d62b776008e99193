/* From contacts to messages. */
#include "mapping/contacts.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

void contacts_clear(contacts *c)
{
    free(c->at);
    *c = (contacts){0};
}

int contacts_add(contacts *c, contact x, cpm_error *e)
{
    if (!cpm_vector_reserve(&c->at, &c->capacity, c->count + 1, sizeof *c->at))
        return cpm_no_memory(e);
    c->at[c->count++] = x;
    return CPM_OK;
}

int contacts_copy(const contacts *c, contacts *out, cpm_error *e)
{
    if (!cpm_vector_reserve(&out->at, &out->capacity, c->count, sizeof *c->at))
        return cpm_no_memory(e);
    if (c->count)
        memcpy(out->at, c->at, (size_t)c->count * sizeof *c->at);
    out->count = c->count;
    return CPM_OK;
}

int contacts_sources(const contacts_form *f)
{
    return f->spreads->rooted ? 1 : f->n;
}

int contacts_streams(const contacts_form *f)
{
    return f->turn == CONTACTS_COMBINED ? f->n : contacts_sources(f) * f->pieces;
}

static bool is_token(const contact *x)
{
    return x->what == CONTACT_TOKEN;
}

/* ---- sets */

typedef uint64_t word;
enum { BITS = 64 };

static size_t words_of(int bits)
{
    return ((size_t)bits + BITS - 1) / BITS;
}

static bool has_bit(const word *set, int bit)
{
    return set[bit / BITS] >> (bit % BITS) & 1;
}

static void set_bit(word *set, int bit)
{
    set[bit / BITS] |= (word)1 << (bit % BITS);
}

/* ---- the maker */

/* What a process is doing. */
typedef struct {
    int round;
    int sends, receives; /* of this round */
    bool replaced;       /* what it has was overwritten in this round */
} doing;

struct contacts_maker {
    contacts_form form;
    size_t words;    /* of a set of streams */
    size_t targets;  /* of a set of processes */
    word *has;       /* [n * words] streams, with what comes in this round */
    word *ready;     /* [n * words] without */
    doing *now;      /* [n] */
    word *behind;    /* [n * streams * targets] who is behind a process in a stream's tree, and it;
                        NULL: all get the same */
    word *given;     /* [contacts * words] */
    bool *replaces;  /* [contacts] */
    int (*round)[2]; /* [contacts] */
    int64_t given_capacity, replaces_capacity, round_capacity;
    cpm_messages list, turned;
};

void contacts_maker_close(contacts_maker *k)
{
    if (!k)
        return;
    free(k->has);
    free(k->ready);
    free(k->now);
    free(k->behind);
    free(k->given);
    free(k->replaces);
    free(k->round);
    cpm_messages_clear(&k->list);
    cpm_messages_clear(&k->turned);
    free(k);
}

static bool is_personal(const contacts_form *f)
{
    return !f->spreads->after(2, 0, 1, 0, NULL); /* process 1 does not get the first block */
}

int contacts_maker_open(const contacts_form *f, contacts_maker **out, cpm_error *e)
{
    contacts_maker *k = calloc(1, sizeof *k);
    if (!k)
        return cpm_no_memory(e);
    size_t n = (size_t)f->n, streams = (size_t)contacts_streams(f);
    k->form = *f;
    k->words = words_of((int)streams);
    k->targets = words_of(f->n);
    k->has = calloc(n * k->words, sizeof *k->has);
    k->ready = calloc(n * k->words, sizeof *k->ready);
    k->now = calloc(n, sizeof *k->now);
    if (is_personal(f))
        k->behind = calloc(n * streams * k->targets, sizeof *k->behind);
    if (!k->has || !k->ready || !k->now || (is_personal(f) && !k->behind)) {
        contacts_maker_close(k);
        return cpm_no_memory(e);
    }
    *out = k;
    return CPM_OK;
}

static word *of(const contacts_maker *k, word *sets, int process)
{
    return sets + (size_t)process * k->words;
}

static void begin(contacts_maker *k)
{
    const contacts_form *f = &k->form;
    const int sources = contacts_sources(f), streams = contacts_streams(f);
    memset(k->has, 0, (size_t)f->n * k->words * sizeof *k->has);
    memset(k->now, 0, (size_t)f->n * sizeof *k->now);
    for (int s = 0; s < streams; s++)
        set_bit(of(k, k->has, f->spreads->rooted ? f->root : s % sources), s);
    memcpy(k->ready, k->has, (size_t)f->n * k->words * sizeof *k->has);
}

/* ---- one contact */

static void begin_round(contacts_maker *k, int process)
{
    doing *d = &k->now[process];
    d->round++;
    d->sends = d->receives = 0;
    d->replaced = false;
    memcpy(of(k, k->ready, process), of(k, k->has, process), k->words * sizeof(word));
}

/* What would be given; false: nothing. */
static bool find_given(const contacts_maker *k, const contact *x, word *given)
{
    const word *from = of(k, x->fresh[0] ? k->has : k->ready, x->from), *to = of(k, k->has, x->to);
    word any = 0;
    for (size_t w = 0; w < k->words; w++)
        any |= given[w] = is_token(x) ? 0 : from[w] & ~to[w];
    if (x->what < 0)
        return any || is_token(x);
    bool good = has_bit(given, x->what);
    memset(given, 0, k->words * sizeof *given);
    if (good)
        set_bit(given, x->what);
    return good;
}

/* Of contributions that are combined on their way: what the sender has combined, as a whole. It
 * takes the place of what the receiver has, if that is a part of it. */
static bool find_combined(const contacts_maker *k, const contact *x, word *given, bool *replaces)
{
    const word *from = of(k, x->fresh[0] ? k->has : k->ready, x->from), *to = of(k, k->has, x->to);
    word common = 0, missing = 0, more = 0;
    for (size_t w = 0; w < k->words; w++) {
        given[w] = from[w];
        common |= from[w] & to[w];
        missing |= to[w] & ~from[w];
        more |= from[w] & ~to[w];
    }
    *replaces = common;
    return !common || (more && !missing);
}

/* A process neither sends nor receives in the round in which what it has is overwritten. */
static bool must_begin(const contacts_maker *k, const contact *x, int side, bool replaces)
{
    const doing *d = &k->now[side ? x->to : x->from];
    return x->fresh[side] || d->replaced || (replaces && side && d->sends + d->receives > 0);
}

static void take(contacts_maker *k, const contact *x, const word *given, bool replaces,
                 int round[2])
{
    for (int side = 0; side < 2; side++) {
        int process = side ? x->to : x->from;
        if (must_begin(k, x, side, replaces))
            begin_round(k, process);
        round[side] = k->now[process].round;
    }
    bool token = is_token(x);
    k->now[x->from].sends += !token;
    k->now[x->to].receives += !token;
    k->now[x->to].replaced = replaces;
    word *to = of(k, k->has, x->to);
    for (size_t w = 0; w < k->words; w++)
        to[w] |= given[w];
}

static bool find(const contacts_maker *k, const contact *x, word *given, bool *replaces)
{
    *replaces = false;
    if (k->form.turn == CONTACTS_COMBINED && !is_token(x))
        return find_combined(k, x, given, replaces);
    return find_given(k, x, given);
}

static bool are_complete(const contacts_maker *k)
{
    const int streams = contacts_streams(&k->form);
    for (int r = 0; r < k->form.n; r++)
        for (int s = 0; s < streams; s += BITS) {
            word all = streams - s >= BITS ? ~(word)0 : ((word)1 << (streams - s)) - 1;
            if (of(k, k->has, r)[s / BITS] != all)
                return false;
        }
    return true;
}

static int make_room(contacts_maker *k, int64_t count, cpm_error *e)
{
    return cpm_vector_reserve(&k->given, &k->given_capacity, count * (int64_t)k->words,
                              sizeof *k->given) &&
                   cpm_vector_reserve(&k->replaces, &k->replaces_capacity, count,
                                      sizeof *k->replaces) &&
                   cpm_vector_reserve(&k->round, &k->round_capacity, count, sizeof *k->round)
               ? CPM_OK
               : cpm_no_memory(e);
}

static void go_through(contacts_maker *k, contacts *c)
{
    int64_t kept = 0;
    begin(k);
    for (int64_t i = 0; i < c->count; i++) {
        word *given = k->given + (size_t)kept * k->words;
        contact x = c->at[i];
        if (x.from == x.to || !find(k, &x, given, &k->replaces[kept]))
            continue;
        take(k, &x, given, k->replaces[kept], k->round[kept]);
        c->at[kept++] = x;
    }
    c->count = kept;
}

/* ---- messages */

static word *behind(const contacts_maker *k, int process, int stream)
{
    return k->behind +
           ((size_t)process * (size_t)contacts_streams(&k->form) + (size_t)stream) * k->targets;
}

/* From the leaves on. */
static void find_behind(const contacts_maker *k, const contacts *c)
{
    const int streams = contacts_streams(&k->form), n = k->form.n;
    memset(k->behind, 0, (size_t)n * (size_t)streams * k->targets * sizeof *k->behind);
    for (int r = 0; r < n; r++)
        for (int s = 0; s < streams; s++)
            set_bit(behind(k, r, s), r);
    for (int64_t i = c->count - 1; i >= 0; i--)
        for (int s = 0; s < streams; s++) {
            if (!has_bit(k->given + (size_t)i * k->words, s))
                continue;
            word *from = behind(k, c->at[i].from, s), *to = behind(k, c->at[i].to, s);
            for (size_t w = 0; w < k->targets; w++)
                from[w] |= to[w];
        }
}

static int add_behind(contacts_maker *k, int process, int stream, cpm_error *e)
{
    const contacts_form *f = &k->form;
    const int64_t sources = contacts_sources(f), n = f->n;
    const int64_t first = stream / sources * sources * n + stream % sources * n;
    const word *targets = behind(k, process, stream);
    int status = CPM_OK;
    for (int d = 0; d < f->n && !status; d++)
        if (has_bit(targets, d))
            status = cpm_messages_and(&k->list, first + d, 1, e);
    return status;
}

static int add_given(contacts_maker *k, int to, const word *given, cpm_error *e)
{
    int status = CPM_OK;
    const int streams = contacts_streams(&k->form);
    if (k->form.turn == CONTACTS_COMBINED)
        return cpm_messages_and(&k->list, 0, 1, e);
    for (int s = 0; s < streams && !status; s++)
        if (has_bit(given, s))
            status = k->behind ? add_behind(k, to, s, e) : cpm_messages_and(&k->list, s, 1, e);
    return status;
}

static int add_messages(contacts_maker *k, const contacts *c, cpm_error *e)
{
    const contacts_form *f = &k->form;
    int status = CPM_OK;
    k->list.count = k->list.run_count = 0;
    if (k->behind)
        find_behind(k, c);
    for (int64_t i = 0; i < c->count && !status; i++) {
        const contact *x = &c->at[i];
        bool combines = f->turn == CONTACTS_COMBINED && !k->replaces[i];
        status = cpm_messages_add(&k->list, x->from, x->to, 0, combines, e);
        if (status)
            return status;
        memcpy(k->list.at[i].round, k->round[i], sizeof k->round[i]);
        if (!is_token(x))
            status = add_given(k, x->to, k->given + (size_t)i * k->words, e);
    }
    return status;
}

/* ---- the operation that is to be done */

static int last_round(const cpm_messages *m)
{
    int last = 0;
    for (int64_t k = 0; k < m->count; k++)
        for (int side = 0; side < 2; side++)
            last = m->at[k].round[side] > last ? m->at[k].round[side] : last;
    return last;
}

/* Appends more, all in later rounds. */
static int append(cpm_messages *m, const cpm_messages *more, cpm_error *e)
{
    int first = last_round(m) + 1, status = CPM_OK;
    for (int64_t k = 0; k < more->count && !status; k++) {
        const cpm_message *x = &more->at[k];
        status = cpm_messages_add(m, x->from, x->to, 0, x->combines, e);
        for (int side = 0; side < 2 && !status; side++)
            m->at[m->count - 1].round[side] = first + x->round[side];
        for (int64_t r = x->first_run; r < x->first_run + x->runs && !status; r++)
            status = cpm_messages_and(m, more->run[r].first, more->run[r].count, e);
    }
    return status;
}

static int turn(contacts_maker *k, const cpm_messages **out, cpm_error *e)
{
    const contacts_form *f = &k->form;
    cpm_messages *l = &k->list;
    l->operation = f->operation;
    l->n = f->n;
    l->root = f->root;
    l->apart = f->turn == CONTACTS_APART;
    l->pieces = l->apart ? f->n : f->turn == CONTACTS_COMPOSED ? f->n * f->pieces : f->pieces;
    *out = l;
    if (f->turn != CONTACTS_REVERSED && f->turn != CONTACTS_COMPOSED)
        return CPM_OK;
    cpm_messages_clear(&k->turned);
    int status = cpm_messages_reverse(l, f->operation, &k->turned, e);
    if (!status && f->turn == CONTACTS_COMPOSED)
        status = append(&k->turned, l, e);
    *out = &k->turned;
    return status;
}

int contacts_make(contacts_maker *k, contacts *c, const cpm_messages **out, cpm_error *e)
{
    *out = NULL;
    int status = make_room(k, c->count + 1, e);
    if (status)
        return status;
    go_through(k, c);
    if (!are_complete(k))
        return CPM_OK;
    status = add_messages(k, c, e);
    return status ? status : turn(k, out, e);
}

/* ---- rounds */

static bool has_news(const contacts_maker *k, const contact *x)
{
    const word *has = of(k, k->has, x->from), *ready = of(k, k->ready, x->from);
    if (x->what >= 0)
        return !has_bit(ready, x->what);
    return memcmp(has, ready, k->words * sizeof *has) != 0;
}

int contacts_set_rounds(contacts_maker *k, contacts *c, int most, cpm_error *e)
{
    int64_t kept = 0;
    int status = make_room(k, 1, e);
    if (status)
        return status;
    begin(k);
    for (int64_t i = 0; i < c->count; i++) {
        contact x = c->at[i];
        bool replaces;
        x.fresh[0] = has_news(k, &x) || k->now[x.from].sends >= most;
        x.fresh[1] = k->now[x.to].receives >= most;
        if (!find(k, &x, k->given, &replaces))
            continue;
        int round[2];
        take(k, &x, k->given, replaces, round);
        c->at[kept++] = x;
    }
    c->count = kept;
    return CPM_OK;
}

/* ---- of messages */

/* The only stream that a message has a part of; CONTACT_ALL: there are several. */
static int stream_of(const cpm_messages *m, const cpm_message *x, const contacts_form *f)
{
    const int64_t sources = contacts_sources(f), units = m->operation->units(m->n, NULL);
    int stream = CONTACT_ALL;
    for (int64_t r = x->first_run; r < x->first_run + x->runs; r++)
        for (int64_t p = m->run[r].first; p < m->run[r].first + m->run[r].count; p++) {
            int64_t piece = p / units, source = p % units / (units / sources);
            int one = (int)(piece * sources + source);
            if (stream != CONTACT_ALL && stream != one)
                return CONTACT_ALL;
            stream = one;
        }
    return stream;
}

int contacts_of(const cpm_messages *m, const contacts_form *f, bool single, contacts *out,
                bool *good, cpm_error *e)
{
    int *round = calloc((size_t)m->n, sizeof *round), status = CPM_OK;
    if (!round)
        return cpm_no_memory(e);
    *good = !m->apart;
    for (int64_t k = 0; k < m->count && *good && !status; k++) {
        const cpm_message *x = &m->at[k];
        int what = !x->runs && !m->operation->dataless      ? CONTACT_TOKEN
                   : single && f->turn != CONTACTS_COMBINED ? stream_of(m, x, f)
                                                            : CONTACT_ALL;
        contact one = {.from = x->from, .to = x->to, .what = what};
        for (int side = 0; side < 2; side++) {
            int *of = &round[side ? x->to : x->from];
            one.fresh[side] = x->round[side] != *of;
            *good = *good && x->round[side] >= *of;
            *of = x->round[side];
        }
        status = contacts_add(out, one, e);
    }
    free(round);
    return status;
}
