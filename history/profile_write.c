/* Writing a profile: one kind of calls per line, for people and diff. */
#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "base/text_file.h"
#include "history/profile.h"
#include "models/mod_source.h"

static bool put_text(FILE *f, const char *text)
{
    json_t *value = json_string(text);
    bool ok = value && json_dumpf(value, f, JSON_ENCODE_ANY) == 0;
    json_decref(value);
    return ok;
}

static bool put_hosts(FILE *f, const cpm_profile *p)
{
    bool ok = true;
    fputs("  \"hosts\": [", f);
    for (int i = 0; i < p->n && ok; i++) {
        fputs(i ? ", " : "", f);
        ok = put_text(f, p->hosts[i]);
    }
    fputs("],\n", f);
    return ok;
}

static void put_communicators(FILE *f, const cpm_profile *p)
{
    fputs("  \"communicators\": [", f);
    for (int i = 0; i < p->communicator_count; i++) {
        const cpm_profile_communicator *c = &p->communicators[i];
        fprintf(f, "%s\n    {\"size\": %d, \"processes\": [", i ? "," : "", c->n);
        for (int r = 0; r < c->n; r++)
            fprintf(f, "%s%d", r ? ", " : "", c->process[r]);
        fputs("]}", f);
    }
    fputs("\n  ],\n", f);
}

static void put_calls(FILE *f, const cpm_profile *p)
{
    fputs("  \"calls\": [", f);
    for (int i = 0; i < p->count; i++) {
        const cpm_profile_calls *c = &p->at[i];
        fprintf(f, "%s\n    {\"communicator\": %d, \"operation\": \"%s\", ", i ? "," : "",
                c->communicator, c->operation->name);
        if (c->root >= 0)
            fprintf(f, "\"root\": %d, ", c->root);
        fprintf(f,
                "\"bytes\": %.9g, \"calls\": %ld, \"mean\": %.6g, \"total\": %.6g, "
                "\"between\": %.6g, \"back_to_back\": %ld",
                c->bytes, c->calls, c->mean, c->mean * (double)c->calls, c->between,
                c->back_to_back);
        if (c->least_at >= 0)
            fprintf(f, ", \"least\": %.6g, \"least_at\": %d, \"most\": %.6g, \"most_at\": %d",
                    c->least, c->least_at, c->most, c->most_at);
        putc('}', f);
    }
    fputs("\n  ]\n}\n", f);
}

static bool put_profile(FILE *f, const cpm_profile *p)
{
    fputs("{\n  \"format\": \"cpm profile\",\n  \"version\": 1,\n", f);
    bool ok = mod_put_provenance(f, &p->facts);
    fprintf(f, "  \"processes\": %d,\n", p->n);
    ok = ok && put_hosts(f, p);
    fprintf(f, "  \"seconds\": %.9g,\n  \"collectives\": %.9g,\n  \"left_out\": %ld,\n", p->seconds,
            p->collectives, p->left_out);
    put_communicators(f, p);
    put_calls(f, p);
    return ok && !ferror(f);
}

int cpm_profile_write(const cpm_profile *p, const char *path, cpm_error *e)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return cpm_no_memory(e);
    locale_t before = cpm_locale_plain();
    bool ok = put_profile(f, p);
    cpm_locale_restore(before);
    int status =
        fclose(f) == 0 && ok ? cpm_text_write(path, text, CPM_FILE_PROFILE, e) : cpm_no_memory(e);
    free(text);
    return status;
}
