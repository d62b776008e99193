/* LMO and extended LMO as a platform: processors' overheads are SMPI's os (send), ois (send that
 * does not block) and or (receive) of each host, by size; a pair's latency and time per byte are a
 * link of its own that messages do not share; ends that they share are links of a host, trunks
 * those of a switch, and links inside the network are on the ways of their pairs. Where a model
 * knows the inside of hosts, these are the hosts, with a link of their own and their memory on the
 * way to themselves; else every process has one.
 *
 * SMPI can scale links by size only all alike. So links are those of the largest messages, and the
 * other regimes are told as the median of the pairs' factors. Nor do its processors know who a
 * message is for: what overheads inside a host are more than those between is its latency's and its
 * bandwidth's there, and what they are less cannot be told. */
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
} parts; /* of the network; of a model of one host, of its inside */

static const parts lmo = {CPM_LMO_C, CPM_LMO_C, CPM_LMO_C, CPM_LMO_L, CPM_LMO_INVBETA,
                          -1,        -1,        -1,        -1};
static const parts lmo2 = {CPM_LMO2_CS, CPM_LMO2_CN,         CPM_LMO2_CR,
                           CPM_LMO2_L,  CPM_LMO2_INVBETA,    CPM_LMO2_GO,
                           CPM_LMO2_GI, CPM_LMO2_RENDEZVOUS, CPM_LMO2_LATE};
static const parts lmo2_inside = {CPM_LMO2_INSIDE_CS,
                                  CPM_LMO2_INSIDE_CN,
                                  CPM_LMO2_INSIDE_CR,
                                  CPM_LMO2_INSIDE_L,
                                  CPM_LMO2_INSIDE_INVBETA,
                                  -1,
                                  -1,
                                  CPM_LMO2_INSIDE_RENDEZVOUS,
                                  -1};

