/* UTF-8 is taken apart here, as the C library knows it only in some locales. */
#include "base/escape.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE = 4 }; /* characters of \x1b */

/* Bytes of the character at text, and which it is; 0: it is not UTF-8, or longer than needed. */
static int decode(const unsigned char *text, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int bytes = *text < 0x80             ? 1
                : (*text & 0xe0) == 0xc0 ? 2
                : (*text & 0xf0) == 0xe0 ? 3
                : (*text & 0xf8) == 0xf0 ? 4
                                         : 0;
    uint32_t c = bytes > 1 ? *text & (0x7fU >> bytes) : *text;
    for (int k = 1; k < bytes; k++) {
        if ((text[k] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (text[k] & 0x3f);
    }
    if (!bytes || (bytes > 1 && c < least[bytes]) || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *out = c;
    return bytes;
}

/* Controls, and what Unicode has like them: separators of lines, marks of direction. */
static bool is_shown(uint32_t c)
{
    bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
    bool separator = c == 0x2028 || c == 0x2029 || c == 0xfeff;
    bool direction = c == 0x61c || (c >= 0x200e && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
                     (c >= 0x2066 && c <= 0x2069);
    return !control && !separator && !direction;
}

int cpm_escape_next(const char *text, char piece[CPM_SHOWN_PIECE])
{
    uint32_t c;
    int bytes = decode((const unsigned char *)text, &c);
    if (bytes && is_shown(c)) {
        memcpy(piece, text, (size_t)bytes);
        piece[bytes] = '\0';
        return bytes;
    }
    if (*text == '\n' || *text == '\t')
        strcpy(piece, *text == '\n' ? "\\n" : "\\t");
    else
        snprintf(piece, ESCAPE + 1, "\\x%02x", (unsigned char)*text);
    return 1;
}

char *cpm_escape(const char *text, char *shown, size_t size)
{
    char piece[CPM_SHOWN_PIECE];
    size_t used = 0;
    while (*text) {
        text += cpm_escape_next(text, piece);
        size_t length = strlen(piece);
        if (used + length >= size)
            break;
        memcpy(shown + used, piece, length);
        used += length;
    }
    shown[used] = '\0';
    return shown;
}

char *cpm_escape_copy(const char *text)
{
    size_t size = ESCAPE * strlen(text) + 1;
    char *shown = malloc(size);
    return shown ? cpm_escape(text, shown, size) : NULL;
}

void cpm_put_shown(FILE *out, const char *text)
{
    char piece[CPM_SHOWN_PIECE];
    while (*text) {
        text += cpm_escape_next(text, piece);
        fputs(piece, out);
    }
}

void cpm_put_quoted(FILE *out, const char *text)
{
    char piece[CPM_SHOWN_PIECE];
    fputc('"', out);
    while (*text) {
        text += cpm_escape_next(text, piece);
        fputs(*piece == '"' ? "\"\"" : piece, out);
    }
    fputc('"', out);
}

static const char *entity_of(char c)
{
    static const char *const entities[] = {"<&lt;", ">&gt;", "&&amp;", "\"&quot;", "'&#39;"};
    for (size_t k = 0; k < sizeof entities / sizeof *entities; k++)
        if (c == *entities[k])
            return entities[k] + 1;
    return NULL;
}

void cpm_put_entities(FILE *out, const char *text)
{
    char piece[CPM_SHOWN_PIECE];
    while (*text) {
        text += cpm_escape_next(text, piece);
        for (const char *c = piece; *c; c++)
            if (entity_of(*c))
                fputs(entity_of(*c), out);
            else
                fputc(*c, out);
    }
}

bool cpm_is_utf8(const char *text)
{
    uint32_t c;
    for (int bytes; *text; text += bytes)
        if (!(bytes = decode((const unsigned char *)text, &c)))
            return false;
    return true;
}

char *cpm_escape_word(const char *text, char *shown, size_t size)
{
    char *copy = strdup(text);
    for (char *c = copy; c && *c; c++)
        if (isspace((unsigned char)*c))
            *c = '-';
    cpm_escape(copy ? copy : "", shown, size);
    free(copy);
    return shown;
}
