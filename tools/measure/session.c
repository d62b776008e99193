#include "tools/measure/session.h"

#include <stdio.h>

#include "hosts/launcher.h"
#include "measurements/noise.h"
#include "models/extrapolation.h"
#include "models/synthetic.h"
#include "tools/frame/batch.h"
#include "tools/frame/placement.h"
#include "tools/measure/last_words.h"
#include "tools/mpi/processes.h"

/* MPI's processes, with the noise that is asked for. */
static int start_processes(call *c, cpm_error *e)
{
    int status = processes_start(c, e);
    if (status || !(c->set->machine.noise > 0))
        return status;
    cpm_machine *machine = c->machine; /* taken, also where it fails */
    c->machine = NULL;
    status = cpm_noisy_create(machine, c->set->machine.noise, c->set->machine.seed, &c->machine, e);
    if (status)
        c->steady = NULL;
    return status;
}

/* A cluster of more hosts than the model has. */
static void tell_of_hosts(const cpm_model *m)
{
    if (cpm_metadata_get(&m->metadata, CPM_METADATA_SPREAD))
        fprintf(stderr, "cpm: warning: the simulated cluster goes beyond what was measured: %s\n",
                cpm_metadata_get(&m->metadata, CPM_METADATA_EXTRAPOLATED));
}

static int start_synthetic(call *c, cpm_error *e)
{
    int status = cpm_model_read(c->set->machine.model, &c->simulated, e);
    if (!status)
        status = placement_lay_out(c->set, &c->simulated, e);
    if (!status && c->speaks)
        tell_of_hosts(c->simulated);
    if (status)
        return status;
    status = cpm_synthetic_create(c->simulated, c->set->machine.noise, c->set->machine.seed,
                                  &c->machine, e);
    if (!status)
        cpm_synthetic_set_batch(c->machine, batch_of(c->set));
    return status;
}

int session_start(call *c, cpm_error *e)
{
    last_words_begin(c);
    int status = c->set->machine.model ? start_synthetic(c, e) : start_processes(c, e);
    if (!status)
        last_words_listen(c);
    return status;
}

void session_end(call *c)
{
    if (c->machine)
        c->machine->free(c->machine);
    cpm_model_free(c->simulated);
    c->machine = NULL;
    c->simulated = NULL;
    processes_end(c);
}

int session_agree(call *c, int status, cpm_error *e)
{
    return c->machine->agree(c->machine, status, e);
}

int session_needs(const call *c, int least, cpm_error *e)
{
    if (c->machine->n >= least)
        return CPM_OK;
    if (c->set->machine.model)
        return cpm_fail(e, CPM_EPROCESS, "%s: needs at least %d processes, got a model of %d",
                        c->set->machine.model, least, c->machine->n);
    if (c->machine->n == 2) /* least is that of a model */
        return cpm_fail(e, CPM_EPROCESS,
                        "needs at least %d processes, got %d. Two on one host take -M lmo2, two "
                        "hosts -M hockney. Or start it as %s -n %d cpm %s ...",
                        least, c->machine->n, mpib_launcher, least > 4 ? least : 4,
                        c->command->name);
    return cpm_fail(e, CPM_EPROCESS,
                    "needs at least %d processes, got %d: start it as %s -n %d cpm %s ..., or "
                    "try --machine FILE.mod",
                    least, c->machine->n, mpib_launcher, least > 4 ? least : 4, c->command->name);
}
