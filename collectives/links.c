#include "collectives/links.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/vector.h"

void cpm_links_clear(cpm_links *l)
{
    for (int k = 0; l->name && k < l->count; k++)
        free(l->name[k]);
    free(l->name);
    free(l->first);
    free(l->link);
    *l = (cpm_links){0};
}

/* ---- drafts */

void cpm_links_draft_clear(cpm_links_draft *d)
{
    for (int k = 0; k < d->count; k++)
        free(d->name[k]);
    free(d->name);
    free(d->use);
    *d = (cpm_links_draft){0};
}

/* Blanks, bars and control characters would end it in a line of links. */
static bool is_name(const char *name)
{
    size_t length = strlen(name);
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        if (*at <= ' ' || *at == 127 || *at == '|')
            return false;
    return length > 0 && length <= CPM_LINK_NAME;
}

int cpm_links_draft_name(cpm_links_draft *d, const char *name, cpm_error *e)
{
    char shown[60];
    if (!is_name(name))
        return cpm_fail(e, CPM_EPARSE,
                        "link '%s': expected a name of up to %d bytes without blanks and '|'",
                        cpm_escape(name, shown, sizeof shown), CPM_LINK_NAME);
    for (int k = d->count - 1; k >= 0; k--)
        if (strcmp(d->name[k], name) == 0)
            return k;
    if (!cpm_vector_extend(&d->name, d->count, sizeof *d->name) ||
        !(d->name[d->count] = strdup(name)))
        return cpm_no_memory(e);
    return d->count++;
}

int cpm_links_draft_use(cpm_links_draft *d, int from, int to, int link, cpm_error *e)
{
    if (!cpm_vector_extend(&d->use, d->uses, sizeof *d->use))
        return cpm_no_memory(e);
    d->use[d->uses++] = (cpm_link_use){from, to, link};
    return CPM_OK;
}

int cpm_links_draft_cross(cpm_links_draft *d, int from, int to, const char *name, int *link,
                          cpm_error *e)
{
    if (*link < 0)
        *link = cpm_links_draft_name(d, name, e);
    return *link < 0 ? *link : cpm_links_draft_use(d, from, to, *link, e);
}

static int by_way(const void *a, const void *b)
{
    const cpm_link_use *x = a, *y = b;
    if (x->from != y->from)
        return x->from - y->from;
    return x->to != y->to ? x->to - y->to : x->link - y->link;
}

/* Sorted by ways; one that is there twice is used once. */
static void list_ways(const cpm_links_draft *d, cpm_links *out)
{
    int64_t kept = 0, ways = (int64_t)out->hosts * out->hosts, way = 0;
    for (int64_t q = 0; q < d->uses; q++) {
        const cpm_link_use *u = &d->use[q];
        if (q > 0 && by_way(u, u - 1) == 0)
            continue;
        for (; way <= (int64_t)u->from * out->hosts + u->to; way++)
            out->first[way] = kept;
        out->link[kept++] = u->link;
    }
    for (; way <= ways; way++)
        out->first[way] = kept;
}

int cpm_links_draft_end(cpm_links_draft *d, cpm_links *out, cpm_error *e)
{
    size_t hosts = (size_t)d->hosts;
    *out = (cpm_links){.hosts = d->hosts,
                       .first = calloc(hosts * hosts + 1, sizeof *out->first),
                       .link = calloc((size_t)d->uses + 1, sizeof *out->link)};
    int status = out->first && out->link ? CPM_OK : cpm_no_memory(e);
    if (!status) {
        if (d->uses > 0)
            qsort(d->use, (size_t)d->uses, sizeof *d->use, by_way);
        list_ways(d, out);
        out->name = d->name;
        out->count = d->count;
        d->name = NULL;
        d->count = 0;
    } else {
        cpm_links_clear(out);
    }
    cpm_links_draft_clear(d);
    return status;
}

/* ---- text */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* A number, behind which *at is then; negative: there is none below hosts. */
static int take_host(const char **at, int hosts)
{
    char *end;
    *at = skip_blanks(*at);
    long number = isdigit((unsigned char)**at) ? strtol(*at, &end, 10) : -1;
    if (number < 0 || number >= hosts)
        return -1;
    *at = skip_blanks(end);
    return (int)number;
}

/* "0-3,8" into is[hosts]; false: it is no such list. */
static bool take_list(const char **at, int hosts, bool *is)
{
    memset(is, 0, (size_t)hosts * sizeof *is);
    do {
        *at += **at == ',';
        int low = take_host(at, hosts), high = low;
        if (low >= 0 && **at == '-') {
            ++*at;
            high = take_host(at, hosts);
        }
        if (low < 0 || high < low)
            return false;
        for (int h = low; h <= high; h++)
            is[h] = true;
    } while (**at == ',');
    return true;
}

