// Dijkstra's and Prim's trees of a complete graph; no exception crosses the C interface.
#include "mapping/graph.h"

#include <boost/graph/adjacency_matrix.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/prim_minimum_spanning_tree.hpp>
#include <vector>

namespace
{

using Weight = boost::property<boost::edge_weight_t, double>;
using Graph = boost::adjacency_matrix<boost::directedS, boost::no_property, Weight>;
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

// Notes the vertices in the order in which they join the tree.
class Joining : public boost::default_dijkstra_visitor
{
  public:
    explicit Joining(int *order) : next_(order)
    {
    }
    void examine_vertex(Vertex v, const Graph &)
    {
        *next_++ = static_cast<int>(v);
    }

  private:
    int *next_;
};

Graph complete(int n, const double *weight)
{
    Graph g(n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j)
                boost::add_edge(i, j, Weight(weight[i * n + j]), g);
    return g;
}

using Search = void (*)(const Graph &, Vertex, Vertex *, Joining);

void dijkstra(const Graph &g, Vertex root, Vertex *before, Joining joining)
{
    boost::dijkstra_shortest_paths(g, root, boost::predecessor_map(before).visitor(joining));
}

void prim(const Graph &g, Vertex root, Vertex *before, Joining joining)
{
    boost::prim_minimum_spanning_tree(g, before, boost::root_vertex(root).visitor(joining));
}

int grow(Search search, int n, int root, const double *weight, int *parent, int *order,
         cpm_error *e)
{
    try {
        std::vector<Vertex> before(n);
        std::vector<int> joined(n);
        search(complete(n, weight), root, before.data(), Joining(joined.data()));
        for (int v = 0; v < n; v++) {
            parent[v] = v == root ? -1 : static_cast<int>(before[v]);
            order[v] = joined[v];
        }
        return CPM_OK;
    } catch (...) {
        return cpm_no_memory(e);
    }
}

} // namespace

extern "C" {

int cpm_graph_shortest_paths(int n, int root, const double *weight, int *parent, int *order,
                             cpm_error *e)
{
    return grow(dijkstra, n, root, weight, parent, order, e);
}

int cpm_graph_spanning_tree(int n, int root, const double *weight, int *parent, int *order,
                            cpm_error *e)
{
    return grow(prim, n, root, weight, parent, order, e);
}
}
