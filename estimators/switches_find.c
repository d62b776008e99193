#include "estimators/switches_find.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "estimators/view.h"

/* The hosts of all processes, and the first process of each. */
static int find_first(const cpm_measurements *m, int n, cpm_hosts *hosts, cpm_view *first,
                      cpm_error *e)
{
    int status = cpm_measurements_hosts(m, n, hosts, e);
    if (status)
        return status;
    *first = (cpm_view){hosts->count, malloc((size_t)hosts->count * sizeof *first->process)};
    for (int i = n - 1; i >= 0 && first->process; i--)
        first->process[hosts->of[i]] = i;
    return first->process ? CPM_OK : cpm_no_memory(e);
}

/* ---- how far apart two hosts are */

typedef struct {
    int n;              /* hosts */
    double *trip;       /* [n*n] seconds of round trips */
    double *error;      /* [n*n] their standard errors */
    double *apart;      /* [n*n] variance of what two hosts differ by to the others */
    double *noise;      /* [n*n] the part of it that the measurements' errors explain */
    double *difference; /* [n] */
} distances;

/* What hosts of one switch differ by is not quite the same to all others; a switch adds more. */
static const double least_error = 0.001;

static int take_trips(const cpm_measurements *m, const cpm_view *first, distances *d, cpm_error *e)
{
    double z = gsl_cdf_ugaussian_Pinv(0.975);
    for (int i = 0; i < d->n; i++)
        for (int j = i + 1; j < d->n; j++) {
            cpm_experiment x =
                cpm_experiment_pair(CPM_ROUNDTRIP, first->process[i], first->process[j], 0, 0);
            int found = cpm_measurements_find(m, &x), at = i * d->n + j, turned = j * d->n + i;
            if (found < 0)
                return cpm_fail(e, CPM_EDATA, "round trips of processes %d and %d are missing",
                                first->process[i], first->process[j]);
            const cpm_measurement *r = &m->at[found];
            d->trip[at] = d->trip[turned] = cpm_measurement_value(r, m->statistic);
            d->error[at] = d->error[turned] =
                hypot(cpm_measurement_half(r, m->statistic) / z, least_error * d->trip[at]);
        }
    return CPM_OK;
}

static void measure_distance(distances *d, int i, int j)
{
    size_t others = 0;
    double noise = 0;
    for (int k = 0; k < d->n; k++) {
        if (k == i || k == j)
            continue;
        double one = d->error[i * d->n + k], other = d->error[j * d->n + k];
        d->difference[others++] = d->trip[i * d->n + k] - d->trip[j * d->n + k];
        noise += one * one + other * other;
    }
    int at = i * d->n + j, turned = j * d->n + i;
    d->apart[at] = d->apart[turned] = gsl_stats_variance(d->difference, 1, others);
    d->noise[at] = d->noise[turned] = noise / (double)others;
}

/* ---- agglomeration */

/* Hosts of one switch are 1 apart in units of the noise, but for chance; and more, if their ways to
 * others are not all the same. Those of two are so many times as far apart as any of one. */
static const double most_apart = 3, clearly = 4;

/* Mean over the pairs of hosts of two groups, in units of the noise. */
static double between(const distances *d, int a, int b)
{
    return d->apart[a * d->n + b] / d->noise[a * d->n + b];
}

static void add_distances(const distances *d, double *of_pairs, int one, int other)
{
    for (int k = 0; k < d->n; k++)
        if (k != one && k != other) {
            of_pairs[one * d->n + k] += of_pairs[other * d->n + k];
            of_pairs[k * d->n + one] = of_pairs[one * d->n + k];
        }
}

/* Joins the two groups that are closest; false: these are of different switches. A group is named
 * after its first host, and its distances are the sums of its hosts'. within: the most that any two
 * were apart that were joined. */
static bool join_closest(const distances *d, int *of, double *within)
{
    double closest = INFINITY;
    int one = -1, other = -1;
    for (int a = 0; a < d->n; a++)
        for (int b = a + 1; b < d->n && of[a] == a; b++)
            if (of[b] == b && between(d, a, b) < closest) {
                closest = between(d, a, b);
                one = a;
                other = b;
            }
    if (closest > clearly * *within)
        return false;
    *within = fmax(*within, closest);
    add_distances(d, d->apart, one, other);
    add_distances(d, d->noise, one, other);
    for (int i = 0; i < d->n; i++)
        of[i] = of[i] == other ? one : of[i];
    return true;
}