static int use_all(cpm_links_draft *d, int link, const bool *from, const bool *to, bool both,
                   cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < d->hosts; i++)
        for (int j = 0; from[i] && j < d->hosts && !status; j++) {
            if (!to[j] || i == j)
                continue;
            status = cpm_links_draft_use(d, i, j, link, e);
            if (!status && both)
                status = cpm_links_draft_use(d, j, i, link, e);
        }
    return status;
}

/* One of those that ; separates. from, to: space. */
static int take_uses(cpm_links_draft *d, int link, const char **at, bool *from, bool *to,
                     cpm_error *e)
{
    const char *begin = *at;
    bool good = take_list(at, d->hosts, from), both = good && **at == '<';
    *at += both;
    good = good && **at == '>';
    *at += good;
    good = good && take_list(at, d->hosts, to) && (**at == ';' || !**at);
    if (!good)
        return cpm_fail(e, CPM_EPARSE,
                        "link '%s': expected '0-3,8 > 4-7' or '<>' with hosts 0 to %d, found "
                        "'%.40s'",
                        d->name[link], d->hosts - 1, skip_blanks(begin));
    *at += **at == ';';
    return use_all(d, link, from, to, both, e);
}

int cpm_links_draft_read(cpm_links_draft *d, int link, const char *text, cpm_error *e)
{
    bool *room = malloc(2 * (size_t)d->hosts * sizeof *room);
    int64_t before = d->uses;
    int status = room ? CPM_OK : cpm_no_memory(e);
    do
        status = status ? status : take_uses(d, link, &text, room, room + d->hosts, e);
    while (!status && *text);
    free(room);
    if (!status && d->uses == before)
        status = cpm_fail(e, CPM_EPARSE, "link '%s' is used by no pair of hosts", d->name[link]);
    return status;
}

static bool uses(const cpm_links *l, int from, int to, int link)
{
    int count;
    const int *way = cpm_links_way(l, from, to, &count);
    for (int u = 0; u < count; u++)
        if (way[u] == link)
            return true;
    return false;
}

static void put_list(const bool *is, int hosts, FILE *out)
{
    bool any = false;
    for (int h = 0; h < hosts; h++) {
        int last = h;
        if (!is[h])
            continue;
        while (last + 1 < hosts && is[last + 1])
            last++;
        fprintf(out, last > h ? "%s%d-%d" : "%s%d", any ? "," : "", h, last);
        any = true;
        h = last;
    }
}

/* To whom hosts use a link: 1, 0, or -1 where it does not matter, as nobody sends to himself. */
typedef signed char target;

/* Whether a host sends to those; what did not matter to others then does. */
static bool joins(target *common, const target *own, int hosts)
{
    for (int h = 0; h < hosts; h++)
        if (common[h] >= 0 && own[h] >= 0 && common[h] != own[h])
            return false;
    for (int h = 0; h < hosts; h++)
        common[h] = common[h] < 0 ? own[h] : common[h];
    return true;
}

static bool sends(const target *own, int hosts)
{
    for (int h = 0; h < hosts; h++)
        if (own[h] > 0)
            return true;
    return false;
}

/* Hosts that use it to the same others are written together. to[hosts][hosts]: whom each uses it
 * to, nobody when it is written; is[2*hosts], common[hosts]: space. */
static void put_groups(int hosts, target *to, bool *is, target *common, FILE *out)
{
    for (int i = 0, any = 0; i < hosts; i++) {
        size_t each = (size_t)hosts;
        if (!sends(to + (size_t)i * each, hosts))
            continue;
        memset(is, 0, 2 * each * sizeof *is);
        memset(common, -1, each);
        for (int k = i; k < hosts; k++) {
            target *own = to + (size_t)k * each;
            is[k] = sends(own, hosts) && joins(common, own, hosts);
            if (is[k])
                memset(own, 0, each);
        }
        for (size_t h = 0; h < each; h++)
            is[each + h] = common[h] > 0;
        fputs(any++ ? "; " : "", out);
        put_list(is, hosts, out);
        fputs(" > ", out);
        put_list(is + each, hosts, out);
    }
}

int cpm_links_put(const cpm_links *l, int link, FILE *out, cpm_error *e)
{
    size_t hosts = (size_t)l->hosts;
    target *to = calloc(hosts * hosts + hosts, sizeof *to);
    bool *is = calloc(2 * hosts, sizeof *is);
    int status = to && is ? CPM_OK : cpm_no_memory(e);
    for (int i = 0; i < l->hosts && !status; i++)
        for (int j = 0; j < l->hosts; j++)
            to[(size_t)i * hosts + (size_t)j] = (target)(i == j ? -1 : uses(l, i, j, link));
    if (!status)
        put_groups(l->hosts, to, is, to + hosts * hosts, out);
    free(to);
    free(is);
    return status;
}

