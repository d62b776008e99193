/* CPM: communication performance models for MPI. What applications use without MPI: models,
 * fitting, predicting, choosing. cpm_mpi.h has what needs MPI.
 *
 * C99 and C++. Times are seconds, sizes bytes, processes are numbered from 0. No function prints,
 * ends the program or keeps state of its own; all but cpm_model_fit may be called by several
 * threads at once. Arguments are borrowed unless it is said otherwise. */
#ifndef CPM_H
#define CPM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"

/* ---- Errors ---- */

#include "base/error.h"

/* ---- Version ---- */

#ifdef __cplusplus
extern "C" {
#endif

/* Of the library that runs: "0.1.0". */
CPM_API const char *cpm_version(void);

#ifdef __cplusplus
}
#endif

/* ---- Sizes ---- */

#include "base/size.h"

/* ---- Models ---- */

#include "models/model_handle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "lmo", "hockney", ...: the type of a model, and the index-th of all types, NULL past the last. */
CPM_API const char *cpm_model_type_name(const cpm_model *m);
CPM_API const char *cpm_type_name(int index);

CPM_API int cpm_model_processes(const cpm_model *m);
/* Name of the host of a process, "" if it is not known, NULL if there is no such process. Owned by
 * the model. */
CPM_API const char *cpm_model_host(const cpm_model *m, int process);

/* A parameter of a model. The texts live as long as the program. */
typedef struct {
    const char *name;    /* "C" */
    const char *unit;    /* "s", "s/B", "B" */
    const char *meaning; /* one line for people */
    int processes;       /* that a value belongs to: 0 (it is one of all), 1, or 2 (a pair) */
    int slices;          /* values for so many message sizes; 1: it does not depend on them */
} cpm_parameter_info;

/* The index-th parameter. False past the last. */
CPM_API bool cpm_model_parameter(const cpm_model *m, int index, cpm_parameter_info *out);

/* The value of a parameter for process i, or for messages from i to another process j (which are
 * ignored where it belongs to none), in a slice of message sizes. *half, if not NULL: half of its
 * confidence interval. NaN: unknown, or there is no such parameter, process or slice. */
CPM_API double cpm_model_value(const cpm_model *m, const char *parameter, int i, int j, int slice,
                               double *half);
/* The message size, in bytes, that a slice stands for or begins with, as the type of the model
 * says; 0 if there is no such slice. */
CPM_API size_t cpm_model_slice_bytes(const cpm_model *m, int slice);

/* As many values as a parameter has: [slices], [slices][processes] or, row the sender,
 * [slices][processes][processes] with a NaN diagonal; NaN: unknown. half, if not NULL: half of
 * their confidence intervals. CPM_EUNKNOWN: there is no such parameter. */
CPM_API int cpm_model_values(const cpm_model *m, const char *parameter, double *values,
                             double *half, cpm_error *e);
/* The message size, in bytes, that a slice of a parameter stands for or begins with; 0 if there is
 * no such slice or parameter, or it does not depend on them. */
CPM_API size_t cpm_model_parameter_bytes(const cpm_model *m, const char *parameter, int slice);

/* Where the model comes from, "date", "command", ...: the index-th key and its value, owned by the
 * model. False past the last. */
CPM_API bool cpm_model_fact(const cpm_model *m, int index, const char **key, const char **value);

/* Estimates a model from the measurements in a .meas file, as cpm fit does. type: "lmo"; method:
 * how, NULL for the type's best one. The caller frees *out with cpm_model_free. CPM_EIO,
 * CPM_EPARSE, CPM_EUNKNOWN, CPM_EPROCESS; CPM_EDATA: the file lacks experiments or is not complete;
 * CPM_ER: it has sweeps, whose thresholds need R; CPM_ENOMEM. */
CPM_API int cpm_model_fit(const char *path, const char *type, const char *method, cpm_model **out,
                          cpm_error *e);

/* The model of other processes on the hosts of a model, also of more on each, or on more hosts,
 * than were measured. layout: "8x32" (hosts x processes on each), by placement "block" (one host
 * after the other; also NULL) or "cyclic" (dealt to the hosts in turn); or a file with the name of
 * its host for each process, as --layout of the command. The fact "extrapolated" of the model says
 * what it assumes beyond what was measured. The caller frees *out with cpm_model_free. CPM_EINVAL,
 * CPM_EPARSE: no layout, or one of hosts that the model does not have; CPM_EUNKNOWN: there is no
 * such placement; CPM_EDATA: the model knows nothing of messages inside a host, or the layout has
 * more hosts and those of the model are not alike; CPM_EIO; CPM_ENOMEM. */
