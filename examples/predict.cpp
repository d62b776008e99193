/* Loads a model, says what it knows of each process, and which scatterv to use if process i gets i
 * + 1 parts of the data.
 *
 *   ./predict_cpp cluster.mod 64K                                                              */
#include <cpm/cpm.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

using model = std::unique_ptr<cpm_model, void (*)(cpm_model *)>;

static void check(int status, const cpm_error &e)
{
    if (status != CPM_OK)
        throw std::runtime_error(e.text);
}

static model read(const char *path)
{
    cpm_error e = {};
    cpm_model *m = nullptr;
    check(cpm_model_read(path, &m, &e), e);
    return model(m, cpm_model_free);
}

static void print_processes(const cpm_model *m)
{
    cpm_parameter_info p;
    for (int k = 0; cpm_model_parameter(m, k, &p); k++)
        for (int i = 0; p.processes == 1 && i < cpm_model_processes(m); i++)
            std::printf("%s of process %d on %s: %g %s\n", p.name, i, cpm_model_host(m, i),
                        cpm_model_value(m, p.name, i, -1, 0, nullptr), p.unit);
}

static void choose(const cpm_model *m, std::size_t bytes)
{
    std::vector<std::size_t> blocks;
    for (int i = 0; i < cpm_model_processes(m); i++)
        blocks.push_back(bytes * static_cast<std::size_t>(i + 1));
    cpm_case c = {};
    c.blocks = blocks.data();
    cpm_selection best;
    cpm_error e = {};
    check(cpm_select(m, "scatterv", &c, &best, &e), e);
    std::printf("fastest: %s, %.1f us\n", best.collective, best.seconds * 1e6);
}

int main(int argc, char **argv)
try {
    cpm_error e = {};
    std::size_t bytes;
    if (argc != 3)
        throw std::runtime_error("usage: predict_cpp MODEL.mod SIZE");
    check(cpm_size_parse(argv[2], &bytes, &e), e);
    model m = read(argv[1]);
    print_processes(m.get());
    choose(m.get(), bytes);
} catch (const std::exception &failure) {
    std::fprintf(stderr, "predict: %s\n", failure.what());
    return 1;
}
