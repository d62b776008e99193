/* cpm fit --from: files of other benchmarks instead of measurements. */
#include "tools/import.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "measurements/import.h"

static const char digits[] = "0123456789";

static int rank(const char *text)
{
    errno = 0;
    long value = strtol(text, NULL, 10);
    return errno || value > INT_MAX ? INT_MAX : (int)value;
}

/* "I,J=FILE", or a file: whatever else a name may have in it. */
static cpm_import_file operand(const char *text)
{
    size_t first = strspn(text, digits);
    const char *second = text + first + 1;
    if (!first || text[first] != ',')
        return (cpm_import_file){text, -1, -1};
    size_t length = strspn(second, digits);
    if (!length || second[length] != '=')
        return (cpm_import_file){text, -1, -1};
    return (cpm_import_file){second + length + 1, rank(text), rank(second)};
}

static int find_format(const call *c, const cpm_import_format **out, cpm_error *e)
{
    cpm_error why = {0};
    int status = cpm_import_find(c->set.from, out, &why);
    return status ? cpm_fail(e, status, "--from: %s", why.text) : CPM_OK;
}

int import_operands(const call *c, cpm_measurements *out, cpm_error *e)
{
    const cpm_import_format *format;
    int status = find_format(c, &format, e);
    if (status)
        return status;
    cpm_import_file *files = calloc((size_t)c->operands, sizeof *files);
    if (!files)
        return cpm_fail(e, CPM_ENOMEM, "no memory for %d files", c->operands);
    for (int f = 0; f < c->operands; f++)
        files[f] = operand(c->operand[f]);
    status = cpm_import(format, files, c->operands, out, e);
    free(files);
    return status;
}
