/* What ibnetdiscover prints: records of switches and channel adapters, each with a line for every
 * port that is cabled, so that a cable has two lines:
 *
 *   Switch	36 "S-ec0d9a0300ec8240"		# "leaf1" base port 0 lid 48 lmc 0
 *   [1]	"H-506b4b03003fa9b6"[1](506b4b03003fa9b6) 		# "node018 HCA-1" lid 67
 * 4xEDR
 *
 *   Ca	1 "H-506b4b03003fa9b6"		# "node018 HCA-1"
 *   [1](506b4b03003fa9b6) 	"S-ec0d9a0300ec8240"[1]		# lid 67 lmc 0 "leaf1" lid 48 4xEDR
 *
 * A host is the first word of its adapter's description. */
#include <ctype.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/notice.h"
#include "base/vector.h"
#include "collectives/fabric.h"
#include "collectives/topology_forms.h"
#include "collectives/topology_tree.h"

typedef enum { SWITCH, ADAPTER, ROUTER } kind;

typedef struct {
    char *id, *said; /* description */
    int line, index;
    kind kind;
    int in_fabric; /* of a switch */
} device;

typedef struct {
    int device, port, line;
    char *peer; /* its id */
    int peer_device, peer_port;
} port;

typedef struct {
    cpm_lines *lines;
    cpm_error *e;
    device **device; /* in the order of the file */
    int devices;
    void *ids; /* of devices, for tsearch */
    port *port;
    int ports;
    cpm_fabric f;
} reader;

/* ---- lines */

static int by_id(const void *a, const void *b)
{
    const device *x = a, *y = b;
    return strcmp(x->id, y->id);
}

static int keep_device(reader *r, kind of, char *id, char *said)
{
    device *new = calloc(1, sizeof *new), **same = tfind(&(device){.id = id}, &r->ids, by_id);
    if (same) {
        free(new);
        return cpm_lines_wrong(r->lines, "'%s' has a record already (line %d)", id, (*same)->line);
    }
    if (!new || !cpm_vector_extend(&r->device, r->devices, sizeof *r->device)) {
        free(new);
        return cpm_no_memory(r->e);
    }
    *new = (device){strdup(id), strdup(said), r->lines->number, r->devices, of, -1};
    r->device[r->devices++] = new;
    return new->id &&new->said &&tsearch(new, &r->ids, by_id) ? CPM_OK : cpm_no_memory(r->e);
}

/* What is in quotes at a text, which is cut there; *at is then behind. NULL: nothing is. */
static char *take_quoted(char **at)
{
    char *text = *at + strspn(*at, " \t");
    char *end = *text == '"' ? strchr(text + 1, '"') : NULL;
    if (!end)
        return NULL;
    *end = '\0';
    *at = end + 1;
    return text + 1;
}

/* "[12]"; *at is then behind. -1: something else is there. */
static int take_port(char **at)
{
    char *end, *text = *at + strspn(*at, " \t");
    long number = *text == '[' && isdigit((unsigned char)text[1]) ? strtol(text + 1, &end, 10) : -1;
    if (number < 0 || number > 1 << 20 || *end != ']')
        return -1;
    *at = end + 1;
    return (int)number;
}

/* Behind the word of its kind: the number of ports, "id" # "description". */
static int read_device(reader *r, kind of, char *at)
{
    at += strspn(at, " \t0123456789");
    char *id = take_quoted(&at), *said = NULL;
    if (id) {
        at += strcspn(at, "#");
        at += *at == '#';
        said = take_quoted(&at);
    }
    if (!id || !*id)
        return cpm_lines_wrong(r->lines, "expected 'Switch 36 \"S-...\" # \"NAME\"' or 'Ca 1 "
                                         "\"H-...\" # \"HOST HCA-1\"'");
    return keep_device(r, of, id, said ? said : "");
}

/* "[1](guid) "id"[3](guid) # ...". */
static int read_port(reader *r, char *at)
{
    int own = take_port(&at), other = -1;
    char *peer = NULL;
    if (own >= 0) {
        at += strcspn(at, "\"#"); /* guid, external port */
        peer = take_quoted(&at);
        other = peer ? take_port(&at) : -1;
    }
    if (other < 0)
        return cpm_lines_wrong(r->lines, "expected '[1] \"S-...\"[3]': a port, and what it is "
                                         "cabled to");
    if (!r->devices)
        return cpm_lines_wrong(r->lines, "a port of what? There is no 'Switch' or 'Ca' before");
    if (!cpm_vector_extend(&r->port, r->ports, sizeof *r->port) || !(peer = strdup(peer)))
        return cpm_no_memory(r->e);
    r->port[r->ports++] = (port){r->devices - 1, own, r->lines->number, peer, -1, other};
    return CPM_OK;
}

