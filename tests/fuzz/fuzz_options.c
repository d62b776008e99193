/* Command lines: the first line is a subcommand, the others are its arguments. Nothing is run. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "tools/frame/choices.h"
#include "tools/frame/options.h"
#include "tools/predict/method.h"

enum { MOST = 64 };

static const command *find(const char *name)
{
    for (const command *const *k = commands; *k; k++)
        if (strcmp((*k)->name, name) == 0)
            return *k;
    return NULL;
}

static void parse(const command *k, int argc, char **argv)
{
    call c = {.command = k, .argv = argv, .argc = argc};
    cpm_error e = {0};
    bool help = false;
    int status = settings_create(&c, &e);
    if (!status)
        status = options_parse(&c, argc, argv, &help, &e);
    if (!status && !help && k->check)
        status = k->check(&c, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    settings_free(&c);
}

static void choose(char *text)
{
    const cpm_placement at = {.n = 4};
    const choices_context context = {.n = 4, .root = 1, .placement = &at};
    choices c = {0};
    method by;
    cpm_error e = {0};
    int status = choices_parse(&text, 1, &context, &c, &e);
    if (status)
        fuzz_require_sentence(status, &e);
    for (int i = 0; !status && i < c.count; i++)
        fuzz_require(cpm_collective_applies(&c.at[i], NULL) == CPM_OK, "choices can be");
    choices_clear(&c);
    method_parse(text, 0, &by, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *rest = text, *word[MOST + 1] = {NULL};
    int words = 0;
    while (words < MOST && (word[words] = strsep(&rest, "\n")))
        words++;
    word[words] = NULL;
    const command *k = find(word[0]);
    if (k)
        parse(k, words, word);
    else
        choose(word[0]);
    free(text);
    return 0;
}
