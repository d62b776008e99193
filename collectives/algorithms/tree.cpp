// Trees as Boost graphs, behind a C interface that no exception crosses.
#include "collectives/algorithms/tree.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <memory>
#include <new>
#include <vector>

namespace
{

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

struct Free {
    void operator()(cpm_tree *t) const
    {
        cpm_tree_free(t);
    }
};
using Tree = std::unique_ptr<cpm_tree, Free>;

// Numbers the nodes in preorder and sums up subtree sizes on the way back.
class Preorder : public boost::default_dfs_visitor
{
  public:
    Preorder(cpm_tree *tree, int *reached) : tree_(tree), reached_(reached)
    {
    }
    void discover_vertex(Graph::vertex_descriptor v, const Graph &)
    {
        tree_->position[v] = *reached_;
        tree_->node[(*reached_)++] = static_cast<int>(v);
        tree_->size[v] = 1;
    }
    void finish_vertex(Graph::vertex_descriptor v, const Graph &)
    {
        if (tree_->parent[v] >= 0)
            tree_->size[tree_->parent[v]] += tree_->size[v];
    }

  private:
    cpm_tree *tree_;
    int *reached_;
};

Tree allocate(int n)
{
    Tree t(new cpm_tree{});
    t->n = n;
    t->parent = new int[n];
    t->first_child = new int[n + 1];
    t->child = new int[n];
    t->position = new int[n];
    t->node = new int[n];
    t->size = new int[n];
    return t;
}

// False if a parent is not a node.
bool set_parents(cpm_tree *t, const int *parent)
{
    t->parent[0] = -1;
    for (int v = 1; v < t->n; v++) {
        t->parent[v] = parent[v];
        if (t->parent[v] < 0 || t->parent[v] >= t->n)
            return false;
    }
    return true;
}

// Edges of a parent run from its lowest child to its highest.
Graph graph_of(const cpm_tree *t)
{
    Graph g(t->n);
    for (int v = 1; v < t->n; v++)
        boost::add_edge(t->parent[v], v, g);
    return g;
}

void set_children(cpm_tree *t, const Graph &g, bool highest_first)
{
    int next = 0;
    for (int v = 0; v < t->n; v++) {
        t->first_child[v] = next;
        auto [from, to] = boost::adjacent_vertices(v, g);
        while (from != to)
            t->child[next++] = static_cast<int>(highest_first ? *--to : *from++);
    }
    t->first_child[t->n] = next;
}

// True if every node was reached from the root; with n - 1 edges it is a tree then.
bool set_preorder(cpm_tree *t, const Graph &g)
{
    int reached = 0;
    std::vector<boost::default_color_type> colors(t->n);
    auto color = boost::make_iterator_property_map(colors.begin(), get(boost::vertex_index, g));
    boost::depth_first_visit(g, 0, Preorder(t, &reached), color);
    return reached == t->n;
}

int create(int n, const int *parent, bool highest_first, cpm_tree **out, cpm_error *e)
{
    Tree t = allocate(n);
    if (!set_parents(t.get(), parent))
        return cpm_fail(e, CPM_EINVAL, "the parent of a tree's node is not one of its %d nodes", n);
    Graph g = graph_of(t.get());
    if (!set_preorder(t.get(), g))
        return cpm_fail(e, CPM_EINVAL, "the parents of %d nodes do not make a tree", n);
    set_children(t.get(), g, highest_first);
    *out = t.release();
    return CPM_OK;
}

} // namespace

extern "C" {

int cpm_tree_create(int n, const int *parent, bool highest_first, cpm_tree **out, cpm_error *e)
{
    if (n < 1)
        return cpm_fail(e, CPM_EINVAL, "a tree needs at least 1 node, not %d", n);
    try {
        return create(n, parent, highest_first, out, e);
    } catch (...) {
        return cpm_no_memory(e);
    }
}

void cpm_tree_free(cpm_tree *t)
{
    if (!t)
        return;
    delete[] t->parent;
    delete[] t->first_child;
    delete[] t->child;
    delete[] t->position;
    delete[] t->node;
    delete[] t->size;
    delete t;
}
}
