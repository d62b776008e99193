/* Trees of switches for tests: 1..12 switches, 2..40 hosts, as the text of a topology file. */
#ifndef CPM_TESTS_RANDOM_TOPOLOGY_H
#define CPM_TESTS_RANDOM_TOPOLOGY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/topology_tree.h"

static inline unsigned draw(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Switches, links and hosts of a tree; some switches have no hosts, some many. */
static inline void write_random_topology(FILE *f, unsigned *seed, int switches, int hosts)
{
    for (int s = 0; s < switches; s++)
        fprintf(f, "switch s%d\n", s);
    for (int s = 1; s < switches; s++)
        fprintf(f, "link s%d s%u\n", s, draw(seed, (unsigned)s));
    unsigned crowded = draw(seed, (unsigned)switches);
    for (int h = 0; h < hosts; h++)
        fprintf(f, "host h%d s%u\n", h, draw(seed, 3) ? draw(seed, (unsigned)switches) : crowded);
}

static inline cpm_topology *topology_of(const char *text, cpm_error *e)
{
    cpm_topology *t = NULL;
    cpm_topology_parse(text, "net", &t, e);
    return t;
}

static inline cpm_topology *random_tree_of_switches(unsigned seed, int switches, int hosts)
{
    char *text = NULL;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    write_random_topology(f, &seed, switches, hosts);
    fclose(f);
    cpm_topology *t = topology_of(text, NULL);
    free(text);
    return t;
}

static inline cpm_topology *random_topology(unsigned seed)
{
    int switches = 1 + (int)draw(&seed, 12), hosts = 2 + (int)draw(&seed, 39);
    return random_tree_of_switches(seed, switches, hosts);
}

#endif
