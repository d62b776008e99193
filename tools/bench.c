/* What the two benchmarks share. */
#include "tools/bench.h"

#include "tools/options.h"

/* clang-format off */
const option bench_options[] = {
    {"sizes", 'm', "SIZES", "message sizes: 1K,2K or 1K:1M (doubling) or 0:256K:4K (stride)",
     offsetof(settings, sizes), set_sizes},
    {"adaptive", 0, NULL, "add sizes where the time departs from the line between its neighbours",
     offsetof(settings, adaptive), NULL},
    {"output", 'o', "FILE.meas", "keep the measurements in a file", offsetof(settings, output),
     set_text},
    {NULL, 0, NULL, NULL, 0, NULL},
};
/* clang-format on */

int bench_sizes(settings *s, const char *otherwise, cpm_error *e)
{
    return s->sizes.count ? CPM_OK : cpm_sizes_parse(otherwise, &s->sizes, e);
}

void bench_head(const call *c, const cpm_measurements *m, const char *what)
{
    printf("# cpm %s: %d processes\n# %s\n", c->command->name, m->n, what);
    printf("# times in microseconds: the %s with its %g %% confidence interval\n",
           cpm_statistic_name(m->statistic), 100 * c->set.precision.confidence);
}
