/* hwloc's XML: objects with the processors that are below them, then matrices of distances, whose
 * cores are named by gp_index and whose NUMA nodes by os_index.
 *
 * A message's latency is the time of an empty one, its bandwidth what a megabyte takes beyond
 * that. */
#include "models/hwloc_xml.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/statistics.h"

static const size_t long_message = 1 << 20;

/* Kinds of distances: by the user, and what they are. */
enum { LATENCY = 2 | 4, BANDWIDTH = 2 | 8 };

/* Where indices of objects that nothing else refers to begin. */
enum { MACHINE = 1, PACKAGES = 1 << 20, NODES = 1 << 21, PROCESSORS = 1 << 22, CORES = 1 << 23 };

/* A host: its processes, those of a socket together. */
typedef struct {
    const cpm_model *model;
    FILE *out;
    int n, sockets;
    int *process; /* [n] of the model */
    int *socket;  /* [n] of each, counted without gaps */
    int *number;  /* [sockets] of each as the model has it */
} machine;

/* ---- times ---- */

/* ns, and MiB/s; of a process to itself nothing is known. */
static double value_of(const machine *h, int kind, int a, int b)
{
    int from = h->process[a], to = h->process[b];
    double empty = cpm_model_p2p(h->model, from, to, 0);
    if (kind == LATENCY)
        return empty * 1e9;
    double more = cpm_model_p2p(h->model, from, to, long_message) - empty;
    return more > 0 ? 1 / more : NAN; /* a megabyte */
}

static uint64_t whole(double value)
{
    return value >= 0 && value < 1e18 ? (uint64_t)llround(value) : 0;
}

/* Of a and b in these sockets the median; NaN: there are no two. values has room for n*n. */
static double between(const machine *h, int kind, int one, int other, double *values)
{
    int count = 0;
    for (int a = 0; a < h->n; a++)
        for (int b = 0; b < h->n; b++)
            if (a != b && h->socket[a] == one && h->socket[b] == other) {
                double value = value_of(h, kind, a, b);
                if (!isnan(value))
                    values[count++] = value;
            }
    return count ? cpm_median(values, count) : NAN;
}

/* What is nearest is nearer to itself than to others. */
static void fill_diagonal(int kind, double *matrix, int n)
{
    for (int a = 0; a < n; a++) {
        double *row = matrix + (size_t)a * (size_t)n, best = NAN;
        if (!isnan(row[a]))
            continue;
        for (int b = 0; b < n; b++)
            if (!isnan(row[b]))
                best = isnan(best) || (kind == LATENCY ? row[b] < best : row[b] > best) ? row[b]
                                                                                        : best;
        row[a] = best;
    }
}

/* ---- XML ---- */

static bool is_in(const int *list, int count, int value)
{
    int k = 0;
    while (k < count && list[k] != value)
        k++;
    return k < count;
}

/* From first to last, only those of the list, unless that is NULL. Words of 32, the last ones
 * first. */
static void put_set(const machine *h, const char *name, int first, int last, const int *list)
{
    fprintf(h->out, " %s=\"", name);
    for (int word = last / 32; word >= 0; word--) {
        uint32_t bits = 0;
        for (int k = word * 32; k < word * 32 + 32; k++)
            if (k >= first && k <= last && (!list || is_in(list, h->sockets, k)))
                bits |= (uint32_t)1 << k % 32;
        fprintf(h->out, "0x%08" PRIx32 "%s", bits, word ? "," : "");
    }
    fputc('"', h->out);
}

/* The processors, and the nodes that they are on. */
static void put_sets(const machine *h, int first, int last, bool all)
{
    int low = h->number[h->socket[first]], high = h->number[h->socket[last]];
    put_set(h, "cpuset", first, last, NULL);
    put_set(h, "complete_cpuset", first, last, NULL);
    if (all)
        put_set(h, "allowed_cpuset", first, last, NULL);
    put_set(h, "nodeset", low, high, h->number);
    put_set(h, "complete_nodeset", low, high, h->number);
    if (all)
        put_set(h, "allowed_nodeset", low, high, h->number);
}

