/* Experiments of many pairs at once that show what messages share: where on a host these meet (on
 * its sockets, or anywhere where these are not told apart), and who with whom. */
#ifndef CPM_ESTIMATORS_LMO2_CROWDS_H
#define CPM_ESTIMATORS_LMO2_CROWDS_H

#include "collectives/hosts.h"
#include "measurements/measurements.h"
#include "models/model.h"

/* Of each host the socket with the most processes, and of the others that one; -1: none. */
typedef struct {
    cpm_hosts of; /* processes */
    int hosts, *most, *second;
} cpm_crowd_sockets;

/* *out is cleared by the caller, also after a failure. CPM_ENOMEM. */
int cpm_crowd_sockets_find(const cpm_hosts *hosts, cpm_crowd_sockets *out, cpm_error *e);
void cpm_crowd_sockets_clear(cpm_crowd_sockets *s);

/* Where messages of that level meet on a host: on its largest socket, or between its two largest.
 * False: it has but one. */
bool cpm_crowd_sockets_of(const cpm_crowd_sockets *s, int host, cpm_level level, int *a, int *b);

/* What is shared, and what shows it. */
typedef struct cpm_crowd {
    int kind;        /* of the experiments of all pairs at once */
    bool both;       /* each of which has a message back, too */
    cpm_level level; /* inside: pairs are any two of a host; else the first of each is on one
                        (socket), the second on another */
    int capacity;    /* the parameter, by host; between hosts: Go of one, Gi of the other */
    int alone;       /* what a message takes alone per byte */
    double most;     /* of the capacity, times that */
    /* These are measured, too: what shows the capacity is how much longer those above take. It
     * leaves out that pairs do not begin at quite the same moment. NULL: there are none. */
    const struct cpm_crowd *less;
    /* What shows it inside a host with only two, or three, processes: one experiment of all these,
     * or of the first two. NULL: nothing does. */
    const struct cpm_crowd *of_two, *of_three;
} cpm_crowd;

/* Pairs of processes that are measured at once: 2q and 2q + 1 of process are a pair. Where there
 * are too few for two pairs: one of the first processes, as what says. */
typedef struct {
    int *process;
    int pairs; /* 0: nothing can meet */
    const cpm_crowd *what;
} cpm_crowd_pairs;

/* Of host a, or of hosts (or sockets, as the level says) a and b. what: for two pairs and more. The
 * caller frees out->process. CPM_ENOMEM. */
int cpm_crowd_pair_up(const cpm_hosts *hosts, int a, int b, const cpm_crowd *what,
                      cpm_crowd_pairs *out, cpm_error *e);

/* The first so many in process take part. */
int cpm_crowd_processes(const cpm_crowd_pairs *p);

/* Pair q, as places in process. other: with other partners; inside a host the second sends first
 * then. */
cpm_experiment cpm_crowd_pair(const cpm_crowd_pairs *p, int q, bool other, size_t bytes);
/* The same as an experiment of the campaign. */
cpm_experiment cpm_crowd_experiment(const cpm_crowd_pairs *p, int q, bool other, size_t bytes);

/* How many of the pairs were measured, and whether all were. */
int cpm_crowd_measured(const cpm_crowd_pairs *p, bool other, size_t bytes,
                       const cpm_measurements *m);
bool cpm_crowd_is_measured(const cpm_crowd_pairs *p, bool other, size_t bytes,
                           const cpm_measurements *m);

#endif
