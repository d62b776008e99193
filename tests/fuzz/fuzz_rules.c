/* Rules, and what is made rules of: read, printed, compiled, followed. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "libraries/rules_file.h"
#include "tables/ruleset_selector.h"

static char *printed(const cpm_ruleset *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    cpm_ruleset_print(r, f);
    fclose(f);
    return text;
}

static void check_printed(const cpm_ruleset *r)
{
    cpm_ruleset *again = NULL;
    char *first = printed(r);
    fuzz_require(cpm_ruleset_unpack(first, "again", &again, NULL, NULL) == CPM_OK,
                 "what is printed reads");
    char *second = printed(again);
    fuzz_require_same(first, second, "what is printed reads the same");
    cpm_ruleset_free(again);
    free(first);
    free(second);
}

static void follow(const cpm_ruleset *rules, const uint8_t *data, size_t size)
{
    cpm_selector *s = NULL;
    cpm_choice answer = {0};
    cpm_error e = {0};
    const cpm_request r = {.operation = &cpm_operations[fuzz_pick(data, size, CPM_OPERATIONS)],
                           .n = 1 + fuzz_pick(data, size, 9),
                           .bytes = (size_t)1 << fuzz_pick(data, size, 40)};
    fuzz_require(cpm_selector_of_rules(rules, NULL, &s, &e) == CPM_OK, "rules decide");
    fuzz_require(s->choose(s, &r, &answer, &e) == CPM_OK, "rules answer");
    fuzz_require(answer.least <= r.bytes && r.bytes <= answer.most,
                 "an answer is one for the size");
    fuzz_require(!answer.what.algorithm || cpm_request_allows(&r, &answer.what, NULL) == CPM_OK,
                 "an answer can be run");
    s->free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *notes = NULL;
    cpm_ruleset *r = NULL;
    cpm_error e = {0};
    int status = cpm_ruleset_unpack(text, "input", &r, &notes, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    else {
        check_printed(r);
        follow(r, data, size);
    }
    cpm_ruleset_free(r);
    free(notes);
    free(text);
    return 0;
}
