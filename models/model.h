/* A model: named parameters and the cost of one message. Everything else follows from these. */
#ifndef CPM_MODELS_MODEL_H
#define CPM_MODELS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/metadata.h"
#include "base/sizes.h"
#include "collectives/collective.h"
#include "collectives/hosts.h"
#include "collectives/links.h"
#include "collectives/schedule/flow_walk.h"
#include "collectives/schedule/walk.h"
#include "models/classes.h"
#include "models/model_handle.h"

/* A fact of models of hosts: for each process what it needs to send a message inside its host and
 * to receive one, in units of its host's median process (of an even number the faster middle one),
 * "-" where that is unknown; between blanks. */
#define CPM_METADATA_OVERHEADS "process_overheads"

/* A fact: the level of a model's intervals. */
#define CPM_METADATA_CONFIDENCE "confidence"

typedef enum { CPM_SCALAR, CPM_PROCESS, CPM_PAIR, CPM_SWITCH, CPM_INNER_LINK } cpm_shape;

/* CPM_LOCAL: what a processor does by itself. How far apart two processes are: on two hosts (or
 * nothing is known of levels), on one, or on one but on two of its sockets, where the model tells
 * these apart. */
typedef enum {
    CPM_BETWEEN,
    CPM_INSIDE,
    CPM_ACROSS,
    CPM_LEVELS, /* of messages */
    CPM_LOCAL = CPM_LEVELS
} cpm_level;

typedef struct {
    const char *name;     /* "C", "invbeta": as in .mod files and on the command line */
    cpm_shape shape;      /* 1, g or g*g values for g classes; a pair's row is the sender; its
                             diagonal is between different processes of the class, 0 if it has but
                             one; or one for each switch */
    bool optional;        /* may be unknown: NaN in memory, null in the file */
    bool may_be_negative; /* a single value may be; the type's check then bounds what matters */
    const char *unit;     /* "s", "s/B", "B" */
    const char *meaning;
    bool sized; /* depends on the message: one slice of that shape for each of the model's sizes */
    cpm_level level; /* of messages of that level; those sizes are the level's */
} cpm_parameter;

typedef struct cpm_random cpm_random; /* models/draws.h */

/* What is wrong with the parameters of a model, and where. */
typedef struct {
    int parameter; /* index */
    int size;      /* index into the model's sizes; -1: the parameter is not sized */
    int i, j;      /* class (a process where all stand alone), switch, or sender's and receiver's
                      class; -1 */
    bool in_ci;    /* in the confidence interval, not the value */
    char text[256];
} cpm_flaw;

typedef struct cpm_formula cpm_formula; /* models/formula.h */

/* Hosts, sockets or switches that symmetries move to each other. */
typedef struct {
    int *like;  /* of each: the first that it is moved to */
    int *moves; /* of each: how many moves leave it where it is: so many like messages use what it
                   has together */
} cpm_orbits;

/* A symmetry of a model (models/symmetry.h): moved ranks have the same parameters, and share
 * hosts, sockets and switches with moved ranks. */
typedef struct {
    cpm_symmetry ranks;
    cpm_orbits hosts, sockets, switches;
} cpm_model_symmetry;

