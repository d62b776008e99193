#include "tuned/adapt/starts.h"

#include <math.h>

#include "tuned/adapt/stretch.h"

/* Of which 0.7 us are 2 %. */
static const double long_enough = 3.5e-5;
static const double bytes_per_second = 1e10; /* that hardly any process moves */

/* Seconds of a small collective; below 0: on some rank calls cannot go on by themselves. */
static double time_small_one(const tuned_state *t)
{
    enum { TIMES = 4 };
    double least = INFINITY;
    for (int k = 0; k < TIMES; k++) {
        const double start = PMPI_Wtime();
        PMPI_Barrier(t->comm);
        least = fmin(least, PMPI_Wtime() - start);
    }
    if (!tuned_stretch_serves(t))
        least = -1;
    PMPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, t->comm);
    return least;
}

/* STAR's policies judge everything. */
static bool is_long(const tuned_state *t, const cpm_request *r)
{
    const tuned_adapt *a = t->adapt;
    const double least = a->started.least + tuned_adapt_bytes(r) / bytes_per_second;
    return a->at_once || least >= long_enough;
}

int tuned_starts_enter(tuned_state *t, const cpm_request *r)
{
    tuned_started *s = &t->adapt->started;
    if (s->count == TUNED_MOST_STARTED)
        return 0;
    if (s->least == 0)
        s->least = time_small_one(t);
    return s->least >= 0 && is_long(t, r) ? ++s->count : 0;
}
