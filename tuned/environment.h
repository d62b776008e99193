/* What the environment says of collectives, read once; and the model or table that it names. */
#ifndef CPM_TUNED_ENVIRONMENT_H
#define CPM_TUNED_ENVIRONMENT_H

#include <stdbool.h>

#include "adapt/policy.h"
#include "collectives/topology_tree.h"
#include "models/model.h"
#include "tables/decision_table.h"
#include "tables/ruleset.h"

enum { TUNED_MOST_REMARKS = 12 };

typedef struct {
    const char *force, *table,
        *model;        /* CPM_FORCE, CPM_TABLE (goes before), CPM_MODEL; NULL: not set */
    bool trust;        /* CPM_TRUST=1: what table and model say is run without looking at calls */
    const char *rules; /* CPM_RULES: go before table and model; NULL: not set */
    const char *layout, *placement; /* CPM_LAYOUT, CPM_PLACEMENT; NULL: as MPI has it */
    const char *topology;           /* CPM_TOPOLOGY; NULL: not set */
    const char *report, *format;    /* CPM_REPORT, CPM_FORMAT; NULL: not set */
    const char *learn;              /* CPM_LEARN: what choices by calls begin with; NULL: not set */
    const char *profile;            /* CPM_PROFILE: calls are only watched; NULL: not set */
    const char *unused;             /* a variable that is set but means nothing with that */
    bool compare;                   /* CPM_COMPARE=1: what is chosen and MPI's own in turns */
    bool verbose;                   /* CPM_VERBOSE=1 */
    bool reported;                  /* calls are counted for a report */
    bool timed;                     /* calls are timed, for a report or a profile */
    bool check;                     /* CPM_CHECK=1 */
    bool progress;                  /* CPM_PROGRESS=1, and there is what a thread can go on with */
    bool early;      /* CPM_EARLY=1: communicators are opened for that when they are made */
    bool adapts;     /* calls decide: CPM_ADAPT is set, or a table or model that is not trusted */
    bool asks_table; /* but not where the table was measured (tuned/trust.h) */
    cpm_adapt_policy policy;
    cpm_error adapt_failure;              /* what is wrong with it */
    bool reproducible;                    /* CPM_REPRODUCIBLE=1 */
    bool active;                          /* one of them is */
    char remark[TUNED_MOST_REMARKS][160]; /* [remarks] what of it means nothing, and why */
    int remarks;
} tuned_environment;

/* Thread-safe; the same answer at every call. */
const tuned_environment *tuned_environment_get(void);

/* Whether the calls decide, as it says without a fault. */
bool tuned_environment_adapts(void);

/* Whether it names what is to be chosen. */
bool tuned_environment_chooses(void);

/* The model, table or rules of the file that CPM_MODEL, CPM_TABLE or CPM_RULES names, read at the
 * first call, never freed. Thread-safe. CPM_EIO, CPM_EPARSE, CPM_ENOMEM. Local. */
int tuned_environment_model(const cpm_model **out, cpm_error *e);
int tuned_environment_table(const cpm_table **out, cpm_error *e);
int tuned_environment_rules(const cpm_ruleset **out, cpm_error *e);
/* The same of the file that CPM_TOPOLOGY names. */
int tuned_environment_topology(const cpm_topology **out, cpm_error *e);
/* Says once in this process what of the rules is not used, after they were read. */
void tuned_environment_say_notes(void);

/* Says once in this process why the library's own routines are used. heard: another process has
 * said it. */
void tuned_warn(const char *text);
void tuned_warn_of(const char *text, const char *operation); /* others are chosen */
void tuned_warning_heard(void);
/* The same of a model or table, without which the program's calls decide alone. */
void tuned_warn_of_model(const char *text);
void tuned_warning_of_model_heard(void);

#endif
