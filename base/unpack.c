#include "base/unpack.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/vector.h"

/* ---- gzip */

static const uint64_t most = (uint64_t)4 << 30; /* bytes of a text */

typedef struct {
    char *text;
    int64_t used, room;
} growing;

static bool is_gzip(const char *text, size_t size)
{
    return size > 2 && text[0] == '\x1f' && text[1] == '\x8b';
}

/* One part more, or Z_STREAM_END. */
static int inflate_more(z_stream *z, growing *out)
{
    enum { AT_ONCE = 1 << 16 };
    if (!cpm_vector_reserve(&out->text, &out->room, out->used + AT_ONCE + 1, 1))
        return Z_MEM_ERROR;
    z->next_out = (Bytef *)out->text + out->used;
    z->avail_out = AT_ONCE;
    int status = inflate(z, Z_NO_FLUSH);
    out->used += AT_ONCE - z->avail_out;
    return (uint64_t)out->used > most ? Z_DATA_ERROR : status;
}

/* Where a part ends another may begin; what follows else is padding. */
static int inflate_parts(z_stream *z, growing *out)
{
    int status;
    do {
        status = inflate_more(z, out);
        if (status == Z_STREAM_END && is_gzip((const char *)z->next_in, z->avail_in))
            status = inflateReset(z);
    } while (status == Z_OK);
    return status;
}

static int gunzip(const char *name, char **text, size_t *size, cpm_error *e)
{
    enum { GZIP = 16 + MAX_WBITS };
    growing out = {0};
    z_stream z = {.next_in = (Bytef *)*text, .avail_in = (uInt)*size};
    int status = *size > most ? Z_DATA_ERROR : inflateInit2(&z, GZIP);
    if (status == Z_OK)
        status = inflate_parts(&z, &out);
    inflateEnd(&z);
    if (status != Z_STREAM_END) {
        free(out.text);
        return status == Z_MEM_ERROR ? cpm_no_memory(e)
                                     : cpm_fail(e, CPM_EPARSE,
                                                "%s: the compressed data are broken or cut short: "
                                                "copy the file again",
                                                name);
    }
    out.text[out.used] = '\0';
    free(*text);
    *text = out.text;
    *size = (size_t)out.used;
    return CPM_OK;
}

/* ---- UTF-16 */

/* In its own place, as it gets shorter. high: which byte of a pair is the upper one. */
static void narrow(char *text, size_t *size, int high)
{
    size_t used = 0;
    for (size_t at = 2; at + 1 < *size; at += 2) {
        unsigned char low = (unsigned char)text[at + 1 - (size_t)high];
        text[used++] = text[at + (size_t)high] == 0 && low < 0x80 ? (char)low : '?';
    }
    text[used] = '\0';
    *size = used;
}

int cpm_unpack(const char *name, char **text, size_t *size, cpm_error *e)
{
    int status = is_gzip(*text, *size) ? gunzip(name, text, size, e) : CPM_OK;
    if (!status && *size >= 2 && memcmp(*text, "\xff\xfe", 2) == 0)
        narrow(*text, size, 1);
    else if (!status && *size >= 2 && memcmp(*text, "\xfe\xff", 2) == 0)
        narrow(*text, size, 0);
    return status;
}
