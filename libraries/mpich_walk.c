/* MPICH tests what is of the communicator when this is made, and the rest in each call. */
#include "libraries/mpich_walk.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum { FAILS, HOLDS, UNKNOWN } answer;

typedef struct {
    const cpm_mpich_call *call;
    bool in_call; /* a test was met that is no communicator's */
    size_t first, last;
} walk;

/* ---- tests of sizes and numbers of processes */

/* Whether the test is name<value, less, or name<=value. */
static bool is_limit(const char *test, const char *name, bool *less, long *value)
{
    size_t length = strlen(name);
    if (strncmp(test, name, length) != 0 || test[length] != '<')
        return false;
    char *end;
    const char *number = test + length + 1 + (test[length + 1] == '=');
    *less = test[length + 1] != '=';
    errno = 0;
    *value = strtol(number, &end, 10);
    return end != number && !*end && !errno && *value >= 0 && *value <= INT_MAX;
}

/* Whether so many blocks have at most so many bytes. */
static answer compare_bytes(walk *w, long most, int blocks)
{
    if (most < 0)
        return FAILS;
    size_t last = (size_t)(most / blocks);
    if (w->call->bytes <= last) {
        w->last = last < w->last ? last : w->last;
        return HOLDS;
    }
    w->first = last + 1 > w->first ? last + 1 : w->first;
    return FAILS;
}

static answer compare(walk *w, const char *test)
{
    const cpm_mpich_call *c = w->call;
    bool less;
    long value;
    if (is_limit(test, "comm_size", &less, &value)) /* MPICH takes < for <= once it is in a call */
        return c->n <= value - (less && !w->in_call) ? HOLDS : FAILS;
    w->in_call = true;
    if (is_limit(test, "avg_msg_size", &less, &value) && !c->collective->total)
        return compare_bytes(w, value - less, 1);
    if (is_limit(test, "total_msg_size", &less, &value))
        return compare_bytes(w, value - less, c->n);
    return UNKNOWN;
}

/* ---- other tests */

/* Of the calls that are meant. */
static const struct {
    const char *test;
    answer answer;
} fixed[] = {
    {"is_commutative=yes", HOLDS},
    {"is_commutative=no", FAILS},
    {"is_op_built_in=yes", HOLDS},
    {"is_op_built_in=no", FAILS},
    {"is_block_regular=yes", HOLDS},
    {"is_block_regular=no", FAILS},
    {"is_sendbuf_inplace=no", HOLDS},
    {"is_sendbuf_inplace=yes", FAILS},
    {"count<pow2", FAILS},
};

static answer of_communicator(const cpm_mpich_call *c, const char *test)
{
    static const char collective[] = "collective=";
    size_t length = sizeof collective - 1;
    if (strncmp(test, collective, length) == 0)
        return strcmp(test + length, c->collective->name) == 0 ? HOLDS : FAILS;
    if (strcmp(test, "comm_type=intra") == 0)
        return HOLDS;
    if (strcmp(test, "comm_type=inter") == 0)
        return FAILS;
    if (strcmp(test, "comm_hierarchy=parent") == 0)
        return c->levels ? HOLDS : FAILS;
    if (strcmp(test, "comm_size=pow2") == 0)
        return (c->n & (c->n - 1)) == 0 ? HOLDS : FAILS;
    return UNKNOWN;
}

static bool is_any(walk *w, const char *test)
{
    size_t length = strlen(test);
    if (strcmp(test, "any") != 0 && (length < 4 || strcmp(test + length - 4, "=any") != 0))
        return false;
    w->in_call = w->in_call || strncmp(test, "comm_", 5) != 0;
    return true;
}

static answer ask(walk *w, const char *test)
{
    if (is_any(w, test))
        return HOLDS;
    answer known = of_communicator(w->call, test);
    if (known != UNKNOWN)
        return known;
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
        if (strcmp(test, fixed[k].test) == 0) {
            w->in_call = true;
            return fixed[k].answer;
        }
    return compare(w, test);
}

/* ---- the way */

/* MPICH ignores blanks in a test. A longer one is none that it has. */
static const char *without_blanks(const char *key, char *test, size_t size)
{
    size_t used = 0;
    for (; *key && used + 1 < size; key++)
        if (*key != ' ')
            test[used++] = *key;
    test[used] = '\0';
    return test;
}

static const char *behind(const char *test, const char *word)
{
    size_t length = strlen(word);
    return strncmp(test, word, length) == 0 ? test + length : NULL;
}

/* The name if key says what to run, else NULL. It is the key's own end: MPICH writes no blanks. */
static const char *algorithm_of(const char *key)
{
    const char *name = behind(key, "algorithm=");
    return name ? name : behind(key, "composition=");
}

/* What is below the first test that holds; NULL: none does, or the tree ends here. */
static json_t *below(walk *w, json_t *tree, cpm_mpich_end *end)
{
    const char *key;
    json_t *next;
    json_object_foreach(tree, key, next)
    {
        char test[200];
        answer a = FAILS;
        if ((end->algorithm = algorithm_of(key)))
            end->leaf = tree;
        else
            a = ask(w, without_blanks(key, test, sizeof test));
        if (a == UNKNOWN)
            end->unknown = key;
        if (a != FAILS || end->leaf)
            return a == HOLDS ? next : NULL;
    }
    return NULL;
}

cpm_mpich_end cpm_mpich_walk(json_t *tree, const cpm_mpich_call *c)
{
    walk w = {.call = c, .last = SIZE_MAX};
    cpm_mpich_end end = {0};
    while (tree)
        tree = below(&w, tree, &end);
    end.first = w.first;
    end.last = w.last;
    return end;
}
