/* A thread that sleeps for a second, and mostly is not needed any more then; else it looks again
 * after two, four, eight seconds ..., as what comes late may take longer. */
#include "tools/frame/announce.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

static const double worth_saying = 60; /* seconds */
enum { PATIENT = 4 };                  /* seconds for the first of what is done as a whole */

/* What is done is at most so much where bound is set. */
static void say(const announcement *a, double all, double rate, double seconds, bool bound)
{
    char how_long[64];
    if (seconds < 7200)
        snprintf(how_long, sizeof how_long, "%.0f minutes", ceil(seconds / 60));
    else if (seconds < 172800)
        snprintf(how_long, sizeof how_long, "%.0f hours", ceil(seconds / 3600));
    else
        snprintf(how_long, sizeof how_long, "%.3g days", seconds / 86400);
    fprintf(stderr, "cpm %s: about %.3g %s, %s%.3g a second: %s%s (--budget SECONDS gives up)\n",
            a->c->command->name, all / a->unit, a->what, bound ? "less than " : "", rate / a->unit,
            bound ? "more than " : "", how_long);
}

/* Until so many seconds have passed, or all is over. */
static bool is_over_in(announcement *a, int seconds)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += seconds;
    pthread_mutex_lock(&a->lock);
    while (!a->over && pthread_cond_timedwait(&a->wakes, &a->lock, &end) == 0)
        ;
    bool over = a->over;
    pthread_mutex_unlock(&a->lock);
    return over;
}

static void *watch(void *context)
{
    announcement *a = context;
    double all = -1, before = 0; /* what was done before it told anything */
    double seen = 0, known = 0;  /* at the last look: what was done, the rate */
    int since = 0;
    for (int seconds = 1, wait = 1; !is_over_in(a, wait); wait = seconds, seconds *= 2) {
        double through = (double)atomic_load(&a->through);
        bool bound = through < 1 && a->at_once && seconds >= PATIENT;
        if (through <= a->first && !bound) {
            before = through;
            since = seconds;
            continue;
        }
        all = all < 0 ? a->all(a->context) : all;
        double rate =
                   bound ? a->at_once * a->unit / seconds : (through - before) / (seconds - since),
               left = (all - through) / rate;
        bool steady = bound || (through > seen && rate < 2 * known && known < 2 * rate);
        seen = through;
        known = rate;
        if (left > worth_saying && steady) {
            say(a, all, rate, left, bound);
            break;
        }
    }
    return NULL;
}

_Atomic int64_t *announce_counter(announcement *a)
{
    return isatty(STDERR_FILENO) ? &a->through : NULL;
}

void announce_begin(announcement *a)
{
    pthread_condattr_t monotonic;
    if (!announce_counter(a))
        return;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->wakes, &monotonic);
    pthread_condattr_destroy(&monotonic);
    a->watches = pthread_create(&a->thread, NULL, watch, a) == 0;
}

void announce_end(announcement *a)
{
    if (!a->watches)
        return;
    pthread_mutex_lock(&a->lock);
    a->over = true;
    pthread_cond_signal(&a->wakes);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    pthread_cond_destroy(&a->wakes);
    pthread_mutex_destroy(&a->lock);
}