typedef struct {
    const char *name;  /* "lmo" */
    const char *title; /* "LMO (heterogeneous)" */
    const char *source;
    int min_processes;
    const cpm_parameter *parameters;
    int count;
    const int *of_processors; /* parameters of a host that are larger where one of its processes is
                                 slow, ends with -1; NULL: not told */
    const cpm_formula *formulas; /* ends with operation NULL; NULL: none */
    cpm_cost_function *cost;     /* its first argument is the cpm_model */
    cpm_flow_function *flow;     /* likewise, for the flow walk; NULL: the plain walk says it all */
    cpm_combine_function *combine;      /* likewise; NULL: it takes no time in this model */
    cpm_copy_function *copy;            /* likewise, */
    bool (*copies)(const cpm_model *m); /* if this says so; then it is set, too */
    cpm_fresh_function *fresh;          /* as cost; NULL: it takes no time in this model */
    /* With flow: whether in this model messages share link ends or wait for receivers; where they
     * do not the plain walk is enough. */
    bool (*flows)(const cpm_model *m);
    /* With flow: names the resources of f as those of like hosts, sockets and switches, with the
     * seconds of all that use them together. */
    void (*stand_for)(const cpm_model *m, const cpm_model_symmetry *y, cpm_flow *f);
    /* Seconds of an algorithm where a model does not derive them from messages; NULL: the walk. */
    double (*predict)(const cpm_model *m, const cpm_collective *c, const cpm_block_sizes *sizes,
                      cpm_error *e);
    /* Replaces the parameters of out by what they could be, given the intervals of m
     * (models/draws.h). NULL: every parameter for itself. */
    void (*draw)(const cpm_model *m, cpm_random *random, cpm_model *out);
    /* Half the interval of a value that has none of its own, by those of the values that it was
     * made of; NaN where these have none. NULL: there are no such values. */
    double (*half)(const cpm_model *m, int p, size_t at);
    /* False, with the flaw, if values that are good one by one do not fit together. May be NULL. */
    bool (*check)(const cpm_model *m, cpm_flaw *flaw);
} cpm_model_type;

struct cpm_model {
    const cpm_model_type *type;
    int n;
    int whole;           /* processes that thresholds were measured with: n, or more in a subset */
    char **hosts;        /* [n] name of the host of each process, as base/escape.h shows it */
    cpm_hosts on;        /* who shares a host, by these names, and its sockets; empty unless inside
                            is known */
    cpm_hosts near;      /* who shares a socket, too; empty unless across is known */
    cpm_classes classes; /* g of them; g = n where every process stands alone */
    cpm_classes
        switches;     /* the switch of each process; none (count 0): nothing is known of these */
    cpm_links links;  /* inside the network, of its hosts (its processes, if each is alone); none:
                         nothing is known of these */
    cpm_sizes sizes;  /* ascending bytes; what they mean is the model's matter (knots of curves,
                         first sizes of regimes); empty if no parameter is sized */
    cpm_sizes inside; /* the same of messages inside a host; empty: nothing is known of these, and
                         they are like the others */
    cpm_sizes across; /* the same of those between sockets; empty: they are like those inside */
    double **value;   /* [type->count][slices * (1, g or g*g)] SI units, slice after slice */
    double **ci;      /* same shape: half width of the confidence interval; NaN where unknown */
    cpm_metadata metadata; /* provenance */
    char *notes;           /* sentences of the fit for people, one per line; may be NULL */
};

/* Whether in m messages share link ends or wait for receivers, so that the flow walk predicts, not
 * the plain one. */
bool cpm_model_flows(const cpm_model *m);

/* All models; ends with NULL. */
extern const cpm_model_type *const cpm_model_types[];

/* Their names. As cpm_names. */
const char *cpm_model_type_named(int k);

/* CPM_EUNKNOWN with the known ones. */
int cpm_model_type_find(const char *name, const cpm_model_type **out, cpm_error *e);

/* A model of n processes, parameters 0 (optional ones NaN), ci NaN, hosts "". Sized parameters get
 * a slice for each of sizes, which is copied: CPM_EINVAL if it is not ascending, or empty where the
 * type needs it. cpm_model_create gives them one, for size 0.
 * CPM_EPROCESS if n is below the type's least number. CPM_ENOMEM. */
int cpm_model_create(const cpm_model_type *type, int n, cpm_model **out, cpm_error *e);
/* The same with processes in classes, which are copied; sizes as above. */
int cpm_model_create_classes(const cpm_model_type *type, const cpm_classes *classes,
                             const cpm_sizes *sizes, cpm_model **out, cpm_error *e);
int cpm_model_create_sized(const cpm_model_type *type, int n, const cpm_sizes *sizes,
                           cpm_model **out, cpm_error *e);
/* The end of a function that makes a model: gives m to *out if status is CPM_OK, else frees it.
 * Returns status. */
