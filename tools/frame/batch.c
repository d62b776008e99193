/* Options that say whether calls are isolated or follow each other. */
#include "tools/frame/batch.h"

#include "base/names.h"
#include "tools/frame/options.h"

const char *calls_named(int k)
{
    static const char *const names[] = {"isolated", "batch", NULL};
    return names[k];
}

/* Of predictions. Isolated calls begin at all processes together, as those that are timed global.
 */
static int set_calls(void *value, const char *text, cpm_error *e)
{
    int together;
    int status = cpm_names_find(calls_named, "timing", text, &together, e);
    if (!status)
        *(mpib_timing *)value = together ? MPIB_TIMING_BATCH : MPIB_TIMING_GLOBAL;
    return status;
}

static int set_buffers(void *value, const char *text, cpm_error *e)
{
    return mpib_buffers_parse(text, value, e);
}

static int set_batch(void *value, const char *text, cpm_error *e)
{
    int calls;
    int status = set_integer(&calls, text, e);
    if (status)
        return status;
    if (calls < 1 || calls > CPM_BATCH_MOST)
        return cpm_fail(e, CPM_EPARSE, "'%s' is not a number of calls from 1 to %d", text,
                        CPM_BATCH_MOST);
    *(int *)value = calls;
    return CPM_OK;
}

/* clang-format off */
#define BATCH_OPTION \
    {"batch", 0, "N", "with --timing batch: calls per batch (default: 100 for blocks up to 3 KiB, 50 up " \
     "to 12, 20 up to 96, 10 up to 384 KiB, else 5)", offsetof(settings, calls.batch), set_batch}

const option batch_options[] = {
    BATCH_OPTION,
    {"buffers", 0, "STATE", "what is sent: fresh (default): written before every repetition, as by a program that "
     "computes it. same: unchanged, and soon in the caches of all who read it. cold: written, and then in no cache, which takes tens of milliseconds", offsetof(settings, calls.buffers), set_buffers},
    {NULL, 0, NULL, NULL, 0, NULL},
};

const option calls_options[] = {
    {"timing", 0, "CALLS", "isolated (default): all processes begin each call together. batch: "
     "calls run back to back, and the time is their mean per call over the processes", offsetof(settings, calls.timing), set_calls},
    BATCH_OPTION,
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

int batch_of(const settings *s)
{
    if (s->calls.timing != MPIB_TIMING_BATCH)
        return CPM_ISOLATED;
    return s->calls.batch ? s->calls.batch : CPM_BATCH_BY_SIZE;
}

/* Where it was not said how calls are. */
void calls_settle(void *set)
{
    settings *s = set;
    if (s->calls.timing != MPIB_TIMING_ROOT)
        return;
    s->calls.as_called = s->calls.profile != NULL;
    s->calls.timing = MPIB_TIMING_GLOBAL;
}

static bool knows_batches(const command *k)
{
    for (const option *const *table = k->options; *table; table++)
        if (*table == batch_options || *table == calls_options)
            return true;
    return false;
}

int batch_check(const call *c, cpm_error *e)
{
    if (c->set->calls.batch && c->set->calls.timing != MPIB_TIMING_BATCH &&
        !c->set->calls.as_called)
        return cpm_fail(e, CPM_EINVAL, "--batch: is for --timing batch");
    if (c->set->calls.buffers != MPIB_BUFFERS_FRESH && c->set->machine.model)
        return cpm_fail(e, CPM_EINVAL, "--buffers: a simulated cluster has none: omit it");
    if (c->set->calls.buffers == MPIB_BUFFERS_COLD && batch_of(c->set) != CPM_ISOLATED)
        return cpm_fail(e, CPM_EINVAL,
                        "--buffers cold: only the first call of a batch would find them cold: omit "
                        "--timing batch");
    if (batch_of(c->set) != CPM_ISOLATED && !knows_batches(c->command))
        return cpm_fail(
            e, CPM_EINVAL,
            "--timing: models are fitted to isolated calls; batch is for bench coll and "
            "validate");
    return CPM_OK;
}