typedef struct {
    const cpm_model *m;
    const parts *parts;
    const cpm_sizes *regimes; /* the last has the largest messages */
    int hosts;                /* of the platform */
    int *process;             /* [hosts] the first one of each */
    bool *shared;             /* [n] the name of its host says not which process it is */
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
    return regime == 0 ? 0 : p->regimes->at[regime] - 1;
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
        for (int j = 0; j < p->m->n && !p->shared[i] && !p->m->on.n; j++)
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
    for (int k = 0; k < p->regimes->count; k++) {
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

static const double least_invbeta = 1e-15; /* a link must have a bandwidth */

static void put_link(const platform *p, const char *name, int i, double invbeta, double latency,
                     const char *sharing)
{
    if (invbeta > 0)
        fprintf(p->out,
                "<link id=\"%s%d\" bandwidth=\"%.9gBps\" latency=\"%.9gs\" "
                "sharing_policy=\"%s\"/>\n",
                name, i, 1 / invbeta, fmax(latency, 0), sharing);
}

static void put_trunks(const platform *p)
{
    for (int u = 0; u < p->m->switches.count; u++) {
        put_link(p, "up", u, p->m->value[CPM_LMO2_UP][u], 0, "SHARED");
        put_link(p, "down", u, p->m->value[CPM_LMO2_DOWN][u], 0, "SHARED");
    }
}

static void put_inner_links(const platform *p)
{
    for (int k = 0; k < p->m->links.count; k++)
        put_link(p, "inner", k, p->m->value[CPM_LMO2_LINK][k], 0, "SHARED");
}

/* What a message of a host to itself takes more than SMPI's processors do. */
static double inside(const platform *p, int link, int send, int recv, int i)
{
    const double *const *value = (const double *const *)p->m->value;
    int last = p->m->inside.count - 1, regime = p->regimes->count - 1;
    double all = value[link][cpm_place(p->m, last, i)] + value[send][cpm_place(p->m, last, i)] +
                 value[recv][cpm_place(p->m, last, i)];
    int slope = send != CPM_LMO2_INSIDE_CS;
    return all - value[p->parts->send + slope][cpm_place(p->m, regime, i)] -
           value[p->parts->recv + slope][cpm_place(p->m, regime, i)];
}

/* The memory that a host's largest messages share: if receivers fetch these it is another one than
 * that of buffered messages. */
static double memory(const platform *p, int i)
{
    bool fetched = !isnan(p->m->value[CPM_LMO2_FETCHED][0]);
    return of_process(p, fetched ? CPM_LMO2_FETCHING : CPM_LMO2_MEMORY, i);
}

static void put_inside(const platform *p, int i)
{
    double latency = inside(p, CPM_LMO2_INSIDE_L, CPM_LMO2_INSIDE_CS, CPM_LMO2_INSIDE_CR, i);
    double invbeta = inside(p, CPM_LMO2_INSIDE_INVBETA, CPM_LMO2_INSIDE_TS, CPM_LMO2_INSIDE_TR, i);
    put_link(p, "memory", i, memory(p, i), 0, "SHARED");
    put_link(p, "inside", i, fmax(invbeta, least_invbeta), latency - ENVELOPE * invbeta, "FATPIPE");
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
    int last = p->regimes->count - 1;
    double invbeta = of_pair(p, p->parts->invbeta, last, i, j);
    snprintf(name, sizeof name, "l%d_", i);
    put_link(p, name, j, fmax(invbeta, least_invbeta),
             of_pair(p, p->parts->latency, last, i, j) - ENVELOPE * invbeta, "FATPIPE");
}

static void put_step(const platform *p, const char *name, int i, double invbeta)
{
    if (invbeta > 0)
        fprintf(p->out, "<link_ctn id=\"%s%d\"/>", name, i);
}

static void put_route_inside(const platform *p, int i)
{
    fputs("<route src=\"", p->out);
    put_name(p, i);
    fputs("\" dst=\"", p->out);
    put_name(p, i);
    fprintf(p->out, "\" symmetrical=\"NO\"><link_ctn id=\"inside%d\"/>", i);
    put_step(p, "memory", i, memory(p, i));
    fputs("</route>\n", p->out);
}

static void put_inner_steps(const platform *p, int i, int j)
{
    const cpm_model *m = p->m;
    int count = 0;
    const int *way = m->links.count ? cpm_links_way(&m->links, m->on.n ? m->on.of[i] : i,
                                                    m->on.n ? m->on.of[j] : j, &count)
                                    : NULL;
    for (int u = 0; u < count; u++)
        put_step(p, "inner", way[u], m->value[CPM_LMO2_LINK][way[u]]);
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
    if (cpm_model_crosses(p->m, i, j)) {
        int u = p->m->switches.of[i], v = p->m->switches.of[j];
        put_step(p, "up", u, p->m->value[CPM_LMO2_UP][u]);
        put_step(p, "down", v, p->m->value[CPM_LMO2_DOWN][v]);
    }
    put_inner_steps(p, i, j);
    put_step(p, "in", j, of_process(p, p->parts->in, j));
    fputs("</route>\n", p->out);
}

static void put_pairs(const platform *p, void (*put)(const platform *p, int i, int j))
{
    for (int a = 0; a < p->hosts; a++)
        for (int b = 0; b < p->hosts; b++)
            if (a != b)
                put(p, p->process[a], p->process[b]);
}

static void put_hosts(const platform *p, void (*put)(const platform *p, int i))
{
    for (int h = 0; h < p->hosts; h++)
        put(p, p->process[h]);
}

/* ---- options */

static void put_option(FILE *out, const char *name, const char *value)
{
    fprintf(out, "<prop id=\"%s\" value=\"%s\"/>\n", name, value);
}

/* The median over pairs of a regime's value over the last one's; values that are not positive say
 * nothing. room: of hosts * hosts. */
static double factor(const platform *p, int parameter, int regime, double *room)
{
    int count = 0;
    for (int a = 0; a < p->hosts; a++)
        for (int b = 0; b < p->hosts; b++) {
            int i = p->process[a], j = p->process[b];
            double one = a == b ? 0 : of_pair(p, parameter, regime, i, j);
            double last = a == b ? 0 : of_pair(p, parameter, p->regimes->count - 1, i, j);
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
    for (int k = 0; k < p->regimes->count; k++) {
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
          "<!-- by cpm export, for SimGrid -->\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n",
          p->out);
    find_shared(p);
    put_options(p, room);
    fputs("<zone id=\"cluster\" routing=\"Full\">\n", p->out);
    put_hosts(p, put_host);
    put_hosts(p, put_ends);
    if (p->m->on.n)
        put_hosts(p, put_inside);
    put_trunks(p);
    put_inner_links(p);
    put_pairs(p, put_pair);
    put_pairs(p, put_route);
    if (p->m->on.n)
        put_hosts(p, put_route_inside);
    fputs("</zone>\n</platform>\n", p->out);
}

static const parts *parts_of(const cpm_model *m)
{
    if (m->type == &cpm_lmo)
        return &lmo;
    return m->on.n && m->on.count == 1 ? &lmo2_inside : &lmo2;
}

static const cpm_sizes *regimes_of(const cpm_model *m)
{
    static size_t zero;
    static const cpm_sizes one = {&zero, 1};
    if (m->type == &cpm_lmo)
        return &one;
    return m->on.n && m->on.count == 1 ? &m->inside : &m->sizes;
}

int cpm_model_write_simgrid(const cpm_model *m, FILE *out, cpm_error *e)
{
    bool extended = m->type == &cpm_lmo2;
    if (!extended && m->type != &cpm_lmo)
        return cpm_fail(e, CPM_EINVAL,
                        "a platform needs the parameters of processes and links of an lmo or lmo2 "
                        "model, not those of %s",
                        m->type->name);
    size_t n = (size_t)m->n;
    platform p = {m,
                  parts_of(m),
                  regimes_of(m),
                  0,
                  malloc(n * sizeof *p.process),
                  calloc(n, sizeof *p.shared),
                  out};
    for (int i = 0; p.process && i < m->n; i++)
        if (!m->on.n || m->on.of[i] == p.hosts)
            p.process[p.hosts++] = i;
    size_t hosts = (size_t)p.hosts;
    double *room = malloc((hosts * hosts + 1) * sizeof *room);
    int status = room && p.shared && p.process ? CPM_OK : cpm_no_memory(e);
    if (!status)
        put_platform(&p, room);
    free(room);
    free(p.process);
    free(p.shared);
    return status;
}
