/* What a look-up in compiled rules takes, and how long rules take to be read: bench_rules
 *
 * Rules are a chain of tests for sizes, each of which fails but for the last (chain), or halves of
 * the sizes that are left (tree). Sizes of calls are the same, or change from call to call. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "libraries/rules_file.h"

enum { BATCHES = 31, CALLS = 20000, SIZES = 1 << 16, TESTS = 200000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- rules ---- */

static void put_chain(FILE *out, int depth)
{
    fputs("if operation = bcast\n", out);
    for (int k = 0; k < depth; k++)
        fprintf(out, "%s bytes >= %d\nbcast:%s\n", k ? "else if" : "if", SIZES - k,
                k % 2 ? "chain" : "linear");
    fputs("end\nend\n", out);
}

static void put_tree(FILE *out, int depth, int from, int to)
{
    int half = from + (to - from) / 2;
    if (depth == 0) {
        fprintf(out, "bcast:%s\n", from / (to - from) % 2 ? "chain" : "linear");
        return;
    }
    fprintf(out, "if bytes < %d\n", half);
    put_tree(out, depth - 1, from, half);
    fputs("else\n", out);
    put_tree(out, depth - 1, half, to);
    fputs("end\n", out);
}

static char *text_of(const char *kind, int depth)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (*kind == 'c')
        put_chain(out, depth);
    else
        put_tree(out, depth, 0, SIZES);
    fclose(out);
    return text;
}

/* ---- look-ups ---- */

static volatile int last;

/* Nanoseconds of a look-up, the median of batches. */
static double look_up(const cpm_compiled_rules *c, cpm_situation s, int calls, bool changing)
{
    double times[BATCHES];
    static int64_t size[CALLS];
    for (int k = 0; k < calls; k++)
        size[k] = changing ? rand() % (SIZES / 2) : SIZES / 3;
    for (int b = 0; b < BATCHES; b++) {
        double start = now();
        for (int k = 0; k < calls; k++) {
            s.of[CPM_ASKS_BYTES] = size[k];
            last = cpm_compiled_rules_find(c, &s, NULL);
        }
        times[b] = (now() - start) / calls * 1e9;
    }
    qsort(times, BATCHES, sizeof *times, compare);
    return times[BATCHES / 2];
}

static int measure(const char *kind, int depth)
{
    cpm_error e = {0};
    cpm_ruleset *rules = NULL;
    cpm_compiled_rules c = {0};
    const cpm_request r = {.operation = &cpm_operations[CPM_OP_BCAST], .n = 16};
    const cpm_situation s = cpm_situation_of(&r);
    char *text = text_of(kind, depth);
    double start = now();
    int status = text ? cpm_ruleset_unpack(text, kind, &rules, NULL, &e) : CPM_ENOMEM;
    double reading = now() - start;
    const int calls = TESTS / depth < CALLS ? TESTS / depth : CALLS;
    if (!status)
        status = cpm_ruleset_compile(rules, &s, &c, &e);
    if (status)
        fprintf(stderr, "%s\n", e.text);
    for (int changing = 0; changing < 2 && !status; changing++) {
        double ns = look_up(&c, s, calls, changing);
        printf("%-5s of %5d tests, %s sizes: %8.1f ns, %5.2f ns a test; read in %.2f ms\n", kind,
               depth, changing ? "changing" : "the same", ns, ns / depth, reading * 1e3);
    }
    free(c.test);
    cpm_ruleset_free(rules);
    free(text);
    return status;
}

int main(void)
{
    static const int depths[] = {1, 5, 10, 100, 1000, 10000};
    int failed = 0;
    for (size_t k = 0; k < sizeof depths / sizeof *depths; k++)
        failed |= measure("chain", depths[k]);
    for (size_t k = 1; k < 3; k++)
        failed |= measure("tree", depths[k]);
    return failed != 0;
}
