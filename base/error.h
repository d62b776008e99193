/* One status and one sentence: how every library function reports a failure.
 *
 * A function that can fail returns CPM_OK (0) or a negative code and leaves one sentence, with the
 * place, in the caller's cpm_error. It never prints and never exits. The first function that knows
 * the reason writes the sentence; callers pass it on unchanged. */
#ifndef CPM_BASE_ERROR_H
#define CPM_BASE_ERROR_H

#include "base/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
#define CPM_STATUS_LIST(X)                                                   \
    X(EINVAL,    -1, "bad argument")                                         \
    X(EUNKNOWN,  -2, "unknown name")                                         \
    X(EPARSE,    -3, "input does not parse")                                 \
    X(EIO,       -4, "file cannot be read or written")                       \
    X(ENOMEM,    -5, "out of memory")                                        \
    X(EDEADLOCK, -6, "schedule cannot finish")                               \
    X(EWRONG,    -7, "schedule does not do what its operation demands")      \
    X(EPROCESS,  -8, "wrong number of processes")                            \
    X(EDATA,     -9, "measurements do not determine the model")              \
    X(EMPI,     -10, "MPI failed")                                           \
    X(ER,       -11, "R or its package strucchange is not there")
/* clang-format on */

/* CPM_OK (0), CPM_EINVAL (-1) and so on. */
enum {
    CPM_OK = 0,
#define CPM_STATUS_CODE(name, code, sentence) CPM_##name = (code),
    CPM_STATUS_LIST(CPM_STATUS_CODE)
#undef CPM_STATUS_CODE
};

typedef struct {
    int code;       /* CPM_OK or the code of the first failure */
    char text[512]; /* one sentence, in which names are as base/escape.h shows them; empty if code
                       is CPM_OK */
} cpm_error;

/* Writes code and the formatted sentence into e unless e already holds a failure. Returns code, so
 * that a caller can say "return cpm_fail(e, CPM_EPARSE, ...)". Control characters, which files may
 * hold, are shown: \x1b. e may be NULL. */
CPM_API int cpm_fail(cpm_error *e, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Says that this function got no memory; what it asked for is in its source. Returns CPM_ENOMEM. */
#define cpm_no_memory(e) cpm_fail(e, CPM_ENOMEM, "out of memory (in %s)", __func__)

/* The general sentence of a code ("bad argument"). Never NULL. */
CPM_API const char *cpm_status_text(int code);

/* Forgets a failure. */
CPM_API void cpm_error_clear(cpm_error *e);

#ifdef __cplusplus
}
#endif
#endif
