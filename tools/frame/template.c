#include "tools/frame/template.h"

#include <stdbool.h>
#include <string.h>

static const template_place *find(const template_place *places, const char *text)
{
    while (places->mark && strncmp(text, places->mark, strlen(places->mark)) != 0)
        places++;
    return places->mark ? places : NULL;
}

static void put_line(const char *line, const template_place *places, FILE *out)
{
    for (const char *at = line; *at;) {
        const template_place *here = *at == '@' ? find(places, at) : NULL;
        if (!here) {
            fputc(*at++, out);
            continue;
        }
        here->put(out);
        bool alone = at == line;
        at += strlen(here->mark);
        if (alone && strcmp(at, "\n") == 0)
            return;
    }
}

void template_put(const char *const *line, const template_place *places, FILE *out)
{
    for (; *line; line++)
        put_line(*line, places, out);
}
