#include "collectives/hosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { MOST_PROCESSES = 1 << 20 };

static int create(int n, cpm_hosts *out, cpm_error *e)
{
    *out = (cpm_hosts){.n = n, .of = malloc((size_t)n * sizeof *out->of)};
    return out->of ? CPM_OK : cpm_no_memory(e);
}

void cpm_hosts_clear(cpm_hosts *h)
{
    for (int k = 0; h->name && k < h->count; k++)
        free(h->name[k]);
    free(h->name);
    free(h->of);
    free(h->socket);
    *h = (cpm_hosts){0};
}

/* The slot of the first process with the name of process i, which is i itself if there is none
 * before it; NULL: out of memory. */
static cpm_slot *first_named(cpm_hash *seen, const char *const *name, int i)
{
    uint64_t key = cpm_hash_text(name[i]);
    cpm_slot *slot = cpm_hash_find(seen, key);
    while (slot && strcmp(name[slot->index], name[i]) != 0)
        slot = cpm_hash_next(seen, slot);
    if (!slot && (slot = cpm_hash_add(seen, key)))
        slot->index = i;
    return slot;
}

int cpm_hosts_named(const char *const *name, int n, cpm_hosts *out, cpm_error *e)
{
    cpm_hash seen = {0};
    int status = create(n, out, e);
    for (int i = 0; i < n && !status; i++) {
        cpm_slot *slot = name[i] && *name[i] ? first_named(&seen, name, i) : NULL;
        if (!slot && name[i] && *name[i])
            status = cpm_no_memory(e);
        else
            out->of[i] = slot && slot->index < i ? out->of[slot->index] : out->count++;
    }
    cpm_hash_free(&seen);
    if (status)
        cpm_hosts_clear(out);
    return status;
}

int cpm_hosts_regular(int hosts, int each, bool cyclic, cpm_hosts *out, cpm_error *e)
{
    if (hosts < 1 || each < 1 || each > MOST_PROCESSES / hosts)
        return cpm_fail(e, CPM_EINVAL,
                        "%d hosts with %d processes each: expected at least 1 of both, and at most "
                        "%d processes together",
                        hosts, each, MOST_PROCESSES);
    int status = create(hosts * each, out, e);
    if (status)
        return status;
    out->count = hosts;
    for (int i = 0; i < out->n; i++)
        out->of[i] = cyclic ? i % hosts : i / each;
    return CPM_OK;
}

static int take_sockets(const cpm_hosts *all, const int *process, cpm_hosts *out, cpm_error *e)
{
    out->socket = malloc((size_t)out->n * sizeof *out->socket);
    if (!out->socket)
        return cpm_no_memory(e);
    for (int i = 0; i < out->n; i++)
        out->socket[i] = all->socket[process[i]];
    return CPM_OK;
}

static int take_names(const cpm_hosts *all, const int *process, cpm_hosts *out, cpm_error *e)
{
    out->name = calloc((size_t)out->count, sizeof *out->name);
    bool ok = out->name != NULL;
    for (int i = 0; i < out->n && ok; i++)
        if (!out->name[out->of[i]])
            ok = (out->name[out->of[i]] = strdup(all->name[all->of[process[i]]])) != NULL;
    return ok ? CPM_OK : cpm_no_memory(e);
}

int cpm_hosts_of(const cpm_hosts *all, const int *process, int n, cpm_hosts *out, cpm_error *e)
{
    int *number = malloc((size_t)all->count * sizeof *number); /* here of a host there; -1: none */
    *out = (cpm_hosts){0};
    int status = number ? create(n, out, e) : cpm_no_memory(e);
    for (int h = 0; h < all->count && !status; h++)
        number[h] = -1;
    for (int i = 0; i < n && !status; i++) {
        int host = all->of[process[i]];
        if (number[host] < 0)
            number[host] = out->count++;
        out->of[i] = number[host];
    }
    if (!status && all->socket)
        status = take_sockets(all, process, out, e);
    if (!status && all->name)
        status = take_names(all, process, out, e);
    free(number);
    if (status)
        cpm_hosts_clear(out);
    return status;
}

/* ---- sockets */

int cpm_hosts_set_sockets(cpm_hosts *h, const int *socket, cpm_error *e)
{
    size_t bytes = (size_t)h->n * sizeof *socket;
    int *copy = socket ? malloc(bytes) : NULL;
    if (socket && !copy)
        return cpm_no_memory(e);
    if (socket)
        memcpy(copy, socket, bytes);
    free(h->socket);
    h->socket = copy;
    return CPM_OK;
}

int cpm_hosts_of_sockets(const cpm_hosts *h, cpm_hosts *out, cpm_error *e)
{
    cpm_hash seen = {0};
    int status = create(h->n, out, e);
    for (int i = 0; i < h->n && !status; i++) {
        uint32_t socket = h->socket ? (uint32_t)h->socket[i] : 0;
        uint64_t key = ((uint64_t)h->of[i] + 1) << 32 | socket;
        cpm_slot *slot = cpm_hash_find(&seen, key);
        if (!slot && (slot = cpm_hash_add(&seen, key)))
            slot->index = out->count++;
        if (slot)
            out->of[i] = slot->index;
        else
            status = cpm_no_memory(e);
    }
    cpm_hash_free(&seen);
    if (status)
        cpm_hosts_clear(out);
    return status;
}

void cpm_hosts_sort(const cpm_hosts *h, int *rank_of, int *first)
{
    for (int k = 0; k <= h->count; k++)
        first[k] = 0;
    for (int i = 0; i < h->n; i++)
        first[h->of[i] + 1]++;
    for (int k = 0; k < h->count; k++)
        first[k + 1] += first[k];
    for (int i = 0; i < h->n; i++)
        rank_of[first[h->of[i]]++] = i;
    for (int k = h->count; k > 0; k--) /* each has moved to where the next one's begin */
        first[k] = first[k - 1];
    first[0] = 0;
}
