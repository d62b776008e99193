/* Overlap of computing with nonblocking collectives, as rows for people and for programs. */
#include "tools/frame/overlap.h"

#include <math.h>
#include <stdlib.h>

#include "tools/frame/output.h"

const char overlap_explained[] =
    "# alone: begun and waited for; with: each process computes between, without a call of MPI\n"
    "# left: what of that is not computing; hidden: share of the call (or of computing, if that "
    "is\n"
    "# shorter) that takes no time of the program\n";

/* What of the call's time does not make the program longer, of that which could be hidden (Intel
 * MPI Benchmarks, IMB-NBC). */
static double hidden(const overlap_time *x)
{
    double most = fmin(x->alone, x->computing);
    return most > 0 ? fmax(0, fmin(1, (x->alone + x->computing - x->with) / most)) : NAN;
}

static double left(const overlap_time *x)
{
    return fmax(0, x->with - x->computing);
}

static int by_what_is_left(const void *a, const void *b)
{
    const overlap_time *x = a, *y = b;
    if (x->what.operation != y->what.operation)
        return x->what.operation < y->what.operation ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return (left(x) > left(y)) - (left(x) < left(y));
}

int overlap_print(const call *c, overlap_time *at, int count, const char *header,
                  cpm_report_tables *all, cpm_error *e)
{
    static const cpm_report_table_column columns[] = {
        {"algorithm", 0}, {"root", 0},    {"size", 0},   {"alone_us", 2}, {"computing_us", 2},
        {"with_us", 2},   {"left_us", 2}, {"hidden", 2}, {NULL, 0}};
    static const cpm_report_table times = {"overlap", NULL, columns};
    qsort(at, (size_t)count, sizeof *at, by_what_is_left);
    cpm_report_tables_begin(all, &times);
    for (const overlap_time *x = at; x < at + count; x++) {
        char name[CPM_COLLECTIVE_NAME];
        cpm_collective_print(&x->what, name, sizeof name);
        cpm_report_tables_row(all, "snnrrrrr", name, (long)c->set->calls.root, (long)x->bytes,
                              1e6 * x->alone, 1e6 * x->computing, 1e6 * x->with, 1e6 * left(x),
                              hidden(x));
    }
    if (c->set->out.format == CPM_FORMAT_TEXT)
        fputs(header, stdout);
    return output_sheets(all, c->set->out.format, e);
}
