#include "mapping/connection.h"

static void use(connection *l, int resource, double seconds)
{
    if (l->uses < CONNECTION_USES && seconds > 0) {
        l->resource[l->uses] = resource;
        l->seconds[l->uses++] = seconds;
    }
}

connection connection_of(const cpm_model *m, int from, int to, size_t bytes)
{
    connection l = {0};
    if (m->type->flow && cpm_model_flows(m)) {
        cpm_flow f;
        m->type->flow(m, from, to, bytes, &f);
        l = (connection){f.start, f.latency + f.starting, f.flow, f.recv, f.synchronous, 0, {0},
                         {0}};
        for (int u = 0; u < f.uses; u++)
            use(&l, f.use[u].resource, f.use[u].seconds * (double)bytes);
    } else {
        cpm_cost c;
        m->type->cost(m, from, to, bytes, &c);
        l = (connection){c.send, 0, c.wire, c.recv, false, 0, {0}, {0}};
        use(&l, from, c.gap);
        use(&l, m->n + to, c.gap);
    }
    return l;
}
