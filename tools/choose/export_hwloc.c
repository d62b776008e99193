/* cpm export --hwloc: a host of a model as a topology. */
#include <limits.h>

#include "base/escape.h"
#include "models/hwloc_xml.h"
#include "tools/choose/export.h"
#include "tools/frame/output.h"

static int write_topology(const call *c, const cpm_model *m, int *shown, cpm_error *e)
{
    cpm_new_file out;
    int status = output_open(c->set->out.path, CPM_FILE_HWLOC, &out, e);
    if (status)
        return status;
    status = cpm_model_write_hwloc(m, export_of(c)->host, out.stream, shown, e);
    return cpm_new_file_close(&out, status, e);
}

/* What is taken for granted. */
static void say(const call *c, const cpm_model *m, int shown)
{
    char file[PATH_MAX], host[200];
    if (!export_of(c)->host && m->on.count > 1)
        fprintf(stderr, "cpm export: the host is %s; --host names another one\n",
                cpm_escape(m->hosts[shown], host, sizeof host));
    if (!m->on.socket)
        fputs("cpm export: the model tells no sockets apart: all cores are on one NUMA node\n",
              stderr);
    if (c->set->out.path)
        fprintf(stderr, "cpm export: look at it with lstopo -i %s --distances\n",
                cpm_escape(c->set->out.path, file, sizeof file));
}

int export_hwloc(call *c, cpm_error *e)
{
    cpm_model *m = NULL;
    int shown = 0;
    int status = cpm_model_read(c->operand[0], &m, e);
    if (!status)
        status = output_check(c->set->out.path, CPM_FILE_HWLOC, e);
    if (!status)
        status = write_topology(c, m, &shown, e);
    if (!status)
        say(c, m, shown);
    cpm_model_free(m);
    return status;
}
