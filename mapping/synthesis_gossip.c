/* Starts for blocks that are small: rounds in which each process gives a few others all that it has
 * and they do not, most first. With one message a round that is what doubling and dissemination do,
 * with several their forms of a higher radix. Of those that bring as much the nearer one is taken.
 */
#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <string.h>

#include "mapping/synthesis_parts.h"

typedef struct {
    const contacts_form *form;
    int n, sources;
    char *has;       /* [n * sources] whether a process has what one of them had */
    char *before;    /* the same before the round */
    int *sent, *got; /* [n] messages of this round */
    double *far;     /* [n * n] what a message takes, disturbed */
    contacts out;
} gossip;

static int news(const gossip *g, int from, int to)
{
    const char *x = g->before + (size_t)from * (size_t)g->sources;
    const char *y = g->has + (size_t)to * (size_t)g->sources;
    int count = 0;
    for (int k = 0; k < g->sources; k++)
        count += x[k] && !y[k];
    return count;
}

/* Of the processes that may still send in this round, and receive. False: nobody has news. */
static bool find_best(const gossip *g, int most, int *from, int *to)
{
    int best = 0;
    double near = 0;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n && g->sent[i] < most; j++) {
            if (i == j || g->got[j] == most)
                continue;
            const int count = news(g, i, j);
            const double far = g->far[i * g->n + j];
            if (count > best || (count && count == best && far < near)) {
                best = count;
                near = far;
                *from = i;
                *to = j;
            }
        }
    return best > 0;
}

static int add(gossip *g, int from, int to, cpm_error *e)
{
    const contact c = {
        from, to, CONTACT_ALL, {!g->sent[from] && !g->got[from], !g->sent[to] && !g->got[to]}};
    g->sent[from]++;
    g->got[to]++;
    for (int k = 0; k < g->sources; k++)
        g->has[to * g->sources + k] |= g->before[from * g->sources + k];
    return contacts_add(&g->out, c, e);
}

/* Who receives gives something back, if it can: who knows the same goes on together. */
static int add_round(gossip *g, int most, bool *some, cpm_error *e)
{
    const size_t size = (size_t)g->n * (size_t)g->sources;
    int status = CPM_OK, from = 0, to = 0;
    memcpy(g->before, g->has, size);
    memset(g->sent, 0, (size_t)g->n * sizeof *g->sent);
    memset(g->got, 0, (size_t)g->n * sizeof *g->got);
    for (*some = false; !status && find_best(g, most, &from, &to); *some = true) {
        status = add(g, from, to, e);
        if (!status && g->sent[to] < most && g->got[from] < most && news(g, to, from))
            status = add(g, to, from, e);
    }
    return status;
}

static void measure(gossip *g, synthesis *s, double disturbed)
{
    const size_t bytes = synthesis_spread_bytes(s, g->form);
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n; j++)
            g->far[i * g->n + j] = i == j ? 0
                                          : synthesis_message(s, i, j, bytes) *
                                                (1 + disturbed * gsl_ran_gaussian(s->random, 1));
}

static int start(gossip *g, synthesis *s, int most, double disturbed, synthesis_starts *all,
                 cpm_error *e)
{
    int status = CPM_OK;
    memset(g->has, 0, (size_t)g->n * (size_t)g->sources);
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < g->sources; k++)
            g->has[i * g->sources + k] = k == i;
    measure(g, s, disturbed);
    for (bool some = true; some && !status && !synthesis_out_of_time(s);)
        status = add_round(g, most, &some, e);
    if (!status)
        status = synthesis_add_start(s, all, g->form, &g->out, "gossip", e);
    contacts_clear(&g->out);
    return status;
}

int synthesis_start_by_gossip(synthesis *s, const contacts_form *f, synthesis_starts *all,
                              cpm_error *e)
{
    static const int most[] = {1, 2, 3, 4, 7, 15};
    enum { PROCESSES = 64, TIMES = 2 };
    const size_t n = (size_t)f->n;
    if (f->spreads->rooted || f->n > PROCESSES || f->n < 2)
        return CPM_OK;
    gossip g = {.form = f, .n = f->n, .sources = f->n};
    g.has = malloc(n * n);
    g.before = malloc(n * n);
    g.sent = calloc(n, sizeof *g.sent);
    g.got = calloc(n, sizeof *g.got);
    g.far = malloc(n * n * sizeof *g.far);
    int status = g.has && g.before && g.sent && g.got && g.far ? CPM_OK : cpm_no_memory(e);
    for (size_t k = 0; k < sizeof most / sizeof *most && most[k] < f->n; k++)
        for (int t = 0; t < TIMES && !status && !synthesis_out_of_time(s); t++)
            status = start(&g, s, most[k], t ? 0.3 : 0, all, e);
    free(g.has);
    free(g.before);
    free(g.sent);
    free(g.got);
    free(g.far);
    return status;
}
