/* Progress of a campaign: a bar on a terminal, else a line now and then. What is measured depends
 * on what was: more experiments may follow those that are known, so that nobody knows the time
 * until the end. */
#include "tools/measure/progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double bar_interval = 0.1, line_interval = 10;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

progress progress_start(void)
{
    return (progress){.terminal = isatty(STDERR_FILENO), .start = now()};
}

static void draw_bar(int done, int total, double left)
{
    enum { WIDTH = 40 };
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++)
        bar[i] = (long)i * total < (long)done * WIDTH ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %d/%d", bar, done, total);
    if (done < total)
        fprintf(stderr, ", about %.0f s for these", ceil(left));
    fputs(" \033[K", stderr);
}

static void print_line(int done, int total, double left)
{
    fprintf(stderr, "cpm: %d of %d experiments that are known so far", done, total);
    if (done < total)
        fprintf(stderr, ", about %.0f s for the others", ceil(left));
    fputc('\n', stderr);
}

/* Seconds of the machine, which a simulated one makes up, are not those that people wait. */
void progress_show(void *context, int done, int total, double of_machine)
{
    progress *p = context;
    double seconds = now() - p->start;
    (void)of_machine;
    double interval = p->terminal ? bar_interval : line_interval;
    bool last = p->terminal && done == total;
    if (done == 0 || (seconds - p->last < interval && !last))
        return;
    p->last = seconds;
    p->drawn = true;
    double left = seconds / done * (total - done);
    if (p->terminal)
        draw_bar(done, total, left);
    else
        print_line(done, total, left);
}

void progress_end(progress *p)
{
    if (p->terminal && p->drawn)
        fputc('\n', stderr);
}