int cpm_links_line(const cpm_links *l, char **line, cpm_error *e)
{
    size_t size;
    *line = NULL;
    FILE *out = open_memstream(line, &size);
    int status = out ? CPM_OK : cpm_no_memory(e);
    for (int k = 0; k < l->count && !status; k++) {
        fprintf(out, "%s%s ", k ? " | " : "", l->name[k]);
        status = cpm_links_put(l, k, out, e);
    }
    if (out && fclose(out) != 0 && !status)
        status = cpm_no_memory(e);
    return status;
}

static int read_one(cpm_links_draft *d, char *text, cpm_error *e)
{
    char *name = strsep(&text, " ");
    if (!*name || !text)
        return cpm_fail(e, CPM_EPARSE, "links: expected 'NAME 0-3 > 4-7', found '%.40s'", name);
    int link = cpm_links_draft_name(d, name, e);
    return link < 0 ? link : cpm_links_draft_read(d, link, text, e);
}

int cpm_links_of_line(const char *line, int hosts, cpm_links *out, cpm_error *e)
{
    cpm_links_draft d = {.hosts = hosts};
    char *copy = strdup(line), *rest = copy, *one;
    int status = copy ? CPM_OK : cpm_no_memory(e);
    while (!status && (one = strsep(&rest, "|"))) {
        one += strspn(one, " ");
        one[strcspn(one, "\n")] = '\0';
        for (size_t end = strlen(one); end > 0 && one[end - 1] == ' ';)
            one[--end] = '\0';
        status = read_one(&d, one, e);
    }
    free(copy);
    if (!status)
        return cpm_links_draft_end(&d, out, e);
    cpm_links_draft_clear(&d);
    return status;
}

bool cpm_links_equal(const cpm_links *a, const cpm_links *b)
{
    size_t ways = (size_t)a->hosts * (size_t)a->hosts;
    if (a->hosts != b->hosts || a->count != b->count ||
        memcmp(a->first, b->first, (ways + 1) * sizeof *a->first) != 0 ||
        memcmp(a->link, b->link, (size_t)a->first[ways] * sizeof *a->link) != 0)
        return false;
    for (int k = 0; k < a->count; k++)
        if (strcmp(a->name[k], b->name[k]) != 0)
            return false;
    return true;
}

int cpm_links_copy(const cpm_links *l, cpm_links *out, cpm_error *e)
{
    cpm_links_draft d = {.hosts = l->hosts};
    int status = CPM_OK, count;
    for (int k = 0; k < l->count && !status; k++)
        status = cpm_links_draft_name(&d, l->name[k], e) < 0 ? CPM_ENOMEM : CPM_OK;
    for (int i = 0; i < l->hosts; i++)
        for (int j = 0; j < l->hosts && !status; j++) {
            const int *way = cpm_links_way(l, i, j, &count);
            for (int u = 0; u < count && !status; u++)
                status = cpm_links_draft_use(&d, i, j, way[u], e);
        }
    if (!status)
        return cpm_links_draft_end(&d, out, e);
    cpm_links_draft_clear(&d);
    return status;
}

/* ---- of other hosts */

static int copy_way(const cpm_links *l, int from, int to, int i, int j, int *number,
                    cpm_links_draft *d, cpm_error *e)
{
    int count, status = CPM_OK;
    const int *way = cpm_links_way(l, from, to, &count);
    for (int u = 0; u < count && !status; u++) {
        int *link = &number[way[u]];
        if (*link < 0)
            *link = cpm_links_draft_name(d, l->name[way[u]], e);
        status = *link < 0 ? *link : cpm_links_draft_use(d, i, j, *link, e);
    }
    return status;
}

int cpm_links_of(const cpm_links *l, const int *like, int hosts, int *number, cpm_links *out,
                 cpm_error *e)
{
    cpm_links_draft d = {.hosts = hosts};
    int status = CPM_OK;
    for (int k = 0; k < l->count; k++)
        number[k] = -1;
    for (int i = 0; i < hosts; i++)
        for (int j = 0; j < hosts && !status; j++)
            if (i != j)
                status = copy_way(l, like[i], like[j], i, j, number, &d, e);
    if (!status)
        return cpm_links_draft_end(&d, out, e);
    cpm_links_draft_clear(&d);
    return status;
}
