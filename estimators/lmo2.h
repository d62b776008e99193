/* What planning and fitting of extended LMO share (doc/estimation.md). */
#ifndef CPM_ESTIMATORS_LMO2_H
#define CPM_ESTIMATORS_LMO2_H

#include <stdbool.h>

#include "estimators/estimator.h"
#include "estimators/regimes.h"

/* Times of one message size over all processes; seconds and half widths of their intervals. */
typedef struct {
    size_t bytes;
    int regime;
    /* [n*n] one way from i to j; NaN where i = j. Of pairs that were not measured at a spare size
     * the way is on the line through the two others, and its half NaN. */
    double *way, *way_half;
    double *send,
        *send_half; /* [n] overheads of sending and receiving, medians over the partners */
    double *recv, *recv_half;
    double *start, *start_half; /* [n] overheads of sends that do not block; NaN: not measured */
} cpm_lmo2_size;

typedef struct {
    int n;
    cpm_regimes regimes;
    cpm_lmo2_size *at; /* [count] ascending */
    int count;
    size_t rendezvous; /* the least synchronous size, 0: none */
    bool late;         /* buffered messages start when their receive is posted */
} cpm_lmo2_data;

/* Takes them out of m. CPM_EDATA naming what is missing, CPM_ENOMEM. */
int cpm_lmo2_take(const cpm_measurements *m, size_t largest, cpm_lmo2_data *out, cpm_error *e);
/* The same inside a host, with regimes (copied) and the least synchronous size of larger
 * measurements. Nothing is late there: a receiver that fetches its message is what a receive
 * overhead is. */
int cpm_lmo2_take_with(const cpm_measurements *m, const cpm_regimes *regimes, size_t rendezvous,
                       cpm_lmo2_data *out, cpm_error *e);
void cpm_lmo2_data_free(cpm_lmo2_data *d);

/* Of the messages between hosts. */
cpm_rendezvous_function cpm_lmo2_rendezvous;

/* Of late messages in regime k of m, which were fitted with receive overheads like those of
 * sending: moves to each process's receive overhead per byte what messages to it take longer than
 * those back, compared with the median process. What a message takes stays. CPM_ENOMEM. */
int cpm_lmo2_share_late(cpm_model *m, int k, cpm_error *e);

enum { CPM_LMO2_LEAST_SHARED = 4096 }; /* bytes: smaller messages do not meet */
enum { CPM_LMO2_LEAST_FRESH = 32768 }; /* bytes whose pages tell what memory takes */
/* Bytes: where the constants of combining and copying are measured, and where the slopes of classes
 * of combining are: two such buffers fit into the nearest cache. */
enum { CPM_LMO2_LEAST_COMBINED = 64, CPM_LMO2_MOST_COMBINED = 16384 };

/* Sets what combining and copying take on each host (Oc, cb and those of other classes; Om, cm),
 * from late-combine, late-unpack and late-receive experiments of the same processes and sizes, and
 * from combine-bytes and the like, which count more; unknown where there are none at two sizes.
 * CPM_ENOMEM.
 */
int cpm_lmo2_local_fit(const cpm_measurements *m, cpm_model *model, cpm_error *e);

/* Which of n processes are near process i, near[n]: their empty round trips take at most so many
 * times as long as that of the nearest. False: some of these are not measured. */
enum { CPM_LMO2_NEAR = 2 };
bool cpm_lmo2_near(const cpm_measurements *m, int n, int i, bool *near);

/* The sizes at which a regime is measured, 1 to 3. Returns how many. */
int cpm_lmo2_sizes(const cpm_regime *r, size_t sizes[3]);

/* More processes are many. */
enum { CPM_LMO2_FEW = 16 };
/* The size at which all pairs of n processes are measured first, in any company: the largest, or
 * where they are many a quarter of it. */
static inline size_t cpm_lmo2_asked(int n, size_t largest)
{
    return n > CPM_LMO2_FEW ? largest / 4 : largest;
}
/* Whether a size of r is its third, and two tell what n processes need to know of each pair: then
 * only as many rounds of pairs are measured as few processes have (lmo2_spare.c), */