static void put_core(const machine *h, int k)
{
    fprintf(h->out, "      <object type=\"Core\" os_index=\"%d\"", k);
    put_sets(h, k, k, false);
    fprintf(h->out, " gp_index=\"%d\">\n        <info name=\"MPIRank\" value=\"%d\"/>\n", CORES + k,
            h->process[k]);
    fprintf(h->out, "        <object type=\"PU\" os_index=\"%d\"", k);
    put_sets(h, k, k, false);
    fprintf(h->out, " gp_index=\"%d\"/>\n      </object>\n", PROCESSORS + k);
}

static void put_package(const machine *h, int socket, int first, int last)
{
    fprintf(h->out, "    <object type=\"Package\" os_index=\"%d\"", h->number[socket]);
    put_sets(h, first, last, false);
    fprintf(h->out, " gp_index=\"%d\">\n      <object type=\"NUMANode\" os_index=\"%d\"",
            PACKAGES + socket, h->number[socket]);
    put_sets(h, first, last, false);
    fprintf(h->out, " gp_index=\"%d\"/>\n", NODES + socket);
    for (int k = first; k <= last; k++)
        put_core(h, k);
    fputs("    </object>\n", h->out);
}

static void put_name(const machine *h, const char *host)
{
    char name[200];
    for (const char *p = cpm_escape(host, name, sizeof name); *p; p++)
        if (strchr("<>&\"'", *p))
            fprintf(h->out, "&#%d;", *p);
        else
            fputc(*p, h->out);
}

static void put_objects(const machine *h, const char *host)
{
    fputs("  <object type=\"Machine\" os_index=\"0\"", h->out);
    put_sets(h, 0, h->n - 1, true);
    fprintf(h->out, " gp_index=\"%d\">\n", MACHINE);
    fputs("    <info name=\"Backend\" value=\"CPM\"/>\n    <info name=\"HostName\" value=\"",
          h->out);
    put_name(h, host);
    fputs("\"/>\n", h->out);
    for (int k = 0, last; k < h->n; k = last + 1) {
        for (last = k; last + 1 < h->n && h->socket[last + 1] == h->socket[k];)
            last++;
        put_package(h, h->socket[k], k, last);
    }
    fputs("  </object>\n", h->out);
}

/* A text with its length, as hwloc wants it. */
static int put_list(const machine *h, const char *name, const uint64_t *value, size_t count,
                    cpm_error *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return cpm_no_memory(e);
    for (size_t k = 0; k < count; k++)
        fprintf(f, "%" PRIu64 " ", value[k]);
    int status = fclose(f) == 0 ? CPM_OK : cpm_no_memory(e);
    if (!status)
        fprintf(h->out, "    <%s length=\"%zu\">%s</%s>\n", name, size, text, name);
    free(text);
    return status;
}

static int put_matrix(const machine *h, const char *type, int kind, const uint64_t *index,
                      const double *matrix, int n, cpm_error *e)
{
    size_t count = (size_t)n * (size_t)n;
    uint64_t *value = calloc(count, sizeof *value);
    if (!value)
        return cpm_no_memory(e);
    for (size_t k = 0; k < count; k++)
        value[k] = whole(matrix[k]);
    fprintf(h->out,
            "  <distances2 type=\"%s\" nbobjs=\"%d\" kind=\"%d\" name=\"Message%s\" "
            "indexing=\"%s\">\n",
            type, n, kind, kind == LATENCY ? "Latency" : "Bandwidth",
            strcmp(type, "Core") == 0 ? "gp" : "os");
    int status = put_list(h, "indexes", index, (size_t)n, e);
    if (!status)
        status = put_list(h, "u64values", value, count, e);
    fputs("  </distances2>\n", h->out);
    free(value);
    return status;
}

/* ---- the two kinds of objects ---- */

static int put_cores(const machine *h, int kind, double *matrix, uint64_t *index, cpm_error *e)
{
    for (int a = 0; a < h->n; a++) {
        index[a] = (uint64_t)CORES + (uint64_t)a;
        for (int b = 0; b < h->n; b++)
            matrix[(size_t)a * (size_t)h->n + (size_t)b] = a != b ? value_of(h, kind, a, b)
                                                           : kind == LATENCY ? 0
                                                                             : NAN;
    }
    fill_diagonal(kind, matrix, h->n);
    return put_matrix(h, "Core", kind, index, matrix, h->n, e);
}

