/* What the command is made of: rows of options, subcommands, and one call of a subcommand. */
#ifndef CPM_TOOLS_FRAME_COMMAND_H
#define CPM_TOOLS_FRAME_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/file_kind.h"
#include "collectives/topology_handle.h"
#include "measurements/machine.h"
#include "models/model.h"
#include "tools/frame/settings.h"

/* One row of an option table. */
typedef struct {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* its name for people; NULL: a flag; "[=NAME]": it may be left out, and
                             is behind a '=' */
    const char *help;
    size_t offset; /* of its value in the settings of the subcommand; a flag sets a bool */
    int (*set)(void *value, const char *text, cpm_error *e); /* text NULL: it was left out */
} option;

typedef struct call call;

/* One row of the table of subcommands. */
typedef struct {
    const char *name;     /* "predict", "bench p2p"; "tune --measure": tune with that option */
    const char *operands; /* for people */
    const char *summary;
    const char *description;
    const char *example; /* command lines, one a line */
    int min_operands, max_operands;
    bool measures;  /* starts MPI, unless a model simulates the machine */
    bool rereads;   /* the model of run_with: it must be no pipe */
    bool passes_on; /* operands are another program's command line: options end where it begins */
    const option *options[12]; /* tables; the last is NULL, each ends with a row without a name */
    size_t settings;           /* bytes of those of this subcommand; 0: it has none of its own */
    void (*defaults)(void *set);
    void (*settle)(void *set); /* what follows from options that were not given; may be NULL */
    /* Options and operands that are right one by one, but not together: wrong usage. May be NULL.
     */
    int (*check)(const call *c, cpm_error *e);
    int (*run)(call *c, cpm_error *e); /* same status on every rank */
    /* Instead of run: with the model that the first operand names. */
    int (*run_with)(call *c, const cpm_model *m, cpm_error *e);
    /* Of a file that is known to be something else; NULL: it is refused. */
    int (*run_other)(call *c, cpm_file_kind kind, cpm_error *e);
} command;

/* The exit code of a subcommand that did its work. */
typedef enum { OUTCOME_DONE = 0, OUTCOME_FOUND = 3, OUTCOME_CANNOT_TELL = 4 } outcome;

struct call {
    const command *command;
    settings *set; /* the first of what the options of this subcommand set */
    char **operand;
    int operands;
    char **argv; /* the whole command line */
    int argc;
    bool speaks;                /* of several processes this one prints */
    bool mpi;                   /* MPI was started */
    outcome outcome;            /* of what a subcommand looks for */
    char oversubscription[400]; /* a warning that is due before anything is measured, or empty */
    cpm_machine *machine;
    cpm_machine *steady; /* that one without noise, if it measures in one state; else NULL */
    double state; /* seconds of the shortest trip in which it is to; 0: as at the beginning */
    cpm_model *simulated;           /* the model that simulates the machine */
    const cpm_placement *placement; /* of what is measured; NULL: nothing is known */
    const cpm_topology *topology;   /* of what is measured for a model; the same */
};

/* Sets "command" to the command line as it was typed, as far as it fits. CPM_ENOMEM. */
int call_describe(const call *c, cpm_metadata *metadata, cpm_error *e);

extern const command cpm_bench_p2p, cpm_bench_coll, cpm_measure, cpm_fit, cpm_model_command,
    cpm_show, cpm_predict_command, cpm_validate, cpm_compare, cpm_plot, cpm_doctor, cpm_diff,
    cpm_health_command, cpm_algorithms_command, cpm_check_command, cpm_draw_command,
    cpm_tune_measured, cpm_tune_verify, cpm_tune, cpm_export, cpm_map_command,
    cpm_synthesize_command, cpm_run_command, cpm_rules_command, cpm_report_command, cpm_completion,
    cpm_manual;

/* All subcommands that people see; ends with NULL. */
extern const command *const commands[];

#endif
