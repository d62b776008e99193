/* LMO and extended LMO as a platform: processors' overheads are SMPI's os (send), ois (send that
 * does not block) and or (receive) of each host, by size; a pair's latency and time per byte are a
 * link of its own that messages do not share; ends that they share are links of a host.
 *
 * SMPI can scale links by size only all alike. So links are those of the largest messages, and the
 * other regimes are told as the median of the pairs' factors. */
#include "models/simgrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "models/lmo.h"
#include "models/lmo2.h"

enum { ENVELOPE = 16 }; /* bytes that SMPI sends besides those of the program */

/* Which parameter plays which part; -1: none. A slope follows its constant. */
typedef struct {
    int send, start, recv, latency, invbeta, out, in, rendezvous, late;
} parts;

static const parts lmo = {CPM_LMO_C, CPM_LMO_C, CPM_LMO_C, CPM_LMO_L, CPM_LMO_INVBETA,
                          -1,        -1,        -1,        -1};
static const parts lmo2 = {CPM_LMO2_CS, CPM_LMO2_CN,         CPM_LMO2_CR,
                           CPM_LMO2_L,  CPM_LMO2_INVBETA,    CPM_LMO2_GO,
                           CPM_LMO2_GI, CPM_LMO2_RENDEZVOUS, CPM_LMO2_LATE};

typedef struct {
    const cpm_model *m;
    const parts *parts;
    int regimes;  /* of sizes; the last has the largest messages */
    bool *shared; /* [n] the name of its host says not which process it is */
    FILE *out;
} platform;

/* ---- values */

/* Of a process; 0 if it is unknown. */
static double of_process(const platform *p, int parameter, int i)
{
    double value = parameter < 0 ? 0 : p->m->value[parameter][cpm_place(p->m, 0, i)];
    return isnan(value) ? 0 : value;
}

static double of_pair(const platform *p, int parameter, int regime, int i, int j)
{
    return p->m->value[parameter][cpm_pair_place(p->m, regime, i, j)];
}

static double single(const platform *p, int parameter)
{
    double value = parameter < 0 ? NAN : p->m->value[parameter][0];
    return value;
}

/* The last byte count before a regime; SMPI's sections begin behind theirs. */
static size_t before(const platform *p, int regime)
{
    return regime == 0 ? 0 : p->m->sizes.at[regime] - 1;
}

/* ---- hosts */

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (strchr("<>&\"", *text))
            fprintf(out, "&#%d;", *text);
        else
            putc(*text, out);
}

static void find_shared(const platform *p)
{
    for (int i = 0; i < p->m->n; i++) {
        p->shared[i] = *p->m->hosts[i] == '\0';
        for (int j = 0; j < p->m->n && !p->shared[i]; j++)
            p->shared[i] = j != i && strcmp(p->m->hosts[i], p->m->hosts[j]) == 0;
    }
}

/* The name of process i, with its rank if others have the same. */
static void put_name(const platform *p, int i)
{
    put_text(p->out, p->m->hosts[i]);
    if (p->shared[i])
        fprintf(p->out, "%%%d", i);
}

static void put_overhead(const platform *p, const char *name, int constant, int otherwise, int i)
{
    fprintf(p->out, "<prop id=\"smpi/%s\" value=\"", name);
    for (int k = 0; k < p->regimes; k++) {
        size_t at = cpm_place(p->m, k, i);
        bool known = !isnan(p->m->value[constant][at]) && !isnan(p->m->value[constant + 1][at]);
        int of = known ? constant : otherwise;
        fprintf(p->out, "%s%zu:%.9g:%.9g", k ? ";" : "", before(p, k), p->m->value[of][at],
                p->m->value[of + 1][at]);
    }
    fputs("\"/>", p->out);
}

static void put_host(const platform *p, int i)
{
    fputs("<host id=\"", p->out);
    put_name(p, i);
    fputs("\" speed=\"1Gf\">", p->out);
    put_overhead(p, "os", p->parts->send, p->parts->send, i);
    put_overhead(p, "ois", p->parts->start, p->parts->send, i);
    put_overhead(p, "or", p->parts->recv, p->parts->recv, i);
    fputs("</host>\n", p->out);
}

/* ---- links */

static void put_link(const platform *p, const char *name, int i, double invbeta, double latency,
                     const char *sharing)
{
    if (invbeta > 0)
        fprintf(p->out,
                "<link id=\"%s%d\" bandwidth=\"%.9gBps\" latency=\"%.9gs\" "
                "sharing_policy=\"%s\"/>\n",
                name, i, 1 / invbeta, fmax(latency, 0), sharing);
}

static void put_ends(const platform *p, int i)
{
    put_link(p, "out", i, of_process(p, p->parts->out, i), 0, "SHARED");
    put_link(p, "in", i, of_process(p, p->parts->in, i), 0, "SHARED");
}

/* What a message takes without its bytes and the envelope's. */
static void put_pair(const platform *p, int i, int j)
{
    char name[30];
    int last = p->regimes - 1;
    double invbeta = of_pair(p, p->parts->invbeta, last, i, j);
    double least = 1e-15; /* a link must have a bandwidth */
    snprintf(name, sizeof name, "l%d_", i);
    put_link(p, name, j, fmax(invbeta, least),
             of_pair(p, p->parts->latency, last, i, j) - ENVELOPE * invbeta, "FATPIPE");
}

