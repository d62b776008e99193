/* What rank 0 says counts: it decides. */
#include "tuned/call/info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cpm/cpm_mpi.h"
#include "tables/force.h"
#include "tuned/attribute.h"
#include "tuned/comm/state.h"
#include "tuned/environment.h"

static const char key_prefix[] = "cpm_";

static int activity;

static void look_at_calls(void)
{
    __atomic_store_n(&activity, 1, __ATOMIC_RELAXED);
}

const int *tuned_info_activity(bool otherwise)
{
    if (otherwise)
        look_at_calls();
    return &activity;
}

/* ---- info keys ---- */

/* What an info says of each operation. */
typedef struct {
    char of[CPM_OPERATIONS][CPM_COLLECTIVE_NAME];
} keys;

/* A wrong value is MPI's own routine. */
static void check_key(const cpm_operation *o, char *value)
{
    cpm_error e = {0};
    int status = cpm_forced_check_value(o, value, &e);
    if (!status && !strchr(value, ','))
        return;
    cpm_error why = {0};
    cpm_fail(&why, CPM_EINVAL, "info key %s%s: %s", key_prefix, o->name,
             status ? e.text : "a comma is no part of an algorithm");
    tuned_warn(why.text);
    strcpy(value, "native");
}

/* No other key begins so. */
static void check_names(MPI_Info info)
{
    int count = 0;
    PMPI_Info_get_nkeys(info, &count);
    for (int k = 0; k < count; k++) {
        char key[MPI_MAX_INFO_KEY + 1];
        const cpm_operation *o;
        cpm_error e = {0}, why = {0};
        PMPI_Info_get_nthkey(info, k, key);
        if (strncmp(key, key_prefix, strlen(key_prefix)) != 0 ||
            !cpm_operation_find(key + strlen(key_prefix), &o, &e))
            continue;
        cpm_fail(&why, CPM_EUNKNOWN, "info key %s: %s", key, e.text);
        tuned_warn(why.text);
    }
}

static bool read_keys(MPI_Info info, keys *out)
{
    bool any = false;
    memset(out, 0, sizeof *out);
    if (info != MPI_INFO_NULL)
        check_names(info);
    for (int k = 0; k < CPM_OPERATIONS && info != MPI_INFO_NULL; k++) {
        char name[64];
        int found = 0;
        snprintf(name, sizeof name, "%s%s", key_prefix, cpm_operations[k].name);
        PMPI_Info_get(info, name, (int)sizeof out->of[k] - 1, out->of[k], &found);
        if (found)
            check_key(&cpm_operations[k], out->of[k]);
        else
            *out->of[k] = '\0';
        any = any || found;
    }
    return any;
}

/* All or none; keys that are not given keep their values. */
static bool copy_keys(const keys *from, char *copy[CPM_OPERATIONS])
{
    bool ok = true;
    for (int k = 0; k < CPM_OPERATIONS; k++) {
        copy[k] = *from->of[k] ? strdup(from->of[k]) : NULL;
        ok = ok && (copy[k] || !*from->of[k]);
    }
    return ok;
}

static void set_keys(tuned_hints *own, char *copy[CPM_OPERATIONS])
{
    for (int k = 0; k < CPM_OPERATIONS; k++)
        if (copy[k]) {
            free(own->algorithm[k]);
            own->algorithm[k] = copy[k];
        }
}

static void apply(MPI_Comm comm, const keys *told)
{
    char *copy[CPM_OPERATIONS];
    tuned_state *t = tuned_state_make(comm);
    if (!t) /* one process, or two groups, or no memory: there is nothing to choose */
        return;
    bool ok = copy_keys(told, copy);
    if (!tuned_all(comm, ok)) {
        for (int k = 0; k < CPM_OPERATIONS; k++)
            free(copy[k]);
        return;
    }
    set_keys(&t->hints, copy);
    if (t->rank == 0)
        tuned_hints_select(t);
    look_at_calls();
    tuned_state_renew(t);
}

void cpm_tuned_set_info(MPI_Comm comm, MPI_Info info)
{
    keys own;
    int inter = 0, rank = -1, any = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        return;
    PMPI_Comm_rank(comm, &rank);
    any = rank == 0 && !tuned_environment_get()->profile && read_keys(info, &own);
    PMPI_Bcast(&any, 1, MPI_INT, 0, comm);
    if (!any)
        return;
    PMPI_Bcast(&own, sizeof own, MPI_BYTE, 0, comm);
    apply(comm, &own);
}

void cpm_tuned_get_info(MPI_Comm comm, MPI_Info info)
{
    tuned_state *t = NULL;
    if (!tuned_attribute_get(comm, &t) || !t)
        return;
    for (int k = 0; k < CPM_OPERATIONS; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", key_prefix, cpm_operations[k].name);
        if (t->hints.algorithm[k])
            PMPI_Info_set(info, name, t->hints.algorithm[k]);
    }
}

/* ---- values ---- */

static cpm_named_value *find(const tuned_hints *own, const char *name)
{
    for (int k = 0; k < own->named_count; k++)
        if (strcmp(own->named[k].name, name) == 0)
            return &own->named[k];
    return NULL;
}

static int set_value(tuned_hints *own, const char *name, long value, int *changed, cpm_error *e)
{
    cpm_named_value *known = find(own, name);
    *changed = known ? known->value != value : value != 0;
    if (known)
        known->value = value;
    if (known || !*changed)
        return CPM_OK;
    char *copy = strdup(name);
    if (!copy || !cpm_vector_extend(&own->named, own->named_count, sizeof *own->named)) {
        free(copy);
        return cpm_no_memory(e);
    }
    own->named[own->named_count++] = (cpm_named_value){copy, value};
    return CPM_OK;
}

/* A wrong name is everybody's: nothing has to be agreed on. It is wrong without rules, too. */
int cpm_set_value(MPI_Comm comm, const char *name, long value, cpm_error *e)
{
    cpm_error own = {0};
    int told[2] = {CPM_OK, 0};
    if (!name || !cpm_rules_can_name(name))
        return cpm_fail(e, CPM_EINVAL,
                        "'%.80s' is no name of a value: no rule could ask for it; letters, digits, "
                        "'.', '_' and '-' are",
                        name ? name : "");
    tuned_state *t = tuned_environment_get()->rules ? tuned_state_of(comm) : NULL;
    if (!t)
        return CPM_OK;
    if (t->rank == 0)
        told[0] = set_value(&t->hints, name, value, &told[1], &own);
    PMPI_Bcast(told, 2, MPI_INT, 0, comm);
    if (told[0])
        return cpm_fail(e, told[0], "no memory for the value '%s'", name);
    if (told[1])
        tuned_state_renew(t);
    return CPM_OK;
}
