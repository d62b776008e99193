/* What the parts of the doctor share: candidates are gathered by all, then judged together. */
#ifndef CPM_DIAGNOSE_EXAMINER_H
#define CPM_DIAGNOSE_EXAMINER_H

#include <stdint.h>

#include "diagnose/doctor.h"
#include "estimators/outliers.h"

/* Tests are corrected within a family, and each family gets its share of alpha: the few processes
 * do not pay for the many pairs. Members are processes of a host, trunks those of switches. */
typedef enum {
    CPM_OF_PROCESSES,
    CPM_OF_PAIRS,
    CPM_OF_EXPERIMENTS,
    CPM_OF_MEMBERS,
    CPM_OF_TRUNKS,
    CPM_FAMILIES
} cpm_family;

typedef struct {
    cpm_symptom symptom;
    int comparison;
    double score; /* distance from the mean of the others that are alike in units of its spread,
                     as that is after cpm_examine_moderate */
    double p;     /* before the correction for many tests */
} cpm_candidate;

typedef struct {
    const cpm_model *whole; /* see cpm_diagnosis */
    const cpm_model *m;
    const cpm_classes *classes; /* of m as it was given; without a name: it has none */
    const cpm_doctor_options *o;
    double confidence; /* of the intervals of m */
    cpm_diagnosis *d;
    cpm_candidate *at;
    int64_t capacity;
    int count;
    double *freedom;     /* [d->comparisons] */
    char uncertain[400]; /* what of larger messages is not compared, for a note */
    double hidden;       /* of the next comparison (see there) */
    bool inside;         /* likewise */
    double least;        /* likewise: its spread is no less */
    int *kind;           /* [m->n] of which kind each host is, by the parameter in which kinds stand
                            apart most; NULL: none do */
    double apart;        /* how far that is, in units of the spread within kinds */
    int *group;       /* [m->n] the group of each host, which are near each other; NULL: none are */
    int looks;        /* slices that were looked at for links inside the network */
    char *behind;     /* [m->n] messages of that host mostly cross a slow inner link */
    double *speakers; /* [m->n] how much slower the process that a host was measured by is than
                         its host's others, a logarithm; NULL: not known */
    double *various;  /* [m->type->count] of pairs: more links than could be faults are so far
                         from the others (a logarithm) in one of its comparisons; 0: they are not */
    cpm_error *e;
} cpm_examiner;

cpm_family cpm_examine_family(cpm_symptom_kind kind);

/* Values that lie nearer together than this share are alike: no spread of a few values is believed
 * to be less. */
extern const double cpm_least_spread;

/* Compares count values x, logarithms, with standard errors se, and adds a candidate for each:
 * symptoms has kind, parameter, i, j and value set; times and p are set here. lost: see
 * cpm_scores. */
int cpm_examine(cpm_examiner *x, const double *logs, const double *se, int count, int lost,
                const cpm_symptom *symptoms, double typical);

/* The same, of scores that are there: those of values that are not all compared with the same
 * others. */
int cpm_examine_scores(cpm_examiner *x, const cpm_score *scores, const cpm_score_basis *basis,
                       int count, const cpm_symptom *symptoms, double typical);

/* How many times as slow as the others a host must be to be a fault, if so many of count are: of
 * few hosts one may well be the only one of its kind. That is a convention: kinds seldom differ by
 * more than 4 times, which is asked of one of four, and what is asked above 1 halves with each
 * further host, as a kind would have more of them (2.5 of five, 1.75 of six, 1.2 of eight). */
double cpm_examine_least_alone(int count, int slow);

/* Finds the kinds of hosts by count values x of hosts who[]; they become those of the examiner if
 * they stand farther apart than what was found before. CPM_ENOMEM. */
int cpm_examine_find_kinds(cpm_examiner *x, const double *logs, int count, const int *who);

/* Scores against the others of a value's kind where more than faults are unlike the rest, with a
 * note that says the kinds; *of: how many these are. 1: scores stay. CPM_ENOMEM. */
int cpm_examine_kinds(cpm_examiner *x, const double *logs, const double *se, int count,
                      const cpm_symptom *symptoms, cpm_score *scores, cpm_score_basis *basis,
                      int *of);

/* More symptoms than this are a property of the cluster: a quarter of the processes or of the
 * trunks, which have two each, half as many links or experiments as processes. tests: values that
 * were compared. */
int cpm_examine_most_faults(const cpm_examiner *x, cpm_symptom_kind kind, int tests);

/* "L", or "L from 65536 B on"; "time" of no parameter. */
void cpm_examine_put_name(const cpm_examiner *x, int parameter, int slice, char *text, size_t size);

/* Appends to the diagnosis. CPM_ENOMEM. */
int cpm_examine_keep(cpm_examiner *x, const cpm_symptom *s);

/* Moves the spreads of parameters of processes, or hosts, towards each other, as far as they are
 * alike. CPM_ENOMEM. */
int cpm_examine_moderate(cpm_examiner *x);

/* Whether nobody else is in the class of i; false of -1. */
bool cpm_examine_is_alone(const cpm_classes *c, int i);

/* The parts. The first is a look at a parameter of processes before any is compared: for kinds, and
 * for what matters. */
int cpm_examine_first(cpm_examiner *x, int parameter, int slice);
int cpm_examine_processes(cpm_examiner *x, int parameter, int slice);
int cpm_examine_pairs(cpm_examiner *x, int parameter, int slice);
/* Groups of hosts that are near each other by that parameter of pairs, if it is a latency: a note
 * names them, and they become those of the examiner, if they are large enough to compare within.
 * CPM_ENOMEM. */
int cpm_examine_groups(cpm_examiner *x, int parameter);
/* Slow links between hosts, by a slice of a pair parameter in seconds per byte: finds them, and
 * takes the pairs that they explain out of logs[n*n]. rest: logarithms without what is known of the
 * pairs' ends, NaN where pairs are not compared; se: standard errors. CPM_ENOMEM. */
int cpm_examine_inner(cpm_examiner *x, int parameter, int slice, const double *rest,
                      const double *se, double *logs);
int cpm_examine_experiments(cpm_examiner *x, const cpm_measurements *results);
/* Overheads of a host are those of the process that it was measured by: what that one is slower
 * than its host's others is no difference of hosts. The first finds it, the second is the logarithm
 * for a parameter of host h. CPM_ENOMEM. */
int cpm_examine_speakers(cpm_examiner *x);
double cpm_examine_speaker(const cpm_examiner *x, int parameter, int h);
int cpm_examine_members(cpm_examiner *x);
int cpm_examine_trunks(cpm_examiner *x);
int cpm_examine_hosts(cpm_examiner *x);

/* Whether what was found before explains that symptom: of a host a process that is unlike its
 * host's others, of links, in what a byte takes, the slow trunk of a switch, of a link's end a slow
 * link behind it, which two senders at once share, too. */
bool cpm_examine_is_of_process(const cpm_examiner *x, const cpm_symptom *s);
bool cpm_examine_is_of_inner(const cpm_examiner *x, const cpm_symptom *s);
bool cpm_examine_is_of_trunk(const cpm_examiner *x, const cpm_symptom *s);
/* Leaves out of the diagnosis what processes have in common with others of their class. CPM_ENOMEM.
 */
int cpm_examine_leave_out_classes(cpm_examiner *x);

#endif
