// MSCCL's XML by Boost's property tree, behind a C interface that no exception crosses.
#include <boost/property_tree/xml_parser.hpp>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "collectives/msccl/parts.h"

namespace
{

using Tree = boost::property_tree::ptree;

// The parser keeps some 400 bytes of each element and attribute, and calls itself for elements in
// elements; a document of MSCCL is four deep.
constexpr int most_nodes = 1500000, most_depth = 8;
constexpr int most_gpus = 1 << 12, most_chunks = 1 << 24;

struct Wrong {
    std::string what;
};

template <class... Part> [[noreturn]] void wrong(const Part &...part)
{
    std::ostringstream text;
    (text << ... << part);
    throw Wrong{text.str()};
}

// Of what a file says, as much as a sentence has room for.
std::string shortened(const std::string &text)
{
    return text.substr(0, 40);
}

// ---- before the parser

const char *behind(const char *at, const char *end)
{
    const char *found = std::strstr(at, end);
    return found ? found + std::strlen(end) : at + std::strlen(at);
}

// Behind the '>' of the tag that begins at at; quoted ones do not count.
const char *behind_tag(const char *at)
{
    char quote = 0;
    for (; *at && (quote || *at != '>'); at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
    }
    return *at ? at + 1 : at;
}

// Changes depth by the tag, or what else begins with '<', at at; returns what is behind it.
const char *pass(const char *at, int *depth)
{
    if (std::strncmp(at, "<!--", 4) == 0)
        return behind(at, "-->");
    if (at[1] == '?')
        return behind(at, "?>");
    if (at[1] == '!')
        wrong("a document type, or text that is marked as such: MSCCL has none");
    const char *next = behind_tag(at);
    if (at[1] == '/')
        --*depth;
    else if (next - at < 3 || next[-2] != '/')
        ++*depth;
    return next;
}

void check_size(const char *text)
{
    int depth = 0, nodes = 0;
    for (const char *at = text; *at; at++)
        nodes += *at == '<' || *at == '=';
    if (nodes > most_nodes)
        wrong("more than ", most_nodes, " elements and attributes");
    for (const char *at = text; (at = std::strchr(at, '<'));) {
        at = pass(at, &depth);
        if (depth > most_depth)
            wrong("elements in elements in elements, more than ", most_depth, " deep");
    }
}

// ---- attributes

std::string attribute(const Tree &element, const char *what, const char *name)
{
    const auto all = element.find("<xmlattr>");
    if (all != element.not_found()) {
        const auto found = all->second.find(name);
        if (found != all->second.not_found())
            return found->second.data();
    }
    wrong(what, ": there is no attribute '", name, "'");
}

bool has(const Tree &element, const char *name)
{
    const auto all = element.find("<xmlattr>");
    return all != element.not_found() && all->second.count(name);
}

int number(const Tree &element, const char *what, const char *name, int least, int most)
{
    const std::string text = attribute(element, what, name);
    int value = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (bad != std::errc() || end != text.data() + text.size() || value < least || value > most)
        wrong(what, ": ", name, ": '", shortened(text), "' is not a number from ", least, " to ",
              most);
    return value;
}

// ---- steps

struct Type {
    const char *name;
    unsigned does;
    bool src, dst; // whether it has such a place
};

const Type types[] = {
    {"nop", 0, false, false},
    {"s", CPM_MSCCL_SENDS, true, false},
    {"r", CPM_MSCCL_RECEIVES | CPM_MSCCL_KEEPS, false, true},
    {"rcs", CPM_MSCCL_RECEIVES | CPM_MSCCL_KEEPS | CPM_MSCCL_SENDS, false, true},
    {"rrs", CPM_MSCCL_RECEIVES | CPM_MSCCL_COMBINES | CPM_MSCCL_SENDS, true, false},
    {"rrc", CPM_MSCCL_RECEIVES | CPM_MSCCL_COMBINES | CPM_MSCCL_KEEPS, true, true},
    {"rrcs", CPM_MSCCL_RECEIVES | CPM_MSCCL_COMBINES | CPM_MSCCL_KEEPS | CPM_MSCCL_SENDS, true,
     true},
    {"cpy", CPM_MSCCL_KEEPS, true, true},
    {"re", CPM_MSCCL_COMBINES | CPM_MSCCL_KEEPS, true, true},
};

const Type &type_of(const Tree &step, const char *what)
{
    const std::string name = attribute(step, what, "type");
    for (const Type &x : types)
        if (name == x.name)
            return x;
    wrong(what, ": unknown type '", shortened(name),
          "'; known are nop, s, r, rcs, rrs, rrc, rrcs, cpy and re");
}

cpm_msccl_place place(const Tree &step, const char *what, const std::string &side)
{
    const std::string buffer = attribute(step, what, (side + "buf").c_str());
    if (buffer != "i" && buffer != "o" && buffer != "s")
        wrong(what, ": ", side, "buf: '", shortened(buffer), "' is none of the buffers i, o and s");
    return {buffer == "i"   ? CPM_MSCCL_INPUT
            : buffer == "o" ? CPM_MSCCL_OUTPUT
                            : CPM_MSCCL_SCRATCH,
            number(step, what, (side + "off").c_str(), 0, most_chunks - 1)};
}

class Reader
{
  public:
    Reader(const Tree &algo, cpm_msccl *out) : algo_(algo), out_(out)
    {
    }

