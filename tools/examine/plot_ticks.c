/* The names of hosts along an axis, short enough to stand there. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "tools/examine/plot_data.h"

enum { LONGEST = 15, BEGINNING = 6, END = 7 };

static bool all_end(char *const *name, int n, const char *end)
{
    size_t length = strlen(end);
    for (int i = 0; i < n; i++) {
        size_t whole = strlen(name[i]);
        if (whole <= length || strcmp(name[i] + whole - length, end) != 0)
            return false;
    }
    return true;
}

/* An address of numbers has none. */
static bool is_domain(const char *end)
{
    for (; *end; end++)
        if (isalpha((unsigned char)*end))
            return true;
    return false;
}

/* ".cluster.org", or "". */
static const char *shared_domain(char *const *name, int n)
{
    const char *at = strchr(name[0], '.');
    while (at && is_domain(at) && !all_end(name, n, at))
        at = strchr(at + 1, '.');
    return at && is_domain(at) ? at : "";
}

static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* The first length bytes of a name; returns how many are left. */
static size_t shorten(const char *name, size_t length, char out[LONGEST + 1])
{
    size_t begin = BEGINNING, end = length > END ? length - END : 0;
    if (length <= LONGEST) {
        snprintf(out, LONGEST + 1, "%.*s", (int)length, name);
        return length;
    }
    while (begin && is_inside_character(name[begin]))
        begin--;
    while (end < length && is_inside_character(name[end]))
        end++;
    snprintf(out, LONGEST + 1, "%.*s..%.*s", (int)begin, name, (int)(length - end), name + end);
    return LONGEST;
}

/* What stands at an axis is a format of numbers to gnuplot: "%" is "%%" there. */
static void print_format(const char *text, FILE *out)
{
    char format[2 * LONGEST + 1], *end = format;
    for (; *text; text++) {
        if (*text == '%')
            *end++ = '%';
        *end++ = *text;
    }
    *end = '\0';
    plot_print_quoted(format, out);
}

int plot_write_ticks(const char *folder, char *const *name, int n, int most, cpm_error *e)
{
    FILE *f;
    int step = (n + most - 1) / most, count = (n + step - 1) / step;
    size_t longest = 0, domain = strlen(shared_domain(name, n));
    int status = plot_file_open(folder, "ticks", &f, e);
    if (status)
        return status;
    fprintf(f, "array TICK[%d]\narray NAME_OF[%d]\narray FORMAT_OF[%d]\n", count, count, count);
    for (int i = 0; i < n; i += step) {
        char text[LONGEST + 1];
        size_t length = shorten(name[i], strlen(name[i]) - domain, text);
        longest = length > longest ? length : longest;
        fprintf(f, "TICK[%d] = %d; NAME_OF[%d] = ", i / step + 1, i, i / step + 1);
        plot_print_quoted(text, f);
        fprintf(f, "; FORMAT_OF[%d] = ", i / step + 1);
        print_format(text, f);
        fputc('\n', f);
    }
    fprintf(f, "LONGEST_NAME = %zu\n", longest);
    return plot_file_close(folder, f, e);
}