static bool is_word(const char *line, const char *word)
{
    size_t length = strlen(word);
    return strncmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\t');
}

static const struct {
    const char *word;
    kind kind;
} records[] = {{"Switch", SWITCH}, {"Ca", ADAPTER}, {"Rt", ROUTER}};
enum { RECORDS = sizeof records / sizeof *records };

/* Other lines (vendid=..., chassis) say nothing of cables. */
static int read_line(reader *r, char *line)
{
    line += strspn(line, " \t");
    for (int k = 0; k < RECORDS; k++)
        if (is_word(line, records[k].word))
            return read_device(r, records[k].kind, line + strlen(records[k].word));
    return *line == '[' ? read_port(r, line) : CPM_OK;
}

/* ---- cables */

static int by_place(const void *a, const void *b)
{
    const port *x = a, *y = b;
    return x->device != y->device ? x->device - y->device : x->port - y->port;
}

static int refuse_port(reader *r, const port *p, const char *what)
{
    r->lines->number = p->line;
    return cpm_lines_wrong(r->lines, "port %d of '%s' is cabled to port %d of '%s', %s", p->port,
                           r->device[p->device]->id, p->peer_port, p->peer, what);
}

/* Both ends of each cable must say so. */
static int check_port(reader *r, port *p)
{
    device **peer = tfind(&(device){.id = p->peer}, &r->ids, by_id);
    if (!peer)
        return refuse_port(r, p, "which has no record: the file is not whole");
    p->peer_device = (*peer)->index;
    if (p->peer_device == p->device)
        return refuse_port(r, p, "which is itself: a loop");
    const port *back = bsearch(&(port){.device = p->peer_device, .port = p->peer_port}, r->port,
                               (size_t)r->ports, sizeof *r->port, by_place);
    if (!back)
        return refuse_port(r, p, "which says nothing of it");
    if (back->peer_port != p->port || strcmp(back->peer, r->device[p->device]->id) != 0)
        return refuse_port(r, p, "which says otherwise");
    return CPM_OK;
}

static int check_ports(reader *r)
{
    int status = CPM_OK;
    if (r->ports)
        qsort(r->port, (size_t)r->ports, sizeof *r->port, by_place);
    for (int k = 0; k < r->ports && !status; k++) {
        status = check_port(r, &r->port[k]);
        if (!status && k && by_place(&r->port[k], &r->port[k - 1]) == 0)
            status = refuse_port(r, &r->port[k], "but it has another line, too");
    }
    return status;
}

/* ---- switches */

static bool has_namesake(const reader *r, const device *d)
{
    for (int k = 0; k < r->devices; k++)
        if (r->device[k] != d && r->device[k]->kind == SWITCH &&
            strcmp(r->device[k]->said, d->said) == 0)
            return true;
    return false;
}

/* By their descriptions, or where these are alike by their numbers. */
static int add_switches(reader *r)
{
    int status = CPM_OK;
    for (int k = 0; k < r->devices && !status; k++) {
        device *d = r->device[k];
        if (d->kind != SWITCH)
            continue;
        d->in_fabric = r->f.switches;
        status = cpm_fabric_add_switch(&r->f, *d->said && !has_namesake(r, d) ? d->said : d->id,
                                       d->line, r->e);
    }
    return status;
}

/* Each cable at one of its ends. */
static int add_cables(reader *r)
{
    int status = CPM_OK;
    for (int k = 0; k < r->ports && !status; k++) {
        const port *p = &r->port[k];
        const device *own = r->device[p->device], *peer = r->device[p->peer_device];
        if (own->kind == SWITCH && peer->kind == SWITCH && p->device < p->peer_device)
            status = cpm_fabric_add_cable(&r->f, own->in_fabric, peer->in_fabric, p->line, r->e);
    }
    return status;
}

/* ---- hosts */

/* A host by its name, and its first adapter: that of the least description and port. */
typedef struct {
    char *name;
    const device *adapter;
    int port;   /* of the adapter */
    int at;     /* its switch */
    bool apart; /* others are at other switches */
} host;