int cpm_model_hand_over(int status, cpm_model *m, cpm_model **out);
/* When the hosts of all processes are set, cpm_model_settle_hosts sets who shares one. CPM_ENOMEM.
 */
int cpm_model_set_host(cpm_model *m, int rank, const char *host, cpm_error *e);
int cpm_model_settle_hosts(cpm_model *m, cpm_error *e);
/* Sets the sockets of all processes (collectives/hosts.h), when their hosts are settled.
 * CPM_ENOMEM.
 */
int cpm_model_set_sockets(cpm_model *m, const int *socket, cpm_error *e);
/* Sets the switches of its n processes, which are copied; what there was of such parameters is lost
 * and they are unknown. count 0: nothing is known of switches. CPM_EINVAL: other processes.
 * CPM_ENOMEM. */
int cpm_model_set_switches(cpm_model *m, const cpm_classes *switches, cpm_error *e);
/* The same of the links of its hosts. CPM_EINVAL: of others. CPM_ENOMEM. */
int cpm_model_set_links(cpm_model *m, const cpm_links *links, cpm_error *e);
/* The number of its hosts: of processes, where nothing is known of these; and the host of one. */
static inline int cpm_model_hosts(const cpm_model *m)
{
    return m->inside.count > 0 ? m->on.count : m->n;
}
static inline int cpm_model_host_of(const cpm_model *m, int process)
{
    return m->inside.count > 0 ? m->on.of[process] : process;
}
/* A model of the same type and sizes for other classes, parameters 0, without switches and links.
 */
int cpm_model_create_like(const cpm_model *m, const cpm_classes *classes, cpm_model **out,
                          cpm_error *e);

/* Index of a parameter, or -1. */
int cpm_parameter_index(const cpm_model_type *type, const char *name);
/* Number of values of parameter p in one slice: 1, g or g*g for g classes, or one for each switch
 * or link. */
size_t cpm_parameter_values(const cpm_model *m, int p);
/* Whether the processes of a model are in classes; if not, class i is process i. */
static inline bool cpm_model_has_classes(const cpm_model *m)
{
    return m->classes.name != NULL;
}
/* Places in value[p] and ci[p]: of process i, and of messages from i to j, i != j. slice is 0
 * unless p is sized. */
static inline size_t cpm_place(const cpm_model *m, int slice, int i)
{
    return (size_t)slice * (size_t)m->classes.count + (size_t)m->classes.of[i];
}
static inline size_t cpm_pair_place(const cpm_model *m, int slice, int i, int j)
{
    return cpm_place(m, slice, i) * (size_t)m->classes.count + (size_t)m->classes.of[j];
}
/* Whether a message from i to j stays on a host of whose inside the model knows. */
static inline bool cpm_model_inside(const cpm_model *m, int i, int j)
{
    return m->inside.count > 0 && m->on.of[i] == m->on.of[j];
}
static inline cpm_level cpm_model_level(const cpm_model *m, int i, int j)
{
    if (!cpm_model_inside(m, i, j))
        return CPM_BETWEEN;
    return m->across.count > 0 && cpm_hosts_apart(&m->on, i, j) ? CPM_ACROSS : CPM_INSIDE;
}
/* Whether a message from i to j leaves its switch. */
static inline bool cpm_model_crosses(const cpm_model *m, int i, int j)
{
    return m->switches.count > 0 && m->switches.of[i] != m->switches.of[j];
}
/* The message sizes of the regimes of a level; none: nothing is known of it. */
const cpm_sizes *cpm_model_regimes(const cpm_model *m, cpm_level level);
/* The message sizes that p's slices are for: its level's. */
const cpm_sizes *cpm_parameter_sizes(const cpm_model *m, int p);
/* Whether the model has parameter p: not, if nothing is known of its level, it is between hosts and
 * there is but one of which the inside is known, or of switches and none is. */
