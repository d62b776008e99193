/* State of the process by nature: interposed functions have no argument to carry it. */
#include "tuned/environment.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/rules_file.h"

static tuned_environment environment;
static pthread_once_t environment_once = PTHREAD_ONCE_INIT;
static atomic_bool environment_known;

static const char *value_of(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* There is room for all that can be wrong at the same time. */
__attribute__((format(printf, 2, 3))) static void remark(tuned_environment *e, const char *form,
                                                         ...)
{
    va_list words;
    va_start(words, form);
    if (e->remarks < TUNED_MOST_REMARKS)
        vsnprintf(e->remark[e->remarks++], sizeof *e->remark, form, words);
    va_end(words);
}

static bool is_on(const char *name)
{
    const char *value = value_of(name);
    return value && strcmp(value, "0") != 0;
}

static bool switched(tuned_environment *e, const char *name)
{
    if (is_on(name) && strcmp(value_of(name), "1") != 0)
        remark(e, "%s: '%.60s' is neither 0 nor 1, and taken for 1", name, value_of(name));
    return is_on(name);
}

/* Nothing is chosen, and nothing but the calls themselves communicates. */
static void watch_only(tuned_environment *e)
{
    e->unused = e->force      ? "CPM_FORCE"
                : e->rules    ? "CPM_RULES"
                : e->table    ? "CPM_TABLE"
                : e->model    ? "CPM_MODEL"
                : e->check    ? "CPM_CHECK"
                : e->compare  ? "CPM_COMPARE"
                : e->adapts   ? "CPM_ADAPT"
                : e->learn    ? "CPM_LEARN"
                : e->trust    ? "CPM_TRUST"
                : e->progress ? "CPM_PROGRESS"
                : e->early    ? "CPM_EARLY"
                              : NULL;
    e->force = e->rules = e->table = e->model = e->learn = NULL;
    e->check = e->compare = e->adapts = e->asks_table = e->progress = e->early = false;
}

/* What is said to be run leaves nothing to adapt. What a model or table says is tried, unless it is
 * to be trusted or compared, or fills the gaps of what is fixed. */
static void read_policy(tuned_environment *e)
{
    const char *value = value_of("CPM_ADAPT");
    const char *fixes = e->force     ? "CPM_FORCE"
                        : e->rules   ? "CPM_RULES"
                        : e->compare ? "CPM_COMPARE"
                        : e->trust   ? "CPM_TRUST"
                                     : NULL;
    cpm_error why = {0};
    bool asked = is_on("CPM_ADAPT"), keeps = value_of("CPM_LEARN") || is_on("CPM_REPRODUCIBLE");
    e->adapts = asked || ((e->table || e->model) && !fixes);
    e->asks_table = e->adapts && e->table && !asked && !keeps;
    if (asked && fixes)
        cpm_fail(&e->adapt_failure, CPM_EINVAL,
                 "CPM_ADAPT: with %s choices do not change: set one of them", fixes);
    else if (asked && strcmp(value, "1") != 0 &&
             cpm_adapt_policy_parse(value, &e->policy, &why) != CPM_OK)
        cpm_fail(&e->adapt_failure, why.code, "CPM_ADAPT: %s", why.text);
}

/* Only where calls decide within a budget is anything learnt. */
static void read_learning(tuned_environment *e)
{
    e->learn = value_of("CPM_LEARN");
    if (!e->learn || e->profile)
        return;
    if (!e->adapts)
        remark(e, "CPM_LEARN: nothing is learnt where calls do not decide: set CPM_ADAPT=1, too");
    else if (e->policy != CPM_ADAPT_BUDGET)
        remark(e, "CPM_LEARN: with CPM_ADAPT=%s nothing is learnt, only with CPM_ADAPT=1",
               cpm_adapt_policy_named((int)e->policy));
    if (!e->adapts || e->policy != CPM_ADAPT_BUDGET)
        e->learn = NULL;
}

static bool chooses(const tuned_environment *e)
{
    return e->force || e->table || e->model || e->rules || e->adapts;
}

/* A thread is for what CPM runs. */
static void read_progress(tuned_environment *e)
{
    e->progress = switched(e, "CPM_PROGRESS");
    if (!e->progress || e->profile || chooses(e))
        return;
    remark(e, "CPM_PROGRESS: nothing is chosen: set CPM_MODEL, CPM_TABLE, CPM_RULES, CPM_FORCE or "
              "CPM_ADAPT, too");
    e->progress = false;
}

static void read_early(tuned_environment *e)
{
    e->early = switched(e, "CPM_EARLY");
    if (!e->early || e->profile || e->adapts)
        return;
    remark(e, "CPM_EARLY: calls do not decide: set CPM_ADAPT=1, too");
    e->early = false;
}

static void read_environment(void)
{
    tuned_environment *e = &environment;
    e->force = value_of("CPM_FORCE");
    e->table = value_of("CPM_TABLE");
    e->model = value_of("CPM_MODEL");
    e->rules = value_of("CPM_RULES");
    e->layout = value_of("CPM_LAYOUT");
    e->placement = value_of("CPM_PLACEMENT");
    e->topology = value_of("CPM_TOPOLOGY");
    e->report = value_of("CPM_REPORT");
    e->format = value_of("CPM_FORMAT");
    e->verbose = switched(e, "CPM_VERBOSE");
    e->check = switched(e, "CPM_CHECK");
    e->compare = switched(e, "CPM_COMPARE");
    e->profile = value_of("CPM_PROFILE");
    e->trust = switched(e, "CPM_TRUST");
    if (e->trust && !e->table && !e->model && !e->profile)
        remark(e, "CPM_TRUST: there is nothing to trust: set CPM_MODEL or CPM_TABLE, too");
    read_policy(e);
    read_learning(e);
    e->reproducible = switched(e, "CPM_REPRODUCIBLE");
    read_progress(e);
    read_early(e);
    if (e->placement && !e->layout)
        remark(e, "CPM_PLACEMENT needs CPM_LAYOUT");
    if (e->profile)
        watch_only(e);
    if (e->profile && e->report && strcmp(e->profile, e->report) == 0)
        remark(e, "CPM_PROFILE and CPM_REPORT name the same file: only the profile is written");
    e->reported = e->verbose || e->compare || e->report || e->format; /* what is wrong is told */
    e->timed = e->reported || e->profile;
    e->active = chooses(e) || e->timed || e->check;
}

const tuned_environment *tuned_environment_get(void)
{
    /* Every call of a collective asks: pthread_once takes several times as long as a look. */
    if (!atomic_load_explicit(&environment_known, memory_order_acquire)) {
        pthread_once(&environment_once, read_environment);
        atomic_store_explicit(&environment_known, true, memory_order_release);
    }
    return &environment;
}

bool tuned_environment_adapts(void)
{
    const tuned_environment *said = tuned_environment_get();
    return said->adapts && !said->adapt_failure.code;
}

bool tuned_environment_chooses(void)
{
    const tuned_environment *said = tuned_environment_get();
    return said->force || said->rules || said->table || said->model;
}

static struct {
    pthread_once_t model_once, table_once, rules_once, topology_once;
    cpm_model *model;
    cpm_table *table;
    cpm_ruleset *rules;
    char *rules_notes;
    cpm_topology *topology;
    cpm_error model_failure, table_failure, rules_failure, topology_failure;
} named = {.model_once = PTHREAD_ONCE_INIT,
           .table_once = PTHREAD_ONCE_INIT,
           .rules_once = PTHREAD_ONCE_INIT,
           .topology_once = PTHREAD_ONCE_INIT};

static void read_model(void)
{
    cpm_model_read(tuned_environment_get()->model, &named.model, &named.model_failure);
}

static void read_table(void)
{
    cpm_table_read(tuned_environment_get()->table, &named.table, &named.table_failure);
}

static void read_rules(void)
{
    cpm_ruleset_read(tuned_environment_get()->rules, &named.rules, &named.rules_notes,
                     &named.rules_failure);
}

int tuned_environment_model(const cpm_model **out, cpm_error *e)
{
    pthread_once(&named.model_once, read_model);
    if (named.model_failure.code)
        return cpm_fail(e, named.model_failure.code, "%s", named.model_failure.text);
    *out = named.model;
    return CPM_OK;
}

int tuned_environment_table(const cpm_table **out, cpm_error *e)
{
    pthread_once(&named.table_once, read_table);
    if (named.table_failure.code)
        return cpm_fail(e, named.table_failure.code, "%s", named.table_failure.text);
    *out = named.table;
    return CPM_OK;
}

int tuned_environment_rules(const cpm_ruleset **out, cpm_error *e)
{
    pthread_once(&named.rules_once, read_rules);
    if (named.rules_failure.code)
        return cpm_fail(e, named.rules_failure.code, "%s", named.rules_failure.text);
    *out = named.rules;
    return CPM_OK;
}

/* A sentence a line. */
void tuned_environment_say_notes(void)
{
    static atomic_bool said;
    const char *text = named.rules_notes;
    if (atomic_exchange(&said, true))
        return;
    while (text && *text) {
        int length = (int)strcspn(text, "\n");
        fprintf(stderr, "cpm: note: %.*s\n", length, text);
        text += length + (text[length] == '\n');
    }
}

static void read_topology(void)
{
    cpm_topology_read(tuned_environment_get()->topology, &named.topology, &named.topology_failure);
}

int tuned_environment_topology(const cpm_topology **out, cpm_error *e)
{
    pthread_once(&named.topology_once, read_topology);
    if (named.topology_failure.code)
        return cpm_fail(e, named.topology_failure.code, "%s", named.topology_failure.text);
    *out = named.topology;
    return CPM_OK;
}

static atomic_bool warned, warned_of_model;

void tuned_warn(const char *text)
{
    if (!atomic_exchange(&warned, true))
        fprintf(stderr, "cpm: %s; MPI's own collectives are used\n", text);
}

void tuned_warn_of(const char *text, const char *operation)
{
    if (!atomic_exchange(&warned, true))
        fprintf(stderr, "cpm: %s; MPI's own %s is used\n", text, operation);
}

void tuned_warning_heard(void)
{
    atomic_store(&warned, true);
}

void tuned_warn_of_model(const char *text)
{
    if (!atomic_exchange(&warned_of_model, true))
        fprintf(stderr, "cpm: %s; the program's calls decide without it\n", text);
}

void tuned_warning_of_model_heard(void)
{
    atomic_store(&warned_of_model, true);
}
