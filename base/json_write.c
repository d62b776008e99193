/* Writing JSON, for people and diff, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"

void cpm_json_put_head(FILE *f, const char *what)
{
    fprintf(f, "{\n  \"format\": \"cpm %s\",\n  \"version\": 1", what);
}

bool cpm_json_put_text(FILE *f, const char *text)
{
    if (!cpm_is_utf8(text))
        return false;
    fputc('"', f);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(f, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(f, "\\u%04x", c);
        else
            fputc(c, f);
    }
    fputc('"', f);
    return true;
}

void cpm_json_put_number(FILE *f, double value, int digits)
{
    char text[40];
    if (!isfinite(value)) {
        fputs("null", f);
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, value);
    char *exponent = strchr(text, 'e');
    if (exponent)
        fprintf(f, "%.*se%ld", (int)(exponent - text), text, strtol(exponent + 1, NULL, 10));
    else
        fprintf(f, "%s%s", text, strchr(text, '.') ? "" : ".0");
}

bool cpm_json_put_texts(FILE *f, const char *key, char *const *text, int count)
{
    bool ok = true;
    fprintf(f, "  \"%s\": [", key);
    for (int i = 0; i < count && ok; i++) {
        fputs(i ? ", " : "", f);
        ok = cpm_json_put_text(f, text[i]);
    }
    fputs("],\n", f);
    return ok;
}

bool cpm_json_put_provenance(FILE *f, const cpm_metadata *metadata)
{
    bool ok = true;
    fputs("  \"provenance\": {", f);
    for (int i = 0; ok && i < metadata->count; i++) {
        fputs(i ? ",\n    " : "\n    ", f);
        ok = cpm_json_put_text(f, metadata->items[i].key);
        fputs(": ", f);
        ok = ok && cpm_json_put_text(f, metadata->items[i].value);
    }
    fputs(metadata->count ? "\n  },\n" : "},\n", f);
    return ok;
}
