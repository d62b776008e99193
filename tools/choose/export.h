/* The languages of cpm export, a function each: the operand, in that language, to the output. */
#ifndef CPM_TOOLS_CHOOSE_EXPORT_H
#define CPM_TOOLS_CHOOSE_EXPORT_H

#include <limits.h>

#include "tools/frame/command.h"

/* What to export, and how. */
typedef struct {
    settings shared;
    const char *model, *library, *prefix, *release, *host;
    size_t message;
    int processes;
    bool goal, schedule, openmpi, han, ucc, mpich, simgrid, hwloc, routines; /* the language */
    bool picoseconds, commuting;
} export_settings;

static inline export_settings *export_of(const call *c)
{
    return (export_settings *)c->set;
}

enum { EXPORT_UNSET = INT_MIN }; /* --processes was not given */

int export_messages(call *c, cpm_error *e); /* OP:ALGORITHM for LogGOPSim, or as a schedule file */
int export_openmpi(call *c, cpm_error *e);  /* a decision table for Open MPI */
int export_han(call *c, cpm_error *e);      /* a decision table for Open MPI's HAN */
int export_ucc(call *c, cpm_error *e);      /* a decision table for UCC under Open MPI */
int export_mpich(call *c, cpm_error *e);    /* and for MPICH */
int export_routines(call *c, cpm_error *e); /* a decision table as a C file */
int export_simgrid(call *c, cpm_error *e);  /* a model as a platform for SMPI */
int export_hwloc(call *c, cpm_error *e);    /* a host of a model as a topology */

#endif