bool cpm_lmo2_is_spare(const cpm_regime *r, int n, size_t bytes);
/* and what this appends when the other sizes are measured: pairs known less well. CPM_ENOMEM. */
int cpm_lmo2_spare_plan(const cpm_regime *r, int n, const cpm_measurements *so_far,
                        cpm_design *next, cpm_error *e);

/* Of a fit, what would take a negative time per byte and is held at 0: in a regime the ways of most
 * links, if more than noise is to blame. Then the model lacks a mechanism. */
typedef struct {
    int links, of;           /* links that would; of so many; 0: none */
    size_t from;             /* first size of the regime, the worst one of several */
    double seconds_per_byte; /* the mean over these links, below 0 */
} cpm_lmo2_lack;

/* Notes it, if there is any; where: "", or "inside hosts: ". CPM_ENOMEM. */
int cpm_lmo2_note_lack(const char *where, const cpm_lmo2_lack *lack, cpm_model *m, cpm_error *e);
/* Keeps the worse of two. */
void cpm_lmo2_worse_lack(const cpm_lmo2_lack *other, cpm_lmo2_lack *lack);

/* What is known of the inside of a network that processes send over: the switch that each is on,
 * and the links between its hosts (NULL: nothing), and the host of each (NULL: its own). */
typedef struct {
    const cpm_hosts *switches, *hosts;
    const cpm_links *links;
    bool core; /* whether there is one link for all is asked, where no links are known */
    bool many; /* links are those of switches that have several: these have no trunk */
} cpm_lmo2_inside;

/* What a campaign knows of it while it goes on. */
typedef struct {
    cpm_lmo2_inside inside;
    bool ask;    /* whether pairs share links is to be found out (company.h) */
    bool shared; /* they do: messages are measured again, apart from each other, */
    bool alone;  /* or alone, as switches do not explain it */
} cpm_lmo2_network;

/* Whether such an experiment is measured again then. */
bool cpm_lmo2_is_repeated(const cpm_experiment *x);

/* A level: processes that are all as far from each other. What is to be measured of n of them
 * (network NULL: of 0 and 1, 2 and 3, ... only, and nothing of link ends), and the model of them;
 * ends: of their link ends, too; inside: what is known of switches and links, and then of these
 * (NULL: nothing). lack: what the fit lacks; NULL: it is noted. */
int cpm_lmo2_plan_level(const cpm_estimation *options, int n, const cpm_lmo2_network *network,
                        const cpm_measurements *so_far, cpm_design *next, cpm_error *e);
int cpm_lmo2_fit_level(const cpm_measurements *m, const cpm_lmo2_data *d, bool ends,
                       const cpm_lmo2_inside *inside, cpm_lmo2_lack *lack, cpm_model **out,
                       cpm_error *e);
/* The switches of all processes of m, with their names. */
int cpm_lmo2_set_switches(cpm_model *m, const cpm_hosts *switches, cpm_error *e);
/* The largest size at which these regimes are measured, below the rendezvous (0: none); 0: none. */
size_t cpm_lmo2_largest(const cpm_regimes *regimes, size_t rendezvous);
/* The size at which trunks are measured: the largest buffered one, or where these are too short to
 * meet the largest of all. */
size_t cpm_lmo2_crossing(const cpm_regimes *regimes, size_t rendezvous);

/* Where link ends are tried: index of the largest size of a regime that is not synchronous, or -1.
 */
int cpm_lmo2_buffered(const cpm_lmo2_data *d);

/* Whether j is near i. */
bool cpm_lmo2_is_near(const cpm_lmo2_data *d, int i, int j);

/* How far the replies of j and k to i arrive apart in a two-to-one experiment, less is better;
 * where i's link end is not shared it is received without waiting. Size q of d. */
double cpm_lmo2_apart(const cpm_lmo2_data *d, int q, int i, int j, int k);

#endif
