/* Where there is no fuzzer: every file that is named, or of a folder that is, and all its
 * beginnings are inputs. Beginnings of long ones are tried at 1,000 places. */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_file.h"
#include "fuzz/fuzz.h"

static const char *now = "";

/* A copy that ends where the input does, so that a sanitizer sees what reads behind it. */
static void try(const char *text, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_require(copy, "there is memory for the input");
    memcpy(copy, text, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static int try_file(const char *path)
{
    cpm_error e = {0};
    char *text;
    size_t size;
    now = path;
    if (cpm_text_read(path, &text, &size, &e)) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    for (size_t end = 0; end < size; end += 1 + size / 1000)
        try(text, end);
    try(text, size);
    free(text);
    return 0;
}

static int try_folder(const char *path)
{
    struct dirent **in = NULL;
    int failed = 0, count = scandir(path, &in, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char *file = NULL;
        if (in[i]->d_name[0] != '.' && asprintf(&file, "%s/%s", path, in[i]->d_name) > 0)
            failed |= try_file(file);
        free(file);
        free(in[i]);
    }
    free(in);
    fuzz_require(count > 2, "a corpus has files");
    return failed;
}

static bool is_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (folder)
        closedir(folder);
    return folder;
}

/* abort() says nothing of the file. */
static void tell_file(int signal)
{
    (void)signal;
    fprintf(stderr, "input: %s or a beginning of it\n", now);
}

int main(int argc, char **argv)
{
    int failed = 0;
    signal(SIGABRT, tell_file);
    for (int i = 1; i < argc; i++)
        failed |= is_folder(argv[i]) ? try_folder(argv[i]) : try_file(argv[i]);
    return failed;
}
