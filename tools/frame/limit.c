/* The sentence is made before it is needed: a signal handler may hardly do more than write it. */
#include "tools/frame/limit.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* State of the process by nature: a signal handler has no argument to carry it. */
static char sentence[256];

static void end(int number)
{
    (void)number;
    if (write(STDERR_FILENO, sentence, strlen(sentence)) < 0)
        _exit(1); /* nobody listens */
    _exit(1);
}

void limit_begin(const call *c)
{
    double whole, part = modf(c->set->predicting.budget, &whole);
    if (!(c->set->predicting.budget > 0))
        return;
    snprintf(sentence, sizeof sentence,
             "cpm %s: not done within %g s (--budget): ask for fewer algorithms, sizes or "
             "processes, or allow more time\n",
             c->command->name, c->set->predicting.budget);
    struct sigaction action = {.sa_handler = end};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    const struct itimerval timer = {.it_value = {.tv_sec = (time_t)fmin(whole, 1e9),
                                                 .tv_usec = 1 + (suseconds_t)(999998 * part)}};
    setitimer(ITIMER_REAL, &timer, NULL);
}
