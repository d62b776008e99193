/* Files in memory: a fuzzer that waits for disks tries little. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

void fuzz_require(bool holds, const char *property)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", property);
    abort();
}

void fuzz_require_same(const char *one, const char *other, const char *property)
{
    size_t same = 0;
    while (one[same] && one[same] == other[same])
        same++;
    if (one[same] || other[same])
        fprintf(stderr, "'%.80s' became '%.80s'\n", one + same, other + same);
    fuzz_require(one[same] == other[same], property);
}

void fuzz_require_sentence(int status, const cpm_error *e)
{
    fuzz_require(status < 0, "a failure has a negative code");
    fuzz_require(e->code == status, "the code is that of the sentence");
    fuzz_require(e->text[0] && !strchr(e->text, '\n'), "a failure is told in one line");
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_require(text, "there is memory for the input");
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

static void put(int file, const void *data, size_t size)
{
    bool ok = ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size;
    fuzz_require(ok, "a file in memory can be written");
}

const char *fuzz_file(const void *data, size_t size)
{
    static int file = -1;
    static char path[40];
    if (file < 0) {
        file = memfd_create("input", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    put(file, data, size);
    return path;
}

/* ---- standard output */

void fuzz_capture(void)
{
    static bool is_captured;
    fflush(stdout);
    if (!is_captured)
        dup2(memfd_create("output", MFD_CLOEXEC), STDOUT_FILENO);
    is_captured = true;
    put(STDOUT_FILENO, "", 0);
    lseek(STDOUT_FILENO, 0, SEEK_SET);
}

char *fuzz_captured(void)
{
    struct stat s;
    bool ok = fflush(stdout) == 0 && fstat(STDOUT_FILENO, &s) == 0;
    fuzz_require(ok, "what is written is there");
    size_t size = (size_t)s.st_size;
    char *text = malloc(size + 1);
    fuzz_require(text && pread(STDOUT_FILENO, text, size, 0) == (ssize_t)size, "it can be read");
    text[size] = '\0';
    return text;
}

/* ---- choices */

int fuzz_pick(const uint8_t *data, size_t size, int below)
{
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++)
        hash = cpm_hash_mix(hash, data[i]);
    return (int)((hash >> 16) % (uint64_t)below);
}
