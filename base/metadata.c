/* An ordered list of pairs, found by their keys. */
#include "base/metadata.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "base/locale.h"
#include "base/vector.h"

/* A key or a value is part of one line of a file, and is shown to people: newlines become spaces,
 * the rest is escaped. NULL: no memory. */
static char *part_of_line(const char *text)
{
    char *flat = strdup(text);
    for (char *c = flat; c && *c; c++)
        *c = *c == '\n' || *c == '\r' ? ' ' : *c;
    char *shown = flat ? cpm_escape_copy(flat) : NULL;
    free(flat);
    return shown;
}

static int find(const cpm_metadata *f, const char *key)
{
    const cpm_slot *slot = cpm_hash_find(&f->by_key, cpm_hash_text(key));
    while (slot && strcmp(f->items[slot->index].key, key) != 0)
        slot = cpm_hash_next(&f->by_key, slot);
    return slot ? slot->index : -1;
}

/* Takes over both. False, with nothing taken: no memory. */
static bool put(cpm_metadata *f, char *key, char *value)
{
    int i = find(f, key);
    if (i >= 0) {
        free(key);
        free(f->items[i].value);
        f->items[i].value = value;
        return true;
    }
    bool room = cpm_vector_extend(&f->items, f->count, sizeof *f->items);
    cpm_slot *slot = room ? cpm_hash_add(&f->by_key, cpm_hash_text(key)) : NULL;
    if (!slot)
        return false;
    slot->index = f->count;
    f->items[f->count++] = (cpm_fact){key, value};
    return true;
}

/* With a point in numbers; NULL: no memory. The caller frees it. */
static char *formatted(const char *format, va_list list)
{
    char *text = NULL;
    locale_t before = cpm_locale_plain();
    int length = vasprintf(&text, format, list);
    cpm_locale_restore(before);
    return length < 0 ? NULL : text;
}

static int set(cpm_metadata *f, const char *key, const char *value, cpm_error *e)
{
    char *name = part_of_line(key), *text = part_of_line(value);
    if (name && text && put(f, name, text))
        return CPM_OK;
    free(name);
    free(text);
    return cpm_no_memory(e);
}

int cpm_metadata_set(cpm_metadata *f, cpm_error *e, const char *key, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *value = formatted(format, list);
    va_end(list);
    int status = value ? set(f, key, value, e) : cpm_no_memory(e);
    free(value);
    return status;
}

/* The name of the k-th value of key. */
static void name_value(char *name, size_t size, const char *key, int k)
{
    if (k > 1)
        snprintf(name, size, "%s_%d", key, k);
    else
        snprintf(name, size, "%s", key);
}

static int append(cpm_metadata *f, const char *key, const char *value, cpm_error *e)
{
    char name[128], *shown = part_of_line(value);
    const char *there = NULL;
    int k = 1;
    if (!shown)
        return cpm_no_memory(e);
    for (;; k++) {
        name_value(name, sizeof name, key, k);
        there = cpm_metadata_get(f, name);
        if (!there || strcmp(there, shown) == 0)
            break;
    }
    free(shown);
    return there ? CPM_OK : set(f, name, value, e);
}

int cpm_metadata_append(cpm_metadata *f, cpm_error *e, const char *key, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *value = formatted(format, list);
    va_end(list);
    int status = value ? append(f, key, value, e) : cpm_no_memory(e);
    free(value);
    return status;
}

bool cpm_metadata_belongs(const char *key, const char *to)
{
    size_t length = strlen(to);
    if (strncmp(key, to, length) != 0)
        return false;
    const char *number = key + length + 1;
    return !key[length] ||
           (key[length] == '_' && *number && number[strspn(number, "0123456789")] == '\0');
}

int cpm_metadata_append_all(cpm_metadata *f, const cpm_metadata *from, const char *key,
                            cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < from->count && !status; k++)
        if (cpm_metadata_belongs(from->items[k].key, key))
            status = append(f, key, from->items[k].value, e);
    return status;
}

int cpm_metadata_date(cpm_metadata *f, cpm_error *e)
{
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    return cpm_metadata_set(f, e, "date", "%s", date);
}

const char *cpm_metadata_get(const cpm_metadata *f, const char *key)
{
    int i = find(f, key);
    return i < 0 ? NULL : f->items[i].value;
}

bool cpm_metadata_at(const cpm_metadata *f, int index, const char **key, const char **value)
{
    if (index < 0 || index >= f->count)
        return false;
    *key = f->items[index].key;
    *value = f->items[index].value;
    return true;
}

int cpm_metadata_copy(cpm_metadata *f, const cpm_metadata *from, cpm_error *e)
{
    int status = CPM_OK;
    for (int i = 0; i < from->count && !status; i++)
        status = cpm_metadata_set(f, e, from->items[i].key, "%s", from->items[i].value);
    return status;
}

int cpm_note(char **notes, cpm_error *e, const char *format, ...)
{
    char *all = NULL;
    int length = -1;
    va_list list;
    va_start(list, format);
    char *written = formatted(format, list);
    va_end(list);
    char *sentence = written ? cpm_escape_copy(written) : NULL;
    free(written);
    if (sentence)
        length = asprintf(&all, "%s%s%s", *notes ? *notes : "", *notes ? "\n" : "", sentence);
    if (!sentence || length < 0) {
        free(sentence);
        return cpm_no_memory(e);
    }
    free(sentence);
    free(*notes);
    *notes = all;
    return CPM_OK;
}

void cpm_metadata_clear(cpm_metadata *f)
{
    for (int i = 0; i < f->count; i++) {
        free(f->items[i].key);
        free(f->items[i].value);
    }
    free(f->items);
    cpm_hash_free(&f->by_key);
    *f = (cpm_metadata){0};
}