bool cpm_model_has_parameter(const cpm_model *m, int p);
/* Number of slices: that of these sizes if p is sized, else 1. */
int cpm_parameter_slices(const cpm_model *m, int p);
/* Number of values of parameter p in all slices. */
size_t cpm_parameter_all_values(const cpm_model *m, int p);
/* Whether a type has sized parameters. */
bool cpm_model_type_sized(const cpm_model_type *type);
/* Whether it has parameters of messages inside a host. */
bool cpm_model_type_knows_inside(const cpm_model_type *type);
/* Whether it has parameters of switches. */
bool cpm_model_type_knows_switches(const cpm_model_type *type);

/* The switches, or links, that parameters of that shape are of: "switch" or "link", how many there
 * are, and the name of one. NULL and 0 for other shapes. */
const char *cpm_shape_thing(cpm_shape shape);
int cpm_model_things(const cpm_model *m, cpm_shape shape);
const char *cpm_model_thing(const cpm_model *m, cpm_shape shape, int i);

/* Whether it has parameters of links. */
bool cpm_model_type_knows_links(const cpm_model_type *type);

/* Half the interval of a value: its own, or what the type says; NaN: unknown. */
double cpm_model_half(const cpm_model *m, int p, size_t at);

/* False, with the flaw, if a value is NaN (and not optional), infinite or negative where it must
 * not be, or a diagonal is not 0. Reading and writing refuse such a model. */
bool cpm_model_check(const cpm_model *m, cpm_flaw *flaw);

/* The mean of process or pair parameter p over processes or pairs, in its first or the given slice.
 */
double cpm_parameter_mean(const cpm_model *m, int p);
double cpm_parameter_mean_at(const cpm_model *m, int p, int slice);

/* The same model for processes in other classes: the value of a class is the mean of the known ones
 * of its processes or pairs; its interval is that of a mean of independent values, both ways
 * of a pair counted once. CPM_EINVAL: other processes. CPM_ENOMEM. */
int cpm_model_regroup(const cpm_model *m, const cpm_classes *classes, cpm_model **out,
                      cpm_error *e);
/* With all processes in one class: the homogeneous version (thesis 5.1). */
int cpm_model_average(const cpm_model *m, cpm_model **out, cpm_error *e);
/* The model of other processes on its hosts: process i is on host[i], of the model's m->on.count,
 * and there on socket[i]. Where that is -1, or the model does not know it (socket NULL: of none),
 * it is as the model's processes are: dealt to the sockets in turn if these are (cyclic), else one
 * socket after the other (block), with shares as theirs.
 * CPM_EDATA: the model knows nothing of messages inside a host; CPM_EINVAL: it has no such host.
 * CPM_ENOMEM. */
int cpm_model_place(const cpm_model *m, const int *host, const int *socket, int n, cpm_model **out,
                    cpm_error *e);
/* The same for a layout: by the names of its hosts if it has names, else on the model's first ones.
 * If it has more, see models/layout.h; so may one of one process on each host, of a model that
 * knows nothing of messages inside. CPM_EINVAL, with the process and the name: a host that the
 * model does not know. */
int cpm_model_lay_out(const cpm_model *m, const cpm_hosts *layout, cpm_model **out, cpm_error *e);
/* That of one process on each of its hosts, in the order of m->on. */
int cpm_model_of_hosts(const cpm_model *m, cpm_model **out, cpm_error *e);
/* That of all processes, every one alone. */
int cpm_model_expand(const cpm_model *m, cpm_model **out, cpm_error *e);

/* What cpm_model_write writes as text in memory, for broadcast; the caller frees it. CPM_ENOMEM;
 * CPM_EDATA if cpm_model_check finds a flaw. */
int cpm_model_pack(const cpm_model *m, char **text, cpm_error *e);
int cpm_model_unpack(const char *text, size_t size, const char *where, cpm_model **out,
                     cpm_error *e);

/* The level of its intervals: asked, or if that is 0 what CPM_METADATA_CONFIDENCE says, else 0.95.
 */
double cpm_model_confidence(const cpm_model *m, double asked);

#endif