static int by_name(const void *a, const void *b)
{
    const host *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Switches have adapters of their own, for reductions in the network. */
static const char *host_of(const device *d, size_t *length)
{
    const char *name = d->said + strspn(d->said, " '");
    *length = strcspn(name, " '/");
    return d->kind == ADAPTER && !strstr(name, "Aggregation Node") ? name : "";
}

static bool precedes(const device *d, int number, const host *h)
{
    int order = strverscmp(d->said, h->adapter->said);
    return order < 0 ||
           (order == 0 && (d->index < h->adapter->index || (d == h->adapter && number < h->port)));
}

/* Of a switch's port: what is behind it, if that is a host's adapter. */
static int meet_adapter(reader *r, void **hosts, const port *p)
{
    const device *d = r->device[p->peer_device];
    int at = r->device[p->device]->in_fabric;
    size_t length;
    const char *name = host_of(d, &length);
    if (at < 0 || !*name || !length)
        return CPM_OK;
    host *new = malloc(sizeof *new), **known = NULL;
    if (new)
        *new = (host){strndup(name, length), d, p->peer_port, at, false};
    if (!new || !new->name || !(known = tsearch(new, hosts, by_name))) {
        free(new ? new->name : NULL);
        free(new);
        return cpm_no_memory(r->e);
    }
    if (*known == new)
        return CPM_OK;
    bool first = precedes(d, p->peer_port, *known);
    new->apart = (*known)->apart || (*known)->at != at;
    if (first)
        **known = (host){(*known)->name, d, p->peer_port, at, new->apart};
    (*known)->apart = new->apart;
    free(new->name);
    free(new);
    return CPM_OK;
}

/* Hosts of a switch are in the order of its ports. */
static int add_host(reader *r, void *const *hosts, const port *p, int *apart)
{
    const device *d = r->device[p->peer_device], *own = r->device[p->device];
    size_t length;
    const char *name = host_of(d, &length);
    if (own->kind != SWITCH || !*name || !length)
        return CPM_OK;
    char *copy = strndup(name, length);
    host **known = copy ? tfind(&(host){.name = copy}, hosts, by_name) : NULL;
    int status = copy ? CPM_OK : cpm_no_memory(r->e);
    if (known && (*known)->adapter == d && (*known)->port == p->peer_port) {
        *apart += (*known)->apart;
        status = cpm_fabric_add_host(&r->f, copy, d->line, own->in_fabric, r->e);
    }
    free(copy);
    return status;
}

static void free_host(void *at)
{
    host *h = at;
    free(h->name);
    free(h);
}

static int add_hosts(reader *r)
{
    void *hosts = NULL;
    int status = CPM_OK, apart = 0;
    for (int k = 0; k < r->ports && !status; k++)
        status = meet_adapter(r, &hosts, &r->port[k]);
    for (int k = 0; k < r->ports && !status; k++)
        status = add_host(r, &hosts, &r->port[k], &apart);
    tdestroy(hosts, free_host);
    if (!status && apart)
        cpm_notice("%s: %d of %d hosts have ports at several switches: each is taken to be at that "
                   "of its first adapter",
                   r->lines->name, apart, r->f.hosts);
    return status;
}

static int check_whole(reader *r)
{
    int *part = malloc((size_t)r->f.switches * sizeof *part + 1), status = CPM_OK;
    if (!part)
        return cpm_no_memory(r->e);
    cpm_fabric_parts(&r->f, part);
    for (int s = 1; s < r->f.switches && !status; s++)
        if (part[s] != part[0]) {
            r->lines->number = r->f.at[s].line;
            status = cpm_lines_wrong(r->lines, "no cables lead from switch '%s' to '%s'",
                                     r->f.at[s].name, r->f.at[0].name);
        }
    free(part);
    return status || r->f.hosts ? status
                                : cpm_lines_wrong(r->lines, "the file ends without a host ('Ca') "
                                                            "at a switch");
}

/* ---- all */

bool cpm_topology_ib_begins(const char *line)
{
    bool record = strncmp(line, "vendid=", strlen("vendid=")) == 0 || is_word(line, "Non-Chassis");
    for (int k = 0; k < RECORDS && !record; k++)
        record = is_word(line, records[k].word);
    return record;
}

static void keep_device_alone(void *at)
{
    (void)at;
}

static void free_reader(reader *r)
{
    cpm_fabric_clear(&r->f);
    tdestroy(r->ids, keep_device_alone);
    for (int k = 0; k < r->devices; k++) {
        free(r->device[k]->id);
        free(r->device[k]->said);
        free(r->device[k]);
    }
    for (int k = 0; k < r->ports; k++)
        free(r->port[k].peer);
    free(r->device);
    free(r->port);
}

int cpm_topology_ib_read(cpm_lines *lines, cpm_topology **out)
{
    reader r = {.lines = lines, .e = lines->e};
    int status = CPM_OK;
    for (char *line; (line = cpm_lines_next(lines, &status));)
        status = read_line(&r, line);
    if (!status)
        status = check_ports(&r);
    if (!status)
        status = add_switches(&r);
    if (!status)
        status = add_cables(&r);
    if (!status)
        status = add_hosts(&r);
    if (!status)
        status = check_whole(&r);
    if (!status)
        status = cpm_topology_of_fabric(&r.f, out, r.e);
    free_reader(&r);
    return status;
}
