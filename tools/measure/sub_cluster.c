#include "tools/measure/sub_cluster.h"

#include <stdlib.h>

#include "measurements/noise.h"
#include "models/synthetic.h"
#include "tools/frame/batch.h"
#include "tools/measure/session.h"
#include "tools/mpi/processes.h"

/* 0, 1, ... n - 1; the caller frees them. */
static int *first_of(int n, cpm_error *e)
{
    int *process = malloc((size_t)n * sizeof *process);
    if (!process)
        cpm_no_memory(e);
    for (int i = 0; i < n && process; i++)
        process[i] = i;
    return process;
}

static int place(const cpm_placement *known, int n, first_part *p, cpm_error *e)
{
    p->at = *known;
    p->at.n = n;
    if (!known->hosts || known->hosts->n == n)
        return CPM_OK;
    int *process = first_of(n, e);
    int status = process ? cpm_hosts_of(known->hosts, process, n, &p->hosts, e) : (int)CPM_ENOMEM;
    free(process);
    if (!status)
        p->at.hosts = &p->hosts;
    return status;
}

int part_model(const cpm_model *m, int n, cpm_model **out, cpm_error *e)
{
    int *process = first_of(n, e);
    int status = process ? cpm_model_subset(m, process, n, out, e) : (int)CPM_ENOMEM;
    free(process);
    return status;
}

static int simulate(const call *c, int n, first_part *p, cpm_error *e)
{
    int status = part_model(c->simulated, n, &p->model, e);
    if (!status)
        status =
            cpm_synthetic_create(p->model, c->set->machine.noise, c->set->machine.seed, &p->own, e);
    if (!status)
        cpm_synthetic_set_batch(p->own, batch_of(c->set));
    return status;
}

static int divide(const call *c, int n, first_part *p, cpm_error *e)
{
    const settings *s = c->set;
    if (c->simulated)
        return simulate(c, n, p, e);
    int status = processes_part(c, n, &p->own, e);
    if (status || !(s->machine.noise > 0))
        return status;
    cpm_machine *inner = p->own; /* taken, also where it fails */
    p->own = NULL;
    return cpm_noisy_create(inner, s->machine.noise, s->machine.seed, &p->own, e);
}

int part_open(call *c, const cpm_placement *known, int n, bool anew, first_part *out, cpm_error *e)
{
    *out = (first_part){.machine = c->machine};
    int status = session_agree(c, place(known, n, out, e), e);
    if (status || (n == c->machine->n && !anew))
        return status;
    status = session_agree(c, divide(c, n, out, e), e);
    out->machine = out->own;
    return status;
}

void part_close(first_part *p)
{
    if (p->own)
        p->own->free(p->own);
    cpm_model_free(p->model);
    cpm_hosts_clear(&p->hosts);
    *p = (first_part){0};
}