CPM_API int cpm_model_for_layout(const cpm_model *m, const char *layout, const char *placement,
                                 cpm_model **out, cpm_error *e);

#ifdef __cplusplus
}
#endif

/* ---- Statistics ---- */

#include "base/summary.h"

/* ---- Measurements ---- */

#ifdef __cplusplus
extern "C" {
#endif

/* What a campaign measured: a .meas file (doc/meas.md). */
typedef struct cpm_measurements cpm_measurements;

/* One experiment with its result. Texts and samples are owned by the measurements. */
typedef struct {
    char experiment[128]; /* "roundtrip", or a collective as cpm_predict takes it */
    int i, j, k;          /* its processes, i the root of a collective; -1: none */
    int count;            /* messages of a train or a saturation; else 1 */
    size_t send_bytes;    /* of a message out, of a block of a collective */
    size_t reply_bytes;
    int round; /* experiments of one round ran at the same time */
    cpm_summary summary;
    double value;          /* seconds that fits and comparisons use: the statistic of the campaign,
                              for the median Huber's location */
    const double *samples; /* [summary.reps] seconds; NULL: they were not kept */
} cpm_measurement_info;

/* Reads a .meas file. The caller frees *out with cpm_measurements_free. CPM_EIO; CPM_EPARSE:
 * "FILE:LINE: what"; CPM_ENOMEM. */
CPM_API int cpm_measurements_load(const char *path, cpm_measurements **out, cpm_error *e);
CPM_API void cpm_measurements_free(cpm_measurements *m);

CPM_API int cpm_measurements_processes(const cpm_measurements *m);
/* Seconds that the campaign took; negative: it did not end. */
CPM_API double cpm_measurements_seconds(const cpm_measurements *m);
/* The index-th measurement. False past the last. */
CPM_API bool cpm_measurements_get(const cpm_measurements *m, int index, cpm_measurement_info *out);
/* The index-th line "# key: value", owned by the measurements. False past the last. */
CPM_API bool cpm_measurements_fact(const cpm_measurements *m, int index, const char **key,
                                   const char **value);

#ifdef __cplusplus
}
#endif

/* ---- Maps and topologies ---- */

#include "collectives/topology_handle.h"
#include "mapping/map_handle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Algorithms ---- */

/* An algorithm of a collective operation. */
typedef struct {
    const char *operation, *name; /* "scatter", "binomial" */
    const char *source;           /* paper or book */
    const char *group;            /* what it spares: "start-ups", "bandwidth" or "contention" */
    size_t least, most;           /* bytes of all processes' blocks together for which it makes
                                     sense; 0: any */
    char needs[128];              /* in words: "n a power of two"; "any n": nothing */
    char takes[128];              /* names of its parameters: "segment, k"; "-": none */
} cpm_algorithm_info;

/* The name of the index-th operation, NULL past the last. */
CPM_API const char *cpm_operation_name(int index);

/* The index-th algorithm of an operation. False past the last, and if there is no such operation.
 */
CPM_API bool cpm_algorithm_get(const char *operation, int index, cpm_algorithm_info *out);

/* ---- Predicting and choosing ---- */

/* A case of a collective, besides the algorithm. {0} is one of empty blocks at root 0. Who shares a
 * host is what the model says (cpm_model_for_layout makes one of other processes). */
typedef struct {
    int root;             /* of an operation that has one */
    size_t bytes;         /* of a block: of the whole message for bcast, reduce, allreduce and
                             scans, of what each process gets or gives (each other) for the rest */
    const size_t *blocks; /* [processes] bytes of the block of each process, for operations whose
                             blocks may differ; NULL: all have bytes. (neighbor_)alltoallv:
                             process j gets blocks[j] from everybody who sends to it. */
    bool ordered;         /* choosing: contributions are combined in the order of ranks only */
    const cpm_map *map;   /* predicting: where the processes sit in the algorithm's tree; it is for
                             one operation, algorithm and root, and may have the blocks; NULL: in
                             order of ranks */
    const cpm_topology *topology; /* for algorithms that need one; NULL: it is not known */
    const char *combining; /* of reductions: "doubles" (NULL: sums of these, and what takes as
                              long), "floats", or "bytes" (exclusive or) */
    const char *graph; /* of operations of neighbours, which need it: who sends to whom, as option
                          --graph says it ("grid:4x4", or a file; doc/algorithms.md); NULL */
} cpm_case;

