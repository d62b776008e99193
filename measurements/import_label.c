/* What launchers, containers and terminals put before a line. */
#include <ctype.h>
#include <string.h>

#include "measurements/import_reader.h"

static const char digits[] = "0123456789";

static char *behind_blanks(char *line)
{
    return line + strspn(line, " \t");
}

/* Escape sequences (colours) and other control characters, in place. */
static void drop_controls(char *line)
{
    char *to = line;
    for (const char *from = line; *from; from++) {
        if (from[0] == '\x1b' && from[1] == '[') {
            from += 2 + strspn(from + 2, "0123456789;?");
            if (!*from)
                break;
        } else if (!iscntrl((unsigned char)*from) || *from == '\t')
            *to++ = *from;
    }
    *to = '\0';
}

/* "[1,0]<stdout>:", "[job@1,0]<stdout>: ", "Fri Nov 27 20:42:10 2026[1,0]<stdout>:" (Open MPI). */
static char *behind_stream(char *line)
{
    enum { LONGEST = 120 };
    static const char *const streams[] = {"<stdout>", "<stderr>", "<stddiag>"};
    for (size_t s = 0; s < sizeof streams / sizeof *streams; s++) {
        char *found = strstr(line, streams[s]);
        if (!found || found - line > LONGEST)
            continue;
        found += strlen(streams[s]);
        return found + (*found == ':');
    }
    return line;
}

/* "[0] " of MPICH and Intel MPI; "[node1:123] ". */
static char *behind_bracket(char *line)
{
    if (*line != '[')
        return line;
    size_t length = strcspn(line, "] \t");
    bool counts = line[length] == ']' && strpbrk(line, digits) &&
                  strpbrk(line, digits) < line + length && strchr(" \t:", line[length + 1]);
    return counts ? line + length + 1 + (line[length + 1] == ':') : line;
}

/* "0: " of srun, flux and PALS. */
static char *behind_rank(char *line)
{
    size_t length = strspn(line, digits);
    return length && line[length] == ':' && strchr(" \t", line[length + 1]) ? line + length + 1
                                                                            : line;
}

static bool has_shape(const char *text, const char *shape)
{
    for (; *shape; shape++, text++) {
        bool good = *shape == '9'   ? isdigit((unsigned char)*text)
                    : *shape == 'a' ? isalpha((unsigned char)*text)
                    : *shape == '_' ? *text == ' ' || isdigit((unsigned char)*text)
                                    : *text == *shape;
        if (!good)
            return false;
    }
    return true;
}

/* "2026-11-27T20:42:10.123Z " of containers, "2026-11-27 20:42:10 ", "Nov 27 20:42:10 " of ts and
 * syslog. */
static char *behind_time(char *line)
{
    static const char *const shapes[] = {"9999-99-99T99:99:99", "9999-99-99 99:99:99",
                                         "aaa _9 99:99:99"};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        if (has_shape(line, shapes[s])) {
            char *end = line + strlen(shapes[s]);
            return end + strcspn(end, " \t");
        }
    return line;
}

static char *behind_words(char *line, int words)
{
    for (; words > 0 && *line; words--)
        line = behind_blanks(line + strcspn(line, " \t"));
    return line;
}

/* "node1: ", "node1 0: ", "20:42:10 node1 app[7]: ": as many words as the title has before it. */
static char *behind_others(cpm_import_reader *r, char *line)
{
    enum { MOST = 8 };
    static const char *const titles[] = {"# OSU ", "# OMB", "# Benchmarking ", "src,dst,lat("};
    for (size_t t = 0; t < sizeof titles / sizeof *titles; t++) {
        const char *title = strstr(line, titles[t]);
        for (int words = 0; title && words <= MOST; words++)
            if (behind_words(line, words) == title)
                r->labels = words;
    }
    return behind_words(line, r->labels);
}

char *cpm_import_plain(cpm_import_reader *r, char *line)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (strncmp(line, mark, sizeof mark - 1) == 0)
        line += sizeof mark - 1;
    drop_controls(line);
    line = behind_time(behind_blanks(line));
    line = behind_bracket(behind_blanks(behind_stream(behind_blanks(line))));
    line = behind_rank(behind_blanks(line));
    return behind_others(r, behind_blanks(behind_time(behind_blanks(line))));
}