/* Of each host the first one at its switch. */
static int group(const cpm_measurements *m, const cpm_view *first, distances *d, int *of,
                 cpm_error *e)
{
    int status = take_trips(m, first, d, e);
    if (status)
        return status;
    for (int i = 0; i < d->n; i++) {
        of[i] = i;
        for (int j = 0; j < i; j++)
            measure_distance(d, i, j);
    }
    double within = most_apart;
    while (join_closest(d, of, &within))
        ;
    return CPM_OK;
}

static bool allocate(distances *d, int **of)
{
    size_t n = (size_t)d->n;
    d->trip = calloc(n * n, sizeof *d->trip);
    d->error = calloc(n * n, sizeof *d->error);
    d->apart = calloc(n * n, sizeof *d->apart);
    d->noise = calloc(n * n, sizeof *d->noise);
    d->difference = calloc(n, sizeof *d->difference);
    *of = calloc(n, sizeof **of);
    return d->trip && d->error && d->apart && d->noise && d->difference && *of;
}

/* of[host], from what the first processes of hosts measured; the caller frees it. */
static int group_hosts(const cpm_measurements *m, const cpm_view *first, int **of, cpm_error *e)
{
    distances d = {.n = first->n};
    if (d.n < CPM_SWITCHES_LEAST_HOSTS)
        return cpm_fail(e, CPM_EDATA, "switches cannot be found from %d hosts, it takes %d", d.n,
                        CPM_SWITCHES_LEAST_HOSTS);
    int status = allocate(&d, of) ? group(m, first, &d, *of, e) : cpm_no_memory(e);
    free(d.trip);
    free(d.error);
    free(d.apart);
    free(d.noise);
    free(d.difference);
    return status;
}

static bool all_together(const int *of, int n)
{
    for (int i = 0; i < n; i++)
        if (of[i] != 0)
            return false;
    return true;
}

/* ---- planning */

int cpm_switches_plan(void *context, int n, const cpm_measurements *so_far, cpm_design *next,
                      cpm_error *e)
{
    (void)context;
    cpm_hosts hosts = {0};
    cpm_view first = {0};
    cpm_design pairs = {0};
    int status = find_first(so_far, n, &hosts, &first, e);
    if (!status)
        status = cpm_design_tournament(&pairs, hosts.count, 0, e);
    if (!status)
        status = cpm_view_design(&first, &pairs, next, e);
    cpm_design_clear(&pairs);
    cpm_view_clear(&first);
    cpm_hosts_clear(&hosts);
    return status;
}

static int plan_exchanges(const cpm_view *first, const cpm_measurements *so_far, cpm_design *next,
                          cpm_error *e)
{
    cpm_measurements seen = {0};
    cpm_design theirs = {0};
    int status = cpm_view_measurements(first, so_far, &seen, e);
    if (!status)
        status = cpm_switches_exchange_plan(first->n, &seen, &theirs, e);
    if (!status)
        status = cpm_view_design(first, &theirs, next, e);
    cpm_design_clear(&theirs);
    cpm_measurements_clear(&seen);
    return status;
}

int cpm_switches_plan_exchanges(void *context, int n, const cpm_measurements *so_far,
                                cpm_design *next, cpm_error *e)
{
    const cpm_measurements *trips = context;
    cpm_hosts hosts = {0};
    cpm_view first = {0};
    int *of = NULL, status = find_first(trips, n, &hosts, &first, e);
    if (!status)
        status = group_hosts(trips, &first, &of, e);
    if (!status && all_together(of, first.n))
        status = plan_exchanges(&first, so_far, next, e);
    free(of);
    cpm_view_clear(&first);
    cpm_hosts_clear(&hosts);
    return status;
}

/* ---- the whole */

static int group_exchanging(const cpm_measurements *m, const cpm_view *first, int *of,
                            cpm_switches_signs *out, cpm_error *e)
{
    cpm_measurements seen = {0};
    int status = cpm_view_measurements(first, m, &seen, e);
    if (!status && cpm_switches_exchange_is_known(&seen))
        status = cpm_switches_exchange_group(first->n, &seen, of, out, e);
    cpm_measurements_clear(&seen);
    return status;
}

static int name_switches(cpm_hosts *on, cpm_error *e)
{
    on->name = calloc((size_t)on->count, sizeof *on->name);
    bool good = on->name != NULL;
    for (int u = 0; good && u < on->count; u++)
        good = asprintf(&on->name[u], "switch%d", u) >= 0;
    return good ? CPM_OK : cpm_no_memory(e);
}

