/* How long single messages take by a model. */
#ifndef CPM_TOOLS_PAGE_MESSAGES_H
#define CPM_TOOLS_PAGE_MESSAGES_H

#include "models/model.h"

/* Of how many pairs of processes at most on each level. */
enum { MESSAGES_MOST = 256 };

typedef struct {
    int from, to;
} message_pair;

typedef struct {
    const cpm_model *m;
    message_pair at[MESSAGES_MOST];
    int count;
    long all;  /* pairs of the level, of the processes that are looked at */
    bool some; /* not of all pairs of the level */
} message_pairs;

/* The pairs of a level: of many processes every so many, and of many pairs every so many. */
void messages_find(const cpm_model *m, cpm_level level, message_pairs *out);

/* Over these: the least, median and most seconds of a message of that size, and of which pair the
 * most is; there is at least one. */
typedef struct {
    double least, median, most;
    message_pair slowest;
} message_times;
message_times messages_time(const message_pairs *of, size_t bytes);

/* "between processes" where a model knows nothing of levels, else as cpm show says. */
const char *messages_level(const cpm_model *m, cpm_level level);

/* "64 KB" */
enum { MESSAGES_SIZE = 32 };
const char *messages_size(size_t bytes, char text[MESSAGES_SIZE]);

#endif
