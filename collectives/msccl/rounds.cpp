// Rounds by Boost Graph, behind a C interface that no exception crosses.
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <vector>

#include "collectives/msccl/parts.h"

namespace
{

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

// Nodes that lead to each other are in one round, and have one number; numbers fall along edges.
std::vector<int64_t> components(int64_t nodes, const std::vector<cpm_msccl_edge> &edges)
{
    Graph g(nodes);
    for (const cpm_msccl_edge &x : edges)
        boost::add_edge(x.from, x.to, g);
    std::vector<int64_t> of(nodes);
    if (nodes)
        boost::strong_components(
            g, boost::make_iterator_property_map(of.begin(), get(boost::vertex_index, g)));
    return of;
}

void set_rounds(std::vector<cpm_msccl_edge> edges, const std::vector<int64_t> &of, int *round)
{
    std::vector<int> least(of.size());
    std::sort(edges.begin(), edges.end(),
              [&of](const auto &a, const auto &b) { return of[a.from] > of[b.from]; });
    for (const cpm_msccl_edge &x : edges)
        least[of[x.to]] = std::max(least[of[x.to]], least[of[x.from]] + x.more);
    for (size_t k = 0; k < of.size(); k++)
        round[k] = least[of[k]];
}

} // namespace

extern "C" int cpm_msccl_rounds(int64_t nodes, const cpm_msccl_edge *edge, int64_t edges,
                                int *round, int64_t *wrong, cpm_error *e)
{
    try {
        const std::vector<cpm_msccl_edge> all(edge, edge + edges);
        const std::vector<int64_t> of = components(nodes, all);
        const auto bad = std::find_if(all.begin(), all.end(), [&of](const auto &x) {
            return x.more && of[x.from] == of[x.to];
        });
        *wrong = bad == all.end() ? -1 : bad - all.begin();
        if (*wrong < 0)
            set_rounds(all, of, round);
        return CPM_OK;
    } catch (...) {
        return cpm_no_memory(e);
    }
}