static void put_step(const platform *p, const char *name, int i, double invbeta)
{
    if (invbeta > 0)
        fprintf(p->out, "<link_ctn id=\"%s%d\"/>", name, i);
}

static void put_route(const platform *p, int i, int j)
{
    fputs("<route src=\"", p->out);
    put_name(p, i);
    fputs("\" dst=\"", p->out);
    put_name(p, j);
    fputs("\" symmetrical=\"NO\">", p->out);
    put_step(p, "out", i, of_process(p, p->parts->out, i));
    fprintf(p->out, "<link_ctn id=\"l%d_%d\"/>", i, j);
    put_step(p, "in", j, of_process(p, p->parts->in, j));
    fputs("</route>\n", p->out);
}

static void put_pairs(const platform *p, void (*put)(const platform *p, int i, int j))
{
    for (int i = 0; i < p->m->n; i++)
        for (int j = 0; j < p->m->n; j++)
            if (i != j)
                put(p, i, j);
}

/* ---- options */

static void put_option(FILE *out, const char *name, const char *value)
{
    fprintf(out, "<prop id=\"%s\" value=\"%s\"/>\n", name, value);
}

/* The median over pairs of a regime's value over the last one's; values that are not positive say
 * nothing. room: of n*n. */
static double factor(const platform *p, int parameter, int regime, double *room)
{
    int count = 0;
    for (int i = 0; i < p->m->n; i++)
        for (int j = 0; j < p->m->n; j++) {
            double one = i == j ? 0 : of_pair(p, parameter, regime, i, j);
            double last = i == j ? 0 : of_pair(p, parameter, p->regimes - 1, i, j);
            if (one > 0 && last > 0)
                room[count++] = one / last;
        }
    return count ? cpm_median(room, count) : 1;
}

/* Of latencies, or, inverse, of bandwidths. SMPI looks at sizes with the envelope. */
static void put_factors(const platform *p, const char *name, int parameter, bool inverse,
                        double *room)
{
    fprintf(p->out, "<prop id=\"%s\" value=\"", name);
    for (int k = 0; k < p->regimes; k++) {
        double f = factor(p, parameter, k, room);
        fprintf(p->out, "%s%zu:%.9g", k ? ";" : "", k ? before(p, k) + ENVELOPE : 0,
                inverse ? 1 / f : f);
    }
    fputs("\"/>\n", p->out);
}

/* Sends are buffered below some size; buffered messages travel at once, unless the model says that
 * they wait for their receive. */
static void put_protocol(const platform *p)
{
    char never[] = "1000000000", from[30];
    double rendezvous = single(p, p->parts->rendezvous);
    bool late = single(p, p->parts->late) > 0;
    snprintf(from, sizeof from, "%s", never);
    if (!isnan(rendezvous))
        snprintf(from, sizeof from, "%.0f", rendezvous);
    put_option(p->out, "smpi/send-is-detached-thresh", from);
    put_option(p->out, "smpi/async-small-thresh", late ? "0" : from);
}

/* The network is what the model says: no share of a link for acknowledgements, no windows of TCP,
 * and flows share a link by their latencies. */
static void put_options(const platform *p, double *room)
{
    fputs("<config>\n", p->out);
    put_option(p->out, "network/model", "SMPI");
    put_option(p->out, "network/crosstraffic", "no");
    put_option(p->out, "network/TCP-gamma", "1e15");
    put_option(p->out, "network/weight-S", "0");
    put_factors(p, "smpi/lat-factor", p->parts->latency, false, room);
    put_factors(p, "smpi/bw-factor", p->parts->invbeta, true, room);
    put_protocol(p);
    fputs("</config>\n", p->out);
}

/* ---- the whole */

static void put_platform(const platform *p, double *room)
{
    fputs("<?xml version='1.0'?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n",
          p->out);
    find_shared(p);
    put_options(p, room);
    fputs("<zone id=\"cluster\" routing=\"Full\">\n", p->out);
    for (int i = 0; i < p->m->n; i++)
        put_host(p, i);
    for (int i = 0; i < p->m->n; i++)
        put_ends(p, i);
    put_pairs(p, put_pair);
    put_pairs(p, put_route);
    fputs("</zone>\n</platform>\n", p->out);
}

int cpm_model_write_simgrid(const cpm_model *m, FILE *out, cpm_error *e)
{
    bool extended = m->type == &cpm_lmo2;
    if (!extended && m->type != &cpm_lmo)
        return cpm_fail(e, CPM_EINVAL,
                        "a platform needs the parameters of processes and links of an lmo or lmo2 "
                        "model, not those of %s",
                        m->type->name);
    if (m->inside.count > 0)
        return cpm_fail(e, CPM_EINVAL,
                        "a platform of several processes on a host cannot be written yet: measure "
                        "with one process on each host");
    double *room = malloc((size_t)m->n * (size_t)m->n * sizeof *room);
    platform p = {m, extended ? &lmo2 : &lmo, extended ? m->sizes.count : 1,
                  calloc((size_t)m->n, sizeof *p.shared), out};
    int status = room && p.shared
                     ? CPM_OK
                     : cpm_fail(e, CPM_ENOMEM, "no memory for a platform of %d hosts", m->n);
    if (!status)
        put_platform(&p, room);
    free(room);
    free(p.shared);
    return status;
}
