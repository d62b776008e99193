/* Harnesses: what is read from anywhere is read from arbitrary bytes, and must keep its promises.
 * One program per format or text; libFuzzer makes the bytes (./check fuzz), or they are the files
 * of a corpus (the tests fuzz_NAME). */
#ifndef CPM_TESTS_FUZZ_H
#define CPM_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* What a harness defines; 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stops the process, saying so, unless the property holds. */
void fuzz_require(bool holds, const char *property);

/* The same for two texts that must be the same. */
void fuzz_require_same(const char *one, const char *other, const char *property);

/* Of what failed there is a code and a sentence that is one line. */
void fuzz_require_sentence(int status, const cpm_error *e);

/* The bytes as a text, which ends at the first zero; the caller frees it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* The path of a file that holds these bytes, until the next call. */
const char *fuzz_file(const void *data, size_t size);

/* Standard output is a file from the first call on. Forgets what was written to it. */
void fuzz_capture(void);
/* What was written to it since; the caller frees it. */
char *fuzz_captured(void);

/* A number below that one which depends on all bytes. */
int fuzz_pick(const uint8_t *data, size_t size, int below);

#endif
