#include "tuned/comm/hints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables/force.h"
#include "tuned/comm/state.h"
#include "tuned/environment.h"

static int choose_lent(cpm_selector *s, const cpm_request *r, cpm_choice *out, cpm_error *e)
{
    cpm_selector *others = ((const tuned_lent *)s)->state->selector;
    if (others)
        return others->choose(others, r, out, e);
    *out = (cpm_choice){.most = SIZE_MAX, .any_root = true};
    return CPM_OK;
}

static void keep_lent(cpm_selector *s)
{
    (void)s;
}

cpm_selector *tuned_hints_selector(const tuned_state *t)
{
    return t->hints.selector ? t->hints.selector : t->selector;
}

static void free_selector(tuned_hints *own)
{
    if (own->selector)
        own->selector->free(own->selector);
    own->selector = NULL;
}

void tuned_hints_clear(tuned_hints *own)
{
    free_selector(own);
    for (int k = 0; k < CPM_OPERATIONS; k++)
        free(own->algorithm[k]);
    for (int k = 0; k < own->named_count; k++)
        free(own->named[k].name);
    free(own->named);
    *own = (tuned_hints){0};
}

/* Parameters for any algorithm do not change one that is forced, an algorithm gets those that are.
 */
static bool is_forced(const char *force, const cpm_operation *o, const char *value)
{
    bool any = cpm_forced_is_of_any(value);
    return cpm_forced_names(force, o, false) || (any && cpm_forced_names(force, o, true));
}

/* What is forced goes before: as one list. */
static char *list_of(const tuned_hints *own)
{
    const char *force = tuned_environment_get()->force;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs(force ? force : "", out);
    for (int k = 0; k < CPM_OPERATIONS; k++)
        if (own->algorithm[k] && !is_forced(force, &cpm_operations[k], own->algorithm[k]))
            fprintf(out, ",%s:%s", cpm_operations[k].name, own->algorithm[k]);
    bool ok = !ferror(out);
    if (fclose(out) == 0 && ok)
        return text;
    free(text);
    return NULL;
}

void tuned_hints_select(tuned_state *t)
{
    cpm_error e = {0};
    char *list = list_of(&t->hints);
    free_selector(&t->hints);
    const cpm_collective *on_topology = t->selector ? t->selector->on_topology : NULL;
    t->hints.lent = (tuned_lent){{choose_lent, keep_lent, on_topology}, t};
    int status = list ? cpm_selector_forced(list, &t->hints.lent.base, &t->hints.selector, &e)
                      : cpm_no_memory(&e);
    if (status)
        tuned_warn(e.text);
    free(list);
}