    void read()
    {
        read_head();
        scratch_.assign(out_->n, -1);
        for (const auto &[name, gpu] : algo_)
            if (name == "gpu")
                read_gpu(gpu);
            else if (name != "<xmlattr>")
                wrong("<", shortened(name), "> in <algo>, which has <gpu> only");
        for (int g = 0; g < out_->n; g++)
            if (scratch_[g] < 0)
                wrong("gpu ", g, " is not there: ngpus is ", out_->n);
        resolve();
        give();
    }

  private:
    void read_head()
    {
        const std::string collective = attribute(algo_, "algo", "coll");
        if (collective.size() >= sizeof out_->collective)
            wrong("algo: coll: '", shortened(collective), "...' is no collective");
        std::strcpy(out_->collective, collective.c_str());
        out_->n = number(algo_, "algo", "ngpus", 1, most_gpus);
        out_->loop_chunks = number(algo_, "algo", "nchunksperloop", 1, most_chunks);
        out_->in_place = has(algo_, "inplace") && number(algo_, "algo", "inplace", 0, 1) == 1;
        out_->root = has(algo_, "root") ? number(algo_, "algo", "root", 0, out_->n - 1) : -1;
    }

    void read_gpu(const Tree &gpu)
    {
        const int id = number(gpu, "gpu", "id", 0, out_->n - 1);
        const std::string what = "gpu " + std::to_string(id);
        if (scratch_[id] >= 0)
            wrong(what, " is there twice");
        scratch_[id] = number(gpu, what.c_str(), "s_chunks", 0, most_chunks);
        for (const auto &[name, tb] : gpu)
            if (name == "tb")
                read_block(tb, id, what);
            else if (name != "<xmlattr>")
                wrong(what, ": <", shortened(name), ">, but a <gpu> has <tb> only");
    }

    void read_block(const Tree &tb, int gpu, const std::string &where)
    {
        cpm_msccl_step x = {};
        x.gpu = gpu;
        x.tb = number(tb, (where + " tb").c_str(), "id", 0, most_chunks);
        const std::string what = where + " tb " + std::to_string(x.tb);
        x.to = number(tb, what.c_str(), "send", -1, out_->n - 1);
        x.from = number(tb, what.c_str(), "recv", -1, out_->n - 1);
        x.channel = number(tb, what.c_str(), "chan", -1, most_chunks);
        if (x.to == gpu || x.from == gpu)
            wrong(what, " sends to itself, or receives from itself");
        if (!block_.emplace(std::pair(gpu, x.tb), Block{steps_.size(), 0}).second)
            wrong(what, " is there twice");
        for (const auto &[name, step] : tb)
            if (name == "step")
                read_step(step, x, what);
            else if (name != "<xmlattr>")
                wrong(what, ": <", shortened(name), ">, but a <tb> has <step> only");
    }