/* The processes of group[host] together: process i is like process like[i]. */
static int switches_of(const cpm_hosts *hosts, const int *group, cpm_hosts *out, cpm_error *e)
{
    int *host = malloc((size_t)hosts->n * sizeof *host);
    cpm_hosts all = {.n = hosts->n, .count = hosts->count, .of = host};
    int *each = malloc((size_t)hosts->n * sizeof *each), status;
    for (int i = 0; host && each && i < hosts->n; i++) {
        host[i] = group[hosts->of[i]];
        each[i] = i;
    }
    status = host && each ? cpm_hosts_of(&all, each, hosts->n, out, e) : cpm_no_memory(e);
    if (!status)
        status = name_switches(out, e);
    free(host);
    free(each);
    return status;
}

int cpm_switches_find(const cpm_measurements *m, const cpm_measurements *exchanges, cpm_hosts *out,
                      cpm_switches_signs *exchanged, cpm_error *e)
{
    cpm_hosts hosts = {0};
    cpm_view first = {0};
    int *of = NULL, status = find_first(m, m->n, &hosts, &first, e);
    *exchanged = (cpm_switches_signs){0};
    if (!status)
        status = group_hosts(m, &first, &of, e);
    if (!status && all_together(of, first.n))
        status = group_exchanging(exchanges, &first, of, exchanged, e);
    if (!status)
        status = switches_of(&hosts, of, out, e);
    free(of);
    cpm_view_clear(&first);
    cpm_hosts_clear(&hosts);
    return status;
}

/* ---- the file */

/* Two switches are linked with each other, more with a core. */
static void put_switches(FILE *f, const cpm_hosts *on)
{
    int count = on->count;
    for (int u = 0; u < count; u++)
        fprintf(f, "switch %s\n", on->name[u]);
    if (count == 2)
        fprintf(f, "link %s %s\n", on->name[0], on->name[1]);
    if (count > 2)
        fputs("switch core\n", f);
    for (int u = 0; u < count && count > 2; u++)
        fprintf(f, "link %s core\n", on->name[u]);
}

static int put_hosts(FILE *f, const cpm_hosts *named, const cpm_hosts *hosts, const cpm_hosts *on,
                     cpm_error *e)
{
    if (named->count < hosts->count)
        return cpm_fail(e, CPM_EDATA,
                        "switches are of hosts with different names, but %d hosts have %d names",
                        hosts->count, named->count);
    for (int i = 0, next = 0; i < on->n; i++)
        if (hosts->of[i] == next) {
            fprintf(f, "host %s %s\n", named->name[named->of[i]], on->name[on->of[i]]);
            next++;
        }
    return CPM_OK;
}

static void put_reason(FILE *f, int count, const cpm_switches_signs *exchanged)
{
    if (exchanged->across == 0)
        fputs("# found by cpm from the latencies between hosts\n", f);
    else if (count > 1)
        fprintf(f,
                "# found by cpm from exchanges at once: those between switches took at least %.2f "
                "times as long, others at most %.2f\n",
                exchanged->across, exchanged->within);
    else
        fprintf(f,
                "# cpm found one switch: latencies are alike, and exchanges at once took at most "
                "%.2f times as long\n",
                exchanged->within);
}

static int put_text(FILE *f, const cpm_measurements *m, const cpm_hosts *on,
                    const cpm_switches_signs *exchanged, cpm_error *e)
{
    const char *names = cpm_metadata_get(&m->metadata, "hosts");
    cpm_hosts named = {0}, hosts = {0};
    int status = cpm_measurements_hosts(m, m->n, &hosts, e);
    if (!status)
        status = cpm_hosts_of_line(names ? names : "", &named, e);
    put_reason(f, on->count, exchanged);
    put_switches(f, on);
    if (!status)
        status = put_hosts(f, &named, &hosts, on, e);
    cpm_hosts_clear(&named);
    cpm_hosts_clear(&hosts);
    return status;
}

int cpm_switches_text(const cpm_measurements *m, const cpm_hosts *on,
                      const cpm_switches_signs *exchanged, char **text, cpm_error *e)
{
    size_t size;
    *text = NULL;
    FILE *f = open_memstream(text, &size);
    if (!f)
        return cpm_no_memory(e);
    int status = put_text(f, m, on, exchanged, e);
    if (fclose(f) != 0 && !status)
        status = cpm_no_memory(e);
    return status;
}
