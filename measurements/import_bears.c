/* What model imported measurements bear. */
#include "measurements/import.h"

enum { SHORT = 256 }; /* bytes */

static bool is(const cpm_measurement *r, int kind)
{
    return r->what.kind == &cpm_experiment_kinds[kind];
}

typedef struct {
    int trips, sizes; /* latencies, and those of other sizes than the first */
    int streams, overheads, algorithms, natives, company;
    bool of_short; /* streams of short messages: what a process needs for each */
} contents;

static contents look(const cpm_measurements *m)
{
    contents c = {0};
    for (int q = 0; q < m->count; q++) {
        const cpm_measurement *r = &m->at[q];
        c.sizes +=
            is(r, CPM_ROUNDTRIP) && c.trips && r->what.send_bytes != m->at[0].what.send_bytes;
        c.trips += is(r, CPM_ROUNDTRIP);
        c.streams += is(r, CPM_SATURATION);
        c.of_short = c.of_short || (is(r, CPM_SATURATION) && r->what.send_bytes <= SHORT);
        c.overheads += is(r, CPM_SEND_TIME) || is(r, CPM_LATE_RECEIVE);
        c.algorithms += !r->what.kind && r->what.collective.algorithm;
        c.natives += !r->what.kind && !r->what.collective.algorithm;
        c.company += is(r, CPM_CROWDED_BURST) || is(r, CPM_CROWDED_EXCHANGE);
    }
    return c;
}

int cpm_import_bears(const cpm_measurements *m, const char **model, cpm_error *e)
{
    contents c = look(m);
    bool points = c.trips || c.streams, lines = c.sizes || c.streams;
    bool apart = c.of_short || c.overheads; /* processors and network are told apart */
    if ((c.trips && lines && apart) || (c.algorithms && !points && !c.overheads))
        *model = "lmo2";
    else if (lines)
        *model = "hockney";
    else if (c.trips)
        return cpm_fail(e, CPM_EDATA,
                        "no model: there are latencies of one message size only; add "
                        "a file with other sizes or bandwidths");
    else if (c.natives && !c.company)
        return cpm_fail(e, CPM_EDATA,
                        "no model: there are collectives by the MPI library's own choice only. Add "
                        "latencies, or compare them with a model (-o FILE.meas, then cpm compare)");
    else
        return cpm_fail(e, CPM_EDATA,
                        "no model: there are no latencies; add the file of a latency "
                        "test");
    return CPM_OK;
}
