/* cpm export --simgrid: a model as a platform. */
#include <limits.h>

#include "base/escape.h"
#include "models/simgrid.h"
#include "tools/choose/export.h"
#include "tools/frame/output.h"

static int write_platform(const call *c, const cpm_model *m, cpm_error *e)
{
    cpm_new_file out;
    int status = output_open(c->set->out.path, CPM_FILE_SIMGRID, &out, e);
    if (status)
        return status;
    status = cpm_model_write_simgrid(m, out.stream, e);
    return cpm_new_file_close(&out, status, e);
}

int export_simgrid(call *c, cpm_error *e)
{
    cpm_model *m = NULL;
    char file[PATH_MAX];
    int status = cpm_model_read(c->operand[0], &m, e);
    if (!status)
        status = output_check(c->set->out.path, CPM_FILE_SIMGRID, e);
    if (!status)
        status = write_platform(c, m, e);
    if (!status && c->set->out.path)
        fprintf(stderr, "cpm export: use it with smpirun -np %d -platform %s%s\n", m->n,
                cpm_escape(c->set->out.path, file, sizeof file),
                m->on.n ? " and a -hostfile that names the host of each process" : "");
    if (!status && m->across.count)
        fputs("cpm export: messages between sockets of a host are written as those inside: a "
              "platform has no sockets\n",
              stderr);
    cpm_model_free(m);
    return status;
}
