/* Collectives: "scatter:binomial:k=3", lists of them that are forced, and placements told. */
#include <stdlib.h>
#include <string.h>

#include "collectives/collective.h"
#include "fuzz/fuzz.h"
#include "measurements/experiment.h"
#include "tables/force.h"

/* An arbitrary placement of up to 8 processes, whose arrays are the caller's. */
static void place(const uint8_t *data, size_t size, int mapping[8], double weights[8],
                  cpm_placement *at)
{
    *at = (cpm_placement){.n = 1 + fuzz_pick(data, size, 8)};
    at->root = fuzz_pick(data, size, at->n);
    for (int v = 0; v < at->n; v++) {
        mapping[v] = (v + at->root) % at->n;
        weights[v] = size ? data[(size_t)v % size] / 128.0 : 1;
    }
    int with = fuzz_pick(data, size, 7);
    at->mapping = with & 1 ? mapping : NULL;
    at->weights = with & 2 ? weights : NULL;
}

static void check_travels(cpm_collective c)
{
    char *bytes = malloc(cpm_collective_packed_bytes(c.at.n));
    char here[CPM_FINGERPRINT], there[CPM_FINGERPRINT];
    cpm_collective arrived;
    fuzz_require(bytes, "there is memory");
    cpm_collective_pack(&c, bytes);
    cpm_collective_unpack(bytes, &arrived);
    fuzz_require(cpm_collective_equal(&c, &arrived), "what is told arrives");
    cpm_placement_fingerprint(&c.at, here);
    cpm_placement_fingerprint(&arrived.at, there);
    fuzz_require_same(here, there, "equal placements have equal fingerprints");
    free(bytes);
}

static void check_schedule(const cpm_collective *c)
{
    cpm_schedule *s = NULL;
    cpm_error e = {0};
    const cpm_block_sizes sizes = {.bytes = 100};
    if (!c->algorithm || cpm_collective_applies(c, NULL))
        return;
    int status = cpm_collective_schedule(c, &sizes, &s, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    cpm_schedule_free(s);
}

static void check_name(const cpm_collective *c)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective again;
    cpm_experiment x;
    cpm_collective_print(c, name, sizeof name);
    fuzz_require(cpm_collective_parse(name, &again, NULL) == CPM_OK &&
                     cpm_collective_same(c, &again),
                 "a name that is printed reads the same");
    fuzz_require(cpm_experiment_parse(name, &x, NULL) == CPM_OK, "a collective is an experiment");
}

static void one(const char *text, const uint8_t *data, size_t size)
{
    cpm_collective c;
    cpm_error e = {0};
    int mapping[8];
    double weights[8];
    int status = cpm_collective_parse(text, &c, &e);
    if (status) {
        fuzz_require_sentence(status, &e);
        return;
    }
    check_name(&c);
    place(data, size, mapping, weights, &c.at);
    if (!c.operation->rooted)
        c.at.root = 0;
    check_travels(c);
    c.at.mapping = NULL;
    check_schedule(&c);
}

static void forced(const char *text, const uint8_t *data, size_t size)
{
    cpm_selector *s = NULL;
    cpm_error e = {0};
    int status = cpm_selector_forced(text, NULL, &s, &e);
    if (status) {
        fuzz_require_sentence(status, &e);
        return;
    }
    const cpm_request r = {.operation = &cpm_operations[fuzz_pick(data, size, CPM_OPERATIONS)],
                           .n = 1 + fuzz_pick(data, size, 9),
                           .bytes = size};
    cpm_choice answer = {0};
    fuzz_require(s->choose(s, &r, &answer, &e) == CPM_OK, "what is forced answers");
    fuzz_require(!answer.what.algorithm || cpm_request_allows(&r, &answer.what, NULL) == CPM_OK,
                 "an answer can be run");
    s->free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    one(text, data, size);
    forced(text, data, size);
    free(text);
    return 0;
}
