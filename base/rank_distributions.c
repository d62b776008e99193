/* R's mathlib, kept from ending the process and from being called by two threads at once. */
#include "base/rank_distributions.h"

#define MATHLIB_STANDALONE
#include <Rmath.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>

/* Where the function that this thread is in returns to instead of ending the process. */
static _Thread_local jmp_buf *way_back;

/* The linker leads all calls of exit() within CPM's programs and libraries here (--wrap). */
_Noreturn void __wrap_exit(int code); /* NOLINT(bugprone-reserved-identifier): the linker's name */
_Noreturn void __real_exit(int code); /* NOLINT(bugprone-reserved-identifier) */

_Noreturn void __wrap_exit(int code)
{
    if (way_back)
        longjmp(*way_back, 1);
    __real_exit(code);
}

typedef double distribution(double at, int m, int n);

/* False: it has no memory. What it keeps is as it was then, or is begun anew by the next call. */
static bool returns(distribution *f, double at, int m, int n, double *out)
{
    jmp_buf back;
    way_back = &back;
    if (setjmp(back)) {
        way_back = NULL;
        return false;
    }
    *out = f(at, m, n);
    way_back = NULL;
    return true;
}

static int call(distribution *f, double at, int m, int n, double *out, cpm_error *e)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one_at_a_time);
    bool returned = returns(f, at, m, n, out);
    pthread_mutex_unlock(&one_at_a_time);
    return returned ? CPM_OK : cpm_no_memory(e);
}

static double rank_sum_p(double w, int m, int n)
{
    return pwilcox(w, m, n, 1, 0);
}

static double rank_sum_quantile(double p, int m, int n)
{
    return qwilcox(p, m, n, 1, 0);
}

/* It has but one number of values. */
static double signed_rank_p(double v, int n, int unused)
{
    (void)unused;
    return psignrank(v, n, 1, 0);
}

int cpm_rank_sum_p(double w, int m, int n, double *p, cpm_error *e)
{
    return call(rank_sum_p, w, m, n, p, e);
}

int cpm_rank_sum_quantile(double p, int m, int n, double *w, cpm_error *e)
{
    return call(rank_sum_quantile, p, m, n, w, e);
}

int cpm_signed_rank_p(double v, int n, double *p, cpm_error *e)
{
    return call(signed_rank_p, v, n, 0, p, e);
}

double cpm_range_above(double q, int k)
{
    return ptukey(q, 1, k, INFINITY, 0, 0);
}
