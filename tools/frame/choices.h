/* Which collectives: "scatter:linear,gather", "bcast:native". */
#ifndef CPM_TOOLS_FRAME_CHOICES_H
#define CPM_TOOLS_FRAME_CHOICES_H

#include "base/sizes.h"
#include "collectives/collective.h"

typedef struct {
    cpm_collective *at;
    int count;
} choices;

/* What holds for all of them. */
typedef struct {
    int n, root;
    bool native;    /* the MPI library's own routine is one of an operation's algorithms */
    bool libraries; /* whose it is can be said */
    bool whatever;  /* all algorithms count, also those that do not apply */
    const cpm_placement *placement;
    const cpm_sizes *segments; /* what stands for all algorithms of an operation also has those that
                                  can send in segments, with these sizes; may be NULL */
    bool leave_out;            /* where others apply, an algorithm that does not is left out */
    cpm_combining combining;   /* of reductions */
    const char *command;       /* ... which its name says on standard error; NULL: nobody does */
} choices_context;

/* Whether one of them is a reduction; then *what is what it combines. */
bool choices_combine(const choices *c, cpm_combining *what);

/* Appends it unless it is there. CPM_ENOMEM. */
int choices_add(choices *c, const cpm_collective *x, cpm_error *e);

/* Appends what texts name; what is there then is the caller's to clear, also on failure. Each text
 * is a list of OP:ALGORITHM[:PARAMETER=VALUE...] or OP (all its algorithms that apply to n
 * processes and are tried among so many, tries.h). None, or "all": all operations (v-operations
 * only if block sizes differ). CPM_EUNKNOWN with the known ones; CPM_EINVAL for an algorithm that
 * does not apply, unless whatever, or leave_out and others do; and for OP:native unless native. */
int choices_parse(char **text, int count, const choices_context *context, choices *c, cpm_error *e);
void choices_clear(choices *c);

/* Calls each with every algorithm that texts name and that applies to none of these numbers of
 * processes, and with why: where others compete it is left out. choices_tell_useless says so; its
 * context is the command's name. */
void choices_find_useless(char **text, int count, const cpm_sizes *processes,
                          const cpm_placement *placement, void (*each)(void *, const cpm_error *),
                          void *context);
void choices_tell_useless(void *command, const cpm_error *why);

/* The one algorithm that text names, CPM's own. CPM_EINVAL if it names several. */
int choices_one(char *text, const choices_context *context, cpm_collective *out, cpm_error *e);

#endif
