/* Which processes share a host, and inside it a socket: the layout of processes on hosts. */
#ifndef CPM_COLLECTIVES_HOSTS_H
#define CPM_COLLECTIVES_HOSTS_H

#include <stdbool.h>

#include "base/error.h"

/* Hosts are numbered from 0 on, in the order of their first processes. */
typedef struct {
    int n;       /* processes */
    int count;   /* hosts */
    int *of;     /* [n] host of each process */
    char **name; /* [count] of hosts that a file names (cpm_hosts_read), else NULL */
    int *socket; /* [n] of each process on its host, from 0 on, -1: not known, or in several; NULL:
                    nothing is known of sockets */
} cpm_hosts;

/* Hosts by their names, one for each process; a process without a name ("" or NULL) is alone on its
 * host. CPM_ENOMEM. */
int cpm_hosts_named(const char *const *name, int n, cpm_hosts *out, cpm_error *e);

/* So many hosts with as many processes each, at most 2^20 together: the first host's first (block),
 * or dealt to the hosts in turn (cyclic). CPM_EINVAL; CPM_ENOMEM. */
int cpm_hosts_regular(int hosts, int each, bool cyclic, cpm_hosts *out, cpm_error *e);

/* "block", "cyclic". As cpm_names. */
const char *cpm_placement_named(int k);

/* A layout as people write it: "4x8" (hosts x processes of each), by placement "block" (also NULL)
 * or "cyclic"; or the name of a file with the name of its host for each process, between blanks,
 * or with so many processes of a host as host files of MPI say it: "host:2", "host slots=2".
 * CPM_EINVAL, CPM_EPARSE: not like that; CPM_EUNKNOWN: no such placement; CPM_EIO; CPM_ENOMEM. */
int cpm_hosts_read(const char *layout, const char *placement, cpm_hosts *out, cpm_error *e);

/* A name for each process, between blanks, which are kept; of switches, too. CPM_EPARSE: there are
 * none; CPM_ENOMEM. */
int cpm_hosts_of_line(const char *line, cpm_hosts *out, cpm_error *e);

/* Those of n of the processes, in that order, with their sockets and names; one may be named more
 * than once. CPM_ENOMEM. */
int cpm_hosts_of(const cpm_hosts *all, const int *process, int n, cpm_hosts *out, cpm_error *e);

/* Sets the sockets of all processes, which are copied; NULL: nothing is known. CPM_ENOMEM. */
int cpm_hosts_set_sockets(cpm_hosts *h, const int *socket, cpm_error *e);

/* The same processes with each socket of a host as a host of its own, unknown ones as one, too.
 * CPM_ENOMEM. */
int cpm_hosts_of_sockets(const cpm_hosts *h, cpm_hosts *out, cpm_error *e);

void cpm_hosts_clear(cpm_hosts *h);

/* The processes host by host, those of a host in their order: rank_of[n], of which those of host h
 * begin at first[h]; first[count] is n. */
void cpm_hosts_sort(const cpm_hosts *h, int *rank_of, int *first);

/* Whether there are two levels: several hosts, and several processes on one of them. NULL: no. */
static inline bool cpm_hosts_have_levels(const cpm_hosts *h)
{
    return h && h->count > 1 && h->count < h->n;
}

/* Whether each host has consecutive ranks. */
static inline bool cpm_hosts_are_in_rows(const cpm_hosts *h)
{
    for (int i = 1; i < h->n; i++)
        if (h->of[i] < h->of[i - 1])
            return false;
    return true;
}

/* How many processes are on a host. */
static inline int cpm_hosts_processes(const cpm_hosts *h, int host)
{
    int count = 0;
    for (int i = 0; i < h->n; i++)
        count += h->of[i] == host;
    return count;
}

/* Whether two processes are on the same host. */
static inline bool cpm_hosts_share(const cpm_hosts *h, int i, int j)
{
    return h->of[i] == h->of[j];
}

/* Whether two processes are on one host, but known to be on different sockets of it. */
static inline bool cpm_hosts_apart(const cpm_hosts *h, int i, int j)
{
    return h->socket && cpm_hosts_share(h, i, j) && h->socket[i] >= 0 && h->socket[j] >= 0 &&
           h->socket[i] != h->socket[j];
}

#endif
