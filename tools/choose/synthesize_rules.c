/* Schedules made for several sizes: their files, and the rules that name them. */
#include "tools/choose/synthesize_rules.h"

#include <math.h>
#include <string.h>

static void print_size(size_t bytes, char text[32])
{
    static const char unit[] = {'\0', 'K', 'M', 'G'};
    int k = 0;
    while (k < 3 && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        k++;
    }
    snprintf(text, 32, "%zu%.1s", bytes, &unit[k]);
}

static size_t between(size_t a, size_t b)
{
    return (size_t)ceil(sqrt((double)a * (double)b));
}

static void print_condition(const cpm_collective *what, const synthesize_choice *at, int count,
                            FILE *out)
{
    char text[32];
    fprintf(out, "if operation = %s and processes = %d", what->operation->name, what->at.n);
    if (what->operation->rooted)
        fprintf(out, " and root = %d", what->at.root);
    if (at[0].bytes) {
        print_size(at[0].bytes, text);
        fprintf(out, " and bytes >= %s", text);
    }
    print_size(at[count - 1].bytes, text);
    fprintf(out, " and bytes <= %s\n", text);
}

/* The first after k that is of another name; count: none. */
static int next_choice(const synthesize_choice *at, int count, int k)
{
    int next = k + 1;
    while (next < count && strcmp(at[next].name, at[k].name) == 0)
        next++;
    return next;
}

void synthesize_print_rules(const cpm_collective *what, const synthesize_choice *at, int count,
                            FILE *out)
{
    const char *operation = what->operation->name;
    bool one = next_choice(at, count, 0) == count;
    print_condition(what, at, count, out);
    for (int k = 0, next; k < count; k = next) {
        next = next_choice(at, count, k);
        if (next < count)
            fprintf(out, "    %s bytes < %zu\n", k ? "else if" : "if",
                    between(at[next - 1].bytes, at[next].bytes));
        else if (!one)
            fprintf(out, "    else\n");
        fprintf(out, "    %s%s:%s\n", one ? "" : "    ", operation, at[k].name);
    }
    fprintf(out, one ? "end\n" : "    end\nend\n");
}

int synthesize_path(const char *path, size_t bytes, char *out, size_t room, cpm_error *e)
{
    char size[32];
    const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    print_size(bytes, size);
    if ((size_t)snprintf(out, room, "%.*s-%s%s", (int)stem, path, size, dot ? dot : "") < room)
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL, "--output: %s: the path is too long", path);
}
