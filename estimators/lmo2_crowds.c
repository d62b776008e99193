#include "estimators/lmo2_crowds.h"

#include <stdlib.h>

/* ---- sockets, or hosts where these are not told apart */

void cpm_crowd_sockets_clear(cpm_crowd_sockets *s)
{
    cpm_hosts_clear(&s->of);
    free(s->most);
    free(s->second);
}

/* size[s->of.count]: processes of each, 0 if it is not known which socket it is: one of these is
 * taken where a host has no other. host[s->of.count] of each. */
static void rank_sockets(cpm_crowd_sockets *s, const int *size, const int *host)
{
    for (int h = 0; h < s->hosts; h++)
        s->most[h] = s->second[h] = -1;
    for (int k = 0; k < s->of.count; k++) {
        int *most = &s->most[host[k]], *second = &s->second[host[k]];
        if (*most < 0 || size[k] > size[*most]) {
            *second = *most >= 0 && size[*most] > 0 ? *most : -1;
            *most = k;
        } else if (size[k] > 0 && (*second < 0 || size[k] > size[*second])) {
            *second = k;
        }
    }
}

int cpm_crowd_sockets_find(const cpm_hosts *hosts, cpm_crowd_sockets *out, cpm_error *e)
{
    *out = (cpm_crowd_sockets){.hosts = hosts->count};
    int status = cpm_hosts_of_sockets(hosts, &out->of, e);
    if (status)
        return status;
    size_t count = (size_t)out->of.count;
    int *size = calloc(count, sizeof *size), *host = calloc(count, sizeof *host);
    out->most = malloc((size_t)hosts->count * sizeof *out->most);
    out->second = malloc((size_t)hosts->count * sizeof *out->second);
    for (int i = 0; size && host && i < hosts->n; i++) {
        size[out->of.of[i]] += !hosts->socket || hosts->socket[i] >= 0;
        host[out->of.of[i]] = hosts->of[i];
    }
    if (size && host && out->most && out->second)
        rank_sockets(out, size, host);
    else
        status = cpm_no_memory(e);
    free(size);
    free(host);
    return status;
}

bool cpm_crowd_sockets_of(const cpm_crowd_sockets *s, int host, cpm_level level, int *a, int *b)
{
    *a = s->most[host];
    *b = level == CPM_ACROSS ? s->second[host] : *a;
    return *b >= 0;
}

/* ---- who meets whom */

/* What the few processes of a host show. */
static const cpm_crowd *few(const cpm_crowd *what, size_t processes)
{
    return processes == 2 ? what->of_two : processes == 3 ? what->of_three : NULL;
}

static void settle_pairs(size_t of_a, size_t of_b, bool inside, cpm_crowd_pairs *out)
{
    size_t pairs = inside ? of_a / 2 : of_a < of_b ? of_a : of_b;
    const cpm_crowd *instead = inside ? few(out->what, of_a) : NULL;
    if (instead)
        out->what = instead;
    out->pairs = pairs >= 2 || instead ? (int)pairs : 0;
}

int cpm_crowd_pair_up(const cpm_hosts *hosts, int a, int b, const cpm_crowd *what,
                      cpm_crowd_pairs *out, cpm_error *e)
{
    size_t of_a = 0, of_b = 0;
    int *process = malloc(2 * (size_t)hosts->n * sizeof *process);
    *out = (cpm_crowd_pairs){.process = process, .what = what};
    if (!process)
        return cpm_no_memory(e);
    for (int i = 0; i < hosts->n; i++)
        if (a == b && hosts->of[i] == a)
            process[of_a++] = i;
        else if (hosts->of[i] == a)
            process[2 * of_a++] = i;
        else if (hosts->of[i] == b)
            process[2 * of_b++ + 1] = i;
    settle_pairs(of_a, of_b, a == b, out);
    return CPM_OK;
}

static bool is_triple(const cpm_crowd_pairs *p)
{
    return p->what->kind == CPM_CROWDED_TRIPLE;
}

int cpm_crowd_processes(const cpm_crowd_pairs *p)
{
    return is_triple(p) ? 3 : 2 * p->pairs;
}

cpm_experiment cpm_crowd_pair(const cpm_crowd_pairs *p, int q, bool other, size_t bytes)
{
    int first = 2 * q, second = 2 * q + 1;
    bool inside = p->what->level == CPM_INSIDE, trip = p->what->kind == CPM_CROWDED_TRIP;
    if (other && !inside)
        second = 2 * ((q + 1) % p->pairs) + 1;
    bool turned = other && inside;
    cpm_experiment x =
        cpm_experiment_pair(p->what->kind, turned ? second : first, turned ? first : second, bytes,
                            p->what->both ? bytes : 0);
    x.count = trip ? p->pairs : 1;
    x.k = is_triple(p) ? 2 : -1;
    return x;
}

cpm_experiment cpm_crowd_experiment(const cpm_crowd_pairs *p, int q, bool other, size_t bytes)
{
    cpm_experiment x = cpm_crowd_pair(p, q, other, bytes);
    x.i = p->process[x.i];
    x.j = p->process[x.j];
    x.k = x.k < 0 ? -1 : p->process[x.k];
    return x;
}

int cpm_crowd_measured(const cpm_crowd_pairs *p, bool other, size_t bytes,
                       const cpm_measurements *m)
{
    int count = 0;
    for (int q = 0; q < p->pairs; q++) {
        cpm_experiment x = cpm_crowd_experiment(p, q, other, bytes);
        count += cpm_measurements_find(m, &x) >= 0;
    }
    return count;
}

bool cpm_crowd_is_measured(const cpm_crowd_pairs *p, bool other, size_t bytes,
                           const cpm_measurements *m)
{
    return cpm_crowd_measured(p, other, bytes, m) == p->pairs;
}