/* Seconds until the last process has finished collective, "bcast:chain:segment=8K", all beginning
 * at once. finish[processes], if not NULL, gets the seconds of each. Negative on failure:
 * CPM_EUNKNOWN, with the known names; CPM_EINVAL: it does not apply to these processes, or the case
 * to it; CPM_EPROCESS: the map or graph is of other processes; CPM_EIO, CPM_EPARSE: of a graph's
 * file; CPM_EDATA: the model has no answer;
 * CPM_ENOMEM. */
CPM_API double cpm_predict(const cpm_model *m, const char *collective, const cpm_case *c,
                           double *finish, cpm_error *e);

#ifdef __cplusplus
}
#endif

#include "models/draws_handle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Half the interval, in seconds, of cpm_predict: what it varies by when model m is replaced by
 * draws of it (40 are enough), of the same level as those of the parameters. Negative on failure,
 * as cpm_predict; CPM_EINVAL: the case has blocks that differ. */
CPM_API double cpm_predict_half(const cpm_model *m, const cpm_draws *draws, const char *collective,
                                const cpm_case *c, cpm_error *e);

/* The best possible. */
typedef struct {
    double seconds;
    char limit[320]; /* why: "start-ups", "processor of h3", "what leaves h3" */
} cpm_bound;

/* The least time that any schedule of an operation's messages can take by the model in that case,
 * whatever its algorithm (selection/lower_bound.h). CPM_EUNKNOWN; CPM_EINVAL: the case is wrong or
 * has blocks that differ, or the model knows no messages; others as cpm_predict. */
CPM_API int cpm_bound_of(const cpm_model *m, const char *operation, const cpm_case *c,
                         cpm_bound *out, cpm_error *e);

/* What was chosen. */
typedef struct {
    char collective[128]; /* "scatterv:binomial", as cpm_predict takes it */
    double seconds;       /* predicted */
} cpm_selection;

/* The algorithm of an operation, with its parameters, that the model predicts to be the fastest in
 * that case, out of all of CPM's; what cpm_bcast and others run on their own may be MPI's routine
 * instead, or have a map. CPM_EUNKNOWN; CPM_EINVAL: no algorithm applies, or the case is wrong;
 * others as cpm_predict. */
CPM_API int cpm_select(const cpm_model *m, const char *operation, const cpm_case *c,
                       cpm_selection *out, cpm_error *e);

#ifdef __cplusplus
}
#endif

/* ---- Decision tables ---- */

#include "tables/table_handle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rule of a table: for blocks of so many bytes and more, up to the next rule. The operation lives
 * as long as the program. */
typedef struct {
    const char *operation;
    int processes;
    size_t from;         /* bytes */
    char algorithm[128]; /* "chain:segment=8192"; "native": the MPI library's own */
    double seconds;      /* expected for blocks of from bytes; NaN: unknown */
    double native;       /* measured seconds of the library's own; NaN: unknown */
    double lead;         /* share by which it leads over the next fastest; NaN: unknown */
    double least_gain;   /* over the library's own, lower end of its 95 % interval; NaN: unknown */
    int measured;        /* algorithms that were compared; 0: it was not measured */
} cpm_rule_info;

/* A table without rules; the caller frees it. CPM_ENOMEM. */
CPM_API int cpm_table_create(cpm_table **out, cpm_error *e);
/* The index-th rule, by operation, processes and size. False past the last. */
CPM_API bool cpm_table_rule(const cpm_table *t, int index, cpm_rule_info *out);
/* The index-th line of its provenance, owned by the table. False past the last. */
CPM_API bool cpm_table_fact(const cpm_table *t, int index, const char **key, const char **value);
/* Sets one. CPM_ENOMEM. */
CPM_API int cpm_table_set_fact(cpm_table *t, const char *key, const char *value, cpm_error *e);

/* Adds what the model predicts to be the fastest algorithms of an operation on its processes, for
 * blocks of the first to the last of sizes[count], which ascend, as cpm tune does. CPM_EUNKNOWN;
 * CPM_EINVAL: the sizes do not ascend, there is no such root, or the table has rules for these
 * already; others as cpm_select. */
CPM_API int cpm_table_tune(cpm_table *t, const cpm_model *m, const char *operation, int root,
                           const size_t *sizes, int count, cpm_error *e);
/* What the table says for so many processes and blocks of bytes: "bcast:native" where it says
 * nothing, or what cannot be run; seconds NaN where they are unknown. CPM_EUNKNOWN; CPM_EINVAL:
 * less than 1 process; CPM_ENOMEM. */
CPM_API int cpm_table_select(const cpm_table *t, const char *operation, int processes, size_t bytes,
                             cpm_selection *out, cpm_error *e);

#ifdef __cplusplus
}
#endif

#endif
