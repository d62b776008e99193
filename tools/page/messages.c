/* Times of single messages, over the pairs of a level. */
#include "tools/page/messages.h"

#include <math.h>
#include <stdio.h>

#include "base/statistics.h"
#include "tools/examine/show.h"

enum { MOST_PROCESSES = 512 };

static long count_pairs(const cpm_model *m, cpm_level level, int step)
{
    long count = 0;
    for (int i = 0; i < m->n; i += step)
        for (int j = 0; j < m->n; j += step)
            count += i != j && cpm_model_level(m, i, j) == level;
    return count;
}

void messages_find(const cpm_model *m, cpm_level level, message_pairs *out)
{
    int step = (m->n + MOST_PROCESSES - 1) / MOST_PROCESSES;
    *out = (message_pairs){.m = m, .all = count_pairs(m, level, step)};
    long seen = 0, every = (out->all + MESSAGES_MOST - 1) / MESSAGES_MOST;
    for (int i = 0; i < m->n; i += step)
        for (int j = 0; j < m->n; j += step)
            if (i != j && cpm_model_level(m, i, j) == level && seen++ % every == 0)
                out->at[out->count++] = (message_pair){i, j};
    out->some = step > 1 || out->count < out->all;
}

message_times messages_time(const message_pairs *of, size_t bytes)
{
    double seconds[MESSAGES_MOST];
    message_times t = {.least = INFINITY, .most = -INFINITY};
    for (int k = 0; k < of->count; k++) {
        double value = cpm_model_p2p(of->m, of->at[k].from, of->at[k].to, bytes);
        seconds[k] = value;
        t.least = value < t.least ? value : t.least;
        if (value > t.most) {
            t.most = value;
            t.slowest = of->at[k];
        }
    }
    t.median = cpm_median(seconds, of->count);
    return t;
}

const char *messages_level(const cpm_model *m, cpm_level level)
{
    return m->inside.count ? show_levels[level] : "between processes";
}

const char *messages_size(size_t bytes, char text[MESSAGES_SIZE])
{
    if (bytes >= 1048576)
        snprintf(text, MESSAGES_SIZE, "%zu MB", bytes / 1048576);
    else if (bytes >= 1024)
        snprintf(text, MESSAGES_SIZE, "%zu KB", bytes / 1024);
    else
        snprintf(text, MESSAGES_SIZE, "%zu B", bytes);
    return text;
}
