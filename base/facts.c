/* An ordered list of pairs, found by their keys. */
#include "base/facts.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/locale.h"
#include "base/vector.h"

/* A key or a value is part of one line of a file. */
static char one_line(char c)
{
    return c == '\n' || c == '\r' ? ' ' : c;
}

static void flatten(char *text)
{
    for (; *text; text++)
        *text = one_line(*text);
}

static bool same_key(const char *kept, const char *given)
{
    while (*kept && *kept == one_line(*given))
        kept++, given++;
    return *kept == *given;
}

static uint64_t hash_of(const char *key)
{
    uint64_t hash = 0;
    for (; *key; key++)
        hash = cpm_hash_mix(hash, (unsigned char)one_line(*key));
    return hash | 1;
}

static int find(const cpm_facts *f, const char *key)
{
    const cpm_slot *slot = cpm_hash_find(&f->by_key, hash_of(key));
    while (slot && !same_key(f->items[slot->index].key, key))
        slot = cpm_hash_next(&f->by_key, slot);
    return slot ? slot->index : -1;
}

static int append(cpm_facts *f, const char *key, char *value, cpm_error *e)
{
    bool room = cpm_vector_extend(&f->items, f->count, sizeof *f->items);
    char *name = room ? strdup(key) : NULL;
    cpm_slot *slot = name ? cpm_hash_add(&f->by_key, hash_of(key)) : NULL;
    if (!slot) {
        free(name);
        return cpm_fail(e, CPM_ENOMEM, "no memory for the header line '%s'", key);
    }
    flatten(name);
    slot->index = f->count;
    f->items[f->count++] = (cpm_fact){name, value};
    return CPM_OK;
}

/* Takes over value. */
static int set(cpm_facts *f, const char *key, char *value, cpm_error *e)
{
    flatten(value);
    int i = find(f, key);
    if (i < 0) {
        int status = append(f, key, value, e);
        if (status)
            free(value);
        return status;
    }
    free(f->items[i].value);
    f->items[i].value = value;
    return CPM_OK;
}

int cpm_facts_set(cpm_facts *f, cpm_error *e, const char *key, const char *format, ...)
{
    char *value = NULL;
    va_list list;
    va_start(list, format);
    locale_t before = cpm_locale_plain();
    int length = vasprintf(&value, format, list);
    cpm_locale_restore(before);
    va_end(list);
    if (length < 0)
        return cpm_fail(e, CPM_ENOMEM, "no memory for the header line '%s'", key);
    return set(f, key, value, e);
}

int cpm_facts_date(cpm_facts *f, cpm_error *e)
{
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    return cpm_facts_set(f, e, "date", "%s", date);
}

const char *cpm_facts_get(const cpm_facts *f, const char *key)
{
    int i = find(f, key);
    return i < 0 ? NULL : f->items[i].value;
}

int cpm_facts_copy(cpm_facts *f, const cpm_facts *from, cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < from->count && !status; i++)
        status = cpm_facts_set(f, e, from->items[i].key, "%s", from->items[i].value);
    return status;
}

int cpm_note(char **notes, cpm_error *e, const char *format, ...)
{
    char *sentence = NULL, *all = NULL;
    va_list list;
    va_start(list, format);
    locale_t before = cpm_locale_plain();
    int length = vasprintf(&sentence, format, list);
    cpm_locale_restore(before);
    va_end(list);
    if (length >= 0)
        length = asprintf(&all, "%s%s%s", *notes ? *notes : "", *notes ? "\n" : "", sentence);
    if (length < 0) {
        free(sentence);
        return cpm_fail(e, CPM_ENOMEM, "no memory for a note");
    }
    free(sentence);
    free(*notes);
    *notes = all;
    return CPM_OK;
}

void cpm_facts_clear(cpm_facts *f)
{
    for (int i = 0; i < f->count; i++) {
        free(f->items[i].key);
        free(f->items[i].value);
    }
    free(f->items);
    cpm_hash_free(&f->by_key);
    *f = (cpm_facts){0};
}
