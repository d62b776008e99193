/* Topologies: a tree of hosts and switches. */
#include <stdlib.h>
#include <string.h>

#include "collectives/collective.h"
#include "collectives/topology_links.h"
#include "fuzz/fuzz.h"

static void check_ring(const cpm_topology *t)
{
    int *order = malloc((size_t)t->hosts * sizeof *order);
    bool *met = calloc((size_t)t->hosts, sizeof *met);
    fuzz_require(order && met, "there is memory");
    fuzz_require(cpm_topology_ring(t, t->hosts, order, NULL) == CPM_OK && order[0] == 0,
                 "there is a ring from the first host");
    for (int k = 0; k < t->hosts; k++) {
        fuzz_require(order[k] >= 0 && order[k] < t->hosts && !met[order[k]],
                     "a ring goes through each host once");
        met[order[k]] = true;
    }
    free(order);
    free(met);
}

static void check_schedule(const cpm_topology *t)
{
    const int n = t->hosts < 16 ? t->hosts : 16;
    cpm_collective c;
    cpm_schedule *s = NULL;
    const cpm_block_sizes sizes = {.bytes = 8};
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++) {
        if (!(a->properties & CPM_NEEDS_TOPOLOGY) || cpm_collective_of(a, &c, NULL))
            continue;
        c.at = (cpm_placement){.n = n, .topology = t};
        if (cpm_collective_applies(&c, NULL) == CPM_OK)
            fuzz_require(cpm_collective_schedule(&c, &sizes, &s, NULL) == CPM_OK,
                         "what applies has a schedule");
        cpm_schedule_free(s);
        s = NULL;
    }
}

/* What messages between the first hosts share can be written and read. */
static void check_links(const cpm_topology *t)
{
    enum { MOST = 16 };
    int like[MOST], hosts = t->hosts < MOST ? t->hosts : MOST;
    cpm_links links, again;
    char *line = NULL;
    for (int h = 0; h < hosts; h++)
        like[h] = h;
    fuzz_require(cpm_links_of_topology(t, like, hosts, &links, NULL) == CPM_OK, "there are ways");
    if (links.count && cpm_links_line(&links, &line, NULL) == CPM_OK) {
        fuzz_require(cpm_links_of_line(line, hosts, &again, NULL) == CPM_OK, "links are read");
        fuzz_require(cpm_links_equal(&links, &again), "as they were written");
        cpm_links_clear(&again);
    }
    free(line);
    cpm_links_clear(&links);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    cpm_topology *t = NULL, *again = NULL;
    cpm_error e = {0};
    int status = cpm_topology_parse(text, "input", &t, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    else {
        char one[CPM_FINGERPRINT], other[CPM_FINGERPRINT];
        fuzz_require(cpm_topology_read(fuzz_file(text, strlen(text)), &again, NULL) == CPM_OK,
                     "a file reads as its text");
        cpm_placement_fingerprint(&(cpm_placement){.topology = t}, one);
        cpm_placement_fingerprint(&(cpm_placement){.topology = again}, other);
        fuzz_require_same(one, other, "and as the same");
        check_ring(t);
        check_schedule(t);
        check_links(t);
    }
    cpm_topology_free(t);
    cpm_topology_free(again);
    free(text);
    return 0;
}
