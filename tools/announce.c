/* A thread that sleeps for a second, and mostly is not needed any more then. */
#include "tools/announce.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

static const double worth_saying = 60; /* seconds */

static void say(const announcement *a, double messages, double in_first, double seconds)
{
    char how_long[64];
    if (seconds < 7200)
        snprintf(how_long, sizeof how_long, "%.0f minutes", ceil(seconds / 60));
    else if (seconds < 172800)
        snprintf(how_long, sizeof how_long, "%.0f hours", ceil(seconds / 3600));
    else
        snprintf(how_long, sizeof how_long, "%.3g days", seconds / 86400);
    fprintf(stderr,
            "cpm %s: about %.3g messages to walk through, %.3g in the first second: %s (--limit "
            "SECONDS gives up)\n",
            a->c->command->name, messages, in_first, how_long);
}

/* Until a second has passed, or all is over. */
static bool is_over_in_a_second(announcement *a)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec++;
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
    double through = 0;
    int seconds = 0;
    for (; through < 1; seconds++) { /* schedules of many ranks are long before the first message */
        if (is_over_in_a_second(a))
            return NULL;
        through = (double)atomic_load(&a->through);
    }
    double rate = through / seconds, all = a->messages(a->context);
    double left = (all - through) / rate;
    if (left > worth_saying)
        say(a, all, rate, left);
    return NULL;
}

void announce_in(announcement *a, cpm_model *m)
{
    m->walking.through = isatty(STDERR_FILENO) ? &a->through : NULL;
}

void announce_begin(announcement *a, const call *c, const cpm_model *m, announce_messages *messages,
                    const void *context)
{
    pthread_condattr_t monotonic;
    a->c = c;
    a->messages = messages;
    a->context = context;
    if (!m->walking.through)
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
