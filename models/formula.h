/* Closed formulas of papers: what they are given, which parameters they know, and where they
 * hold. A model lists its own as rows. */
#ifndef CPM_MODELS_FORMULA_H
#define CPM_MODELS_FORMULA_H

#include "collectives/collective.h"
#include "models/model.h"

/* What a formula is given besides its model. */
typedef struct {
    int root;
    size_t bytes; /* of a block */
    cpm_parameters with;
} cpm_formula_call;

/* The domain of a formula: conditions of its source, all of which must hold. */
enum {
    CPM_FORMULA_POWER_OF_2 = 1,      /* processes */
    CPM_FORMULA_SQUARE = 2,          /* processes, in a mesh of two dimensions */
    CPM_FORMULA_CUBE = 4,            /* processes, in a mesh of three */
    CPM_FORMULA_EQUAL_PARTS = 8,     /* the number of processes divides the block */
    CPM_FORMULA_EQUAL_SEGMENTS = 16, /* the number of segments does */
    CPM_FORMULA_UNCONTENDED = 32,    /* nobody receives from several at once */
    CPM_FORMULA_BELOW_M1 = 64,       /* of gather: before it escalates, if it is known to */
    CPM_FORMULA_FROM_M2 = 128,       /* when it is linear again; not if M2 is unknown */
    CPM_FORMULA_UNESCALATED = 256    /* one or the other */
};

struct cpm_formula {
    const char *operation, *algorithm; /* "scatter", "linear" */
    const char *name;                  /* "parallel"; what tells two formulas of a row apart */
    const char *source;                /* "thesis (4.1)" */
    bool exact; /* equals the walk in its domain whatever the model's and its own parameters are */
    double (*predict)(const cpm_model *m, const cpm_formula_call *c); /* seconds */
    unsigned domain;                                                  /* CPM_FORMULA_... */
    unsigned takes; /* parameters that it knows: CPM_TAKES_... */
};

/* The formula for operation and algorithm; name NULL: the first one. NULL if there is none. */
const cpm_formula *cpm_formula_find(const cpm_model_type *type, const char *operation,
                                    const char *algorithm, const char *name);

/* Seconds of a collective with blocks of so many bytes by the formula of that name, NULL: by the
 * first that knows its parameters. outside: the conditions of its domain that do not hold, so that
 * the value is an estimate only. CPM_EUNKNOWN, with the reason, if there is none: not for the
 * algorithm, for its parameters or for processes that are mapped. */
int cpm_formula_predict(const cpm_model *m, const cpm_collective *c, size_t bytes, const char *name,
                        double *seconds, unsigned *outside, cpm_error *e);

/* Conditions of a domain in words, with commas. */
void cpm_formula_conditions(unsigned domain, char *text, size_t size);

#endif