    void read_step(const Tree &step, cpm_msccl_step x, const std::string &where)
    {
        Block &block = block_[{x.gpu, x.tb}];
        x.step = block.count++;
        const std::string text = where + " step " + std::to_string(x.step);
        const char *what = text.c_str();
        number(step, what, "s", x.step, x.step);
        const Type &type = type_of(step, what);
        x.does = type.does;
        x.count = type.does ? number(step, what, "cnt", 1, most_chunks) : 0;
        x.src = type.src ? place(step, what, "src") : cpm_msccl_place{CPM_MSCCL_NOWHERE, 0};
        x.dst = type.dst ? place(step, what, "dst") : cpm_msccl_place{CPM_MSCCL_NOWHERE, 0};
        if (x.does & CPM_MSCCL_SENDS && x.to < 0)
            wrong(what, " sends, but its tb has no gpu to send to");
        if (x.does & CPM_MSCCL_RECEIVES && x.from < 0)
            wrong(what, " receives, but its tb has no gpu to receive from");
        x.before = x.step ? static_cast<int64_t>(steps_.size()) - 1 : -1;
        x.depends = x.sent = x.come = -1;
        const int tb = has(step, "depid") ? number(step, what, "depid", -1, most_chunks) : -1;
        waits_.push_back({tb, tb < 0 ? 0 : number(step, what, "deps", 0, most_chunks)});
        steps_.push_back(x);
    }

    // The steps that steps wait for; they may be of thread blocks that come later.
    void resolve()
    {
        for (size_t k = 0; k < steps_.size(); k++) {
            cpm_msccl_step &x = steps_[k];
            const auto [tb, step] = waits_[k];
            const auto found = tb < 0 ? block_.end() : block_.find({x.gpu, tb});
            if (tb >= 0 && (found == block_.end() || step >= found->second.count))
                wrong("gpu ", x.gpu, " tb ", x.tb, " step ", x.step, " waits for tb ", tb, " step ",
                      step, ", which is not there");
            if (tb >= 0)
                x.depends = static_cast<int64_t>(found->second.first) + step;
        }
    }

    void give()
    {
        out_->scratch = static_cast<int *>(std::malloc(scratch_.size() * sizeof(int)));
        out_->at = static_cast<cpm_msccl_step *>(
            std::malloc((steps_.size() + 1) * sizeof(cpm_msccl_step)));
        if (!out_->scratch || !out_->at)
            throw std::bad_alloc();
        std::copy(scratch_.begin(), scratch_.end(), out_->scratch);
        std::copy(steps_.begin(), steps_.end(), out_->at);
        out_->count = static_cast<int64_t>(steps_.size());
    }

    struct Block {
        size_t first;
        int count;
    };
    const Tree &algo_;
    cpm_msccl *out_;
    std::vector<int> scratch_;
    std::map<std::pair<int, int>, Block> block_;
    std::vector<cpm_msccl_step> steps_;
    std::vector<std::pair<int, int>> waits_; // thread block (-1: none) and step
};

void parse(const char *text, size_t size, cpm_msccl *out)
{
    Tree document;
    if (std::strlen(text) < size)
        wrong("not text: there is a zero byte");
    check_size(text);
    std::istringstream in(text);
    read_xml(in, document,
             boost::property_tree::xml_parser::no_comments |
                 boost::property_tree::xml_parser::trim_whitespace);
    if (document.size() != 1 || document.front().first != "algo")
        wrong("no schedule: an XML document whose root is not MSCCL's <algo>");
    Reader(document.front().second, out).read();
}

} // namespace

extern "C" {

void cpm_msccl_clear(cpm_msccl *x)
{
    std::free(x->scratch);
    std::free(x->at);
    *x = {};
}

int cpm_msccl_parse(const char *name, const char *text, size_t size, cpm_msccl *out, cpm_error *e)
{
    *out = {};
    out->name = name;
    try {
        parse(text, size, out);
        return CPM_OK;
    } catch (const Wrong &x) {
        cpm_fail(e, CPM_EPARSE, "%s: %s", name, x.what.c_str());
    } catch (const boost::property_tree::xml_parser_error &x) {
        cpm_fail(e, CPM_EPARSE, "%s:%lu: no XML: %s", name, x.line(), x.message().c_str());
    } catch (...) {
        cpm_msccl_clear(out);
        return cpm_no_memory(e);
    }
    cpm_msccl_clear(out);
    return CPM_EPARSE;
}
}
