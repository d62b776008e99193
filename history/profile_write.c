/* Writing a profile: one kind of calls per line, for people and diff. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/text_file.h"
#include "history/profile.h"

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
        if (c->timed < c->calls)
            fprintf(f, ", \"timed\": %ld", c->timed);
        if (c->least_at >= 0)
            fprintf(f, ", \"least\": %.6g, \"least_at\": %d, \"most\": %.6g, \"most_at\": %d",
                    c->least, c->least_at, c->most, c->most_at);
        putc('}', f);
    }
    fputs("\n  ]", f);
}

/* Names of functions, which need no escapes. */
static void put_others(FILE *f, const cpm_profile *p)
{
    if (p->other_count)
        fputs(",\n  \"others\": [", f);
    for (int i = 0; i < p->other_count; i++) {
        const cpm_profile_other *o = &p->others[i];
        fprintf(f, "%s\n    {\"function\": \"%s\", \"calls\": %ld, \"seconds\": %.6g}",
                i ? "," : "", o->function, o->calls, o->seconds);
    }
    fputs(p->other_count ? "\n  ]\n}\n" : "\n}\n", f);
}

static bool put_profile(FILE *f, const void *profile)
{
    const cpm_profile *p = profile;
    cpm_json_put_head(f, "profile");
    fputs(",\n", f);
    bool ok = cpm_json_put_provenance(f, &p->metadata);
    fprintf(f, "  \"processes\": %d,\n", p->n);
    ok = ok && cpm_json_put_texts(f, "hosts", p->hosts, p->n);
    fprintf(f, "  \"seconds\": %.9g,\n  \"collectives\": %.9g,\n  \"left_out\": %ld,\n", p->seconds,
            p->collectives, p->left_out);
    put_communicators(f, p);
    put_calls(f, p);
    put_others(f, p);
    return ok;
}

int cpm_profile_write(const cpm_profile *p, const char *path, cpm_error *e)
{
    char *text = cpm_text_by(put_profile, p);
    int status = text ? cpm_text_write(path, text, CPM_FILE_PROFILE, e) : cpm_no_memory(e);
    free(text);
    return status;
}