static int put_nodes(const machine *h, int kind, double *matrix, uint64_t *index, cpm_error *e)
{
    double *values = calloc((size_t)h->n * (size_t)h->n, sizeof *values);
    if (!values)
        return cpm_no_memory(e);
    for (int a = 0; a < h->sockets; a++) {
        index[a] = (uint64_t)h->number[a];
        for (int b = 0; b < h->sockets; b++)
            matrix[(size_t)a * (size_t)h->sockets + (size_t)b] = between(h, kind, a, b, values);
    }
    free(values);
    fill_diagonal(kind, matrix, h->sockets);
    return put_matrix(h, "NUMANode", kind, index, matrix, h->sockets, e);
}

static int put_distances(const machine *h, cpm_error *e)
{
    double *matrix = calloc((size_t)h->n * (size_t)h->n, sizeof *matrix);
    uint64_t *index = calloc((size_t)h->n, sizeof *index);
    int status = matrix && index ? CPM_OK : cpm_no_memory(e);
    for (int k = 0; k < 2 && !status; k++) {
        int kind = k ? BANDWIDTH : LATENCY;
        if (h->sockets > 1)
            status = put_nodes(h, kind, matrix, index, e);
        if (!status)
            status = put_cores(h, kind, matrix, index, e);
    }
    free(matrix);
    free(index);
    return status;
}

/* ---- the host ---- */

/* Processes of one socket together, by its number; those of none known are on one. */
static void take_processes(const cpm_hosts *on, int host, machine *h)
{
    int last = -1;
    for (;;) {
        int next = -1, count = h->n;
        for (int i = 0; i < on->n; i++) {
            int socket = on->socket && on->socket[i] >= 0 ? on->socket[i] : 0;
            if (on->of[i] == host && socket > last && (next < 0 || socket < next))
                next = socket;
        }
        if (next < 0)
            return;
        for (int i = 0; i < on->n; i++)
            if (on->of[i] == host &&
                (on->socket && on->socket[i] >= 0 ? on->socket[i] : 0) == next) {
                h->process[h->n] = i;
                h->socket[h->n++] = h->sockets;
            }
        if (h->n > count)
            h->number[h->sockets++] = next;
        last = next;
    }
}

/* -1: there is none of that name. */
static int find_host(const cpm_model *m, const cpm_hosts *on, const char *name)
{
    int best = -1;
    for (int i = 0; i < on->n; i++) {
        if (name ? strcmp(m->hosts[i], name) == 0
                 : best < 0 || cpm_hosts_processes(on, on->of[i]) > cpm_hosts_processes(on, best))
            best = on->of[i];
        if (name && best >= 0)
            break;
    }
    return best;
}

static int write_host(const cpm_model *m, const cpm_hosts *on, int host, FILE *out, int *shown,
                      cpm_error *e)
{
    machine h = {.model = m, .out = out};
    size_t room = (size_t)on->n;
    h.process = calloc(room, sizeof *h.process);
    h.socket = calloc(room, sizeof *h.socket);
    h.number = calloc(room, sizeof *h.number);
    int status = h.process && h.socket && h.number ? CPM_OK : cpm_no_memory(e);
    if (!status) {
        take_processes(on, host, &h);
        *shown = h.process[0];
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
              "<!-- by cpm export, for hwloc -->\n"
              "<topology version=\"2.0\">\n",
              out);
        put_objects(&h, m->hosts[*shown]);
        status = put_distances(&h, e);
        fputs("</topology>\n", out);
    }
    free(h.process);
    free(h.socket);
    free(h.number);
    return status;
}

int cpm_model_write_hwloc(const cpm_model *m, const char *host, FILE *out, int *shown, cpm_error *e)
{
    cpm_hosts named = {0};
    const cpm_hosts *on = &m->on;
    int status = CPM_OK;
    if (!on->n) {
        status = cpm_hosts_named((const char *const *)m->hosts, m->n, &named, e);
        on = &named;
    }
    int which = status ? -1 : find_host(m, on, host);
    if (!status && which < 0)
        status = cpm_fail(e, CPM_EUNKNOWN, "--host: no process of the model is on '%s'", host);
    if (!status && cpm_hosts_processes(on, which) < 2)
        status = cpm_fail(e, CPM_EINVAL,
                          "no two processes of the model are on one host%s%s: measure with several "
                          "on a host",
                          host ? ", " : "", host ? host : "");
    if (!status)
        status = write_host(m, on, which, out, shown, e);
    cpm_hosts_clear(&named);
    return status;
}
