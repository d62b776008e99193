#include "tuned/comm/hooks.h"

#include "tuned/adapt/adapt.h"
#include "tuned/call/begun.h"
#include "tuned/call/hot.h"
#include "tuned/call/onset.h"
#include "tuned/call/records.h"
#include "tuned/call/round.h"
#include "tuned/call/started.h"
#include "tuned/environment.h"
#include "tuned/report/observed.h"
#include "tuned/report/report.h"

static void observe(MPI_Comm comm, tuned_state *t)
{
    if (tuned_environment_get()->profile || tuned_environment_get()->compare)
        tuned_observe_check();
    if (t && tuned_observes())
        t->group = tuned_group_of(comm);
}

static void report(MPI_Comm comm, tuned_state *t)
{
    (void)comm;
    if (t)
        tuned_report_enter(t);
}

/* It was unknown. */
static void change(MPI_Comm comm, tuned_state *t)
{
    (void)comm, (void)t;
    tuned_begun_changed();
}

const tuned_hooks tuned_hooks_of_all[] = {
    {.renews = tuned_hot_doubt, .ends = tuned_hot_leave, .stops = tuned_hot_stop},
    {.renews = tuned_onset_forget},
    {.renews = tuned_rounds_forget, .ends = tuned_rounds_end},
    {.attached = change, .renews = tuned_begun_forget, .ends = tuned_begun_forget},
    {.renews = tuned_persistent_forget, .ends = tuned_persistent_forget},
    {.ends = tuned_records_end},
    {.attached = observe},
    {.attached = report, .renews = tuned_report_count, .ends = tuned_report_leave},
    {.makes = tuned_adapt_begin, .renews = tuned_adapt_stop, .ends = tuned_adapt_end},
};

const int tuned_hooks_count = sizeof tuned_hooks_of_all / sizeof *tuned_hooks_of_all;
