/* Reading lessons: a whole file by jansson; of one that is damaged each line that still is a
 * lesson.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text_file.h"
#include "history/lessons_form.h"
#include "models/mod_source.h"

/* Of one lesson. */
typedef struct {
    const mod_source *source;
    mod_place place;
} reader;

/* ---- values */

static int wrong(const reader *r, const char *key, const char *what, const json_t *found)
{
    mod_place p = mod_inside(r->place, key, 0);
    return mod_complain(r->source, &p, "expected %s as \"%s\", found %s", what, key,
                        mod_kind(found));
}

/* Borrowed from the object. */
static int read_text(const reader *r, const json_t *object, const char *key, const char **out)
{
    const json_t *value = json_object_get(object, key);
    *out = json_string_value(value);
    return *out ? CPM_OK : wrong(r, key, "a text", value);
}

static int read_count(const reader *r, const json_t *object, const char *key, long least, long most,
                      long *out)
{
    const json_t *value = json_object_get(object, key);
    json_int_t n = json_integer_value(value);
    if (!json_is_integer(value) || n < least || n > most) {
        mod_place p = mod_inside(r->place, key, 0);
        return json_is_integer(value)
                   ? mod_complain(r->source, &p, "\"%s\" is not in %ld..%ld", key, least, most)
                   : wrong(r, key, "a whole number", value);
    }
    *out = (long)n;
    return CPM_OK;
}

/* 0 if it is not there and may be left out. */
static int read_number(const reader *r, const json_t *object, const char *key, bool needed,
                       double *out)
{
    const json_t *value = json_object_get(object, key);
    *out = 0;
    if (!value && !needed)
        return CPM_OK;
    if (!json_is_number(value))
        return wrong(r, key, "a number", value);
    double number = json_number_value(value);
    const char *flaw = number < 0 ? "is negative" : cpm_number_flaw(number);
    mod_place p = mod_inside(r->place, key, 0);
    if (flaw)
        return mod_complain(r->source, &p, "\"%s\": %g %s", key, number, flaw);
    *out = number + 0.0;
    return CPM_OK;
}

/* ---- figures */

static int read_name(const reader *r, const json_t *object, cpm_lesson_figure *f)
{
    const char *name;
    int status = read_text(r, object, "algorithm", &name);
    if (status)
        return status;
    mod_place p = mod_inside(r->place, "algorithm", 0);
    if (strlen(name) >= sizeof f->name || !*name)
        return mod_complain(r->source, &p, "no algorithm has such a name");
    strcpy(f->name, name);
    return CPM_OK;
}

static int read_figure(const reader *r, const json_t *object, cpm_lesson_figure *f)
{
    *f = (cpm_lesson_figure){.out = json_is_true(json_object_get(object, "out"))};
    int status = read_name(r, object, f);
    if (!status)
        status = read_count(r, object, "calls", 1, INT_MAX, &f->calls);
    if (!status)
        status = read_number(r, object, "seconds", true, &f->seconds);
    if (!status)
        status = read_number(r, object, "ratio", false, &f->ratio);
    return status ? status : read_number(r, object, "error", false, &f->error);
}

/* One whose name is there already is of no use. */
static int read_figures(const reader *r, const json_t *object, cpm_lesson *l)
{
    const json_t *list = json_object_get(object, "figures");
    if (!json_is_array(list))
        return wrong(r, "figures", "a list", list);
    size_t count = json_array_size(list);
    l->figure = calloc(count + 1, sizeof *l->figure);
    if (!l->figure)
        return cpm_no_memory(r->source->e);
    mod_place place = mod_inside(r->place, "figures", 0);
    for (size_t k = 0; k < count; k++) {
        const reader one = {r->source, mod_inside(place, NULL, (int)k)};
        cpm_lesson_figure f;
        int status = read_figure(&one, json_array_get(list, k), &f);
        if (status)
            return status;
        if (!cpm_lesson_figure_of(l, f.name))
            l->figure[l->count++] = f;
    }
    return CPM_OK;
}

/* ---- a lesson */

static int read_operation(const reader *r, const json_t *object, cpm_lesson *l)
{
    const char *name;
    cpm_error why = {0};
    int status = read_text(r, object, "operation", &name);
    if (status || cpm_operation_find(name, &l->operation, &why) == CPM_OK)
        return status;
    mod_place p = mod_inside(r->place, "operation", 0);
    return mod_complain(r->source, &p, "%s", why.text);
}

static int read_kind(const reader *r, const json_t *object, cpm_lesson *l)
{
    long n = 0, root = 0, from = 0, to = 0;
    int status = read_operation(r, object, l);
    if (!status)
        status = read_count(r, object, "processes", 1, CPM_MOST_PROCESSES, &n);
    if (!status)
        status = read_count(r, object, "root", 0, n - 1, &root);
    if (!status)
        status = read_count(r, object, "from", 0, LONG_MAX, &from);
    if (!status)
        status = read_count(r, object, "to", from, LONG_MAX, &to);
    l->n = (int)n;
    l->root = (int)root;
    l->least = (size_t)from;
    l->most = (size_t)to;
    l->ordered = json_is_true(json_object_get(object, "ordered"));
    return status;
}

/* Texts stay the object's. */
static int read_texts(const reader *r, const json_t *object, cpm_lesson *l)
{
    const char *hosts, *library, *version, *date;
    int status = read_text(r, object, "hosts", &hosts);
    if (!status)
        status = read_text(r, object, "mpi", &library);
    if (!status)
        status = read_text(r, object, "cpm", &version);
    if (!status)
        status = read_text(r, object, "date", &date);
    if (status)
        return status;
    mod_place p = mod_inside(r->place, "date", 0);
    if (strlen(date) >= sizeof l->date)
        return mod_complain(r->source, &p, "no date is as long as \"date\"");
    l->at = (cpm_lesson_place){(char *)hosts, (char *)library, (char *)version};
    strcpy(l->date, date);
    return CPM_OK;
}

static int read_lesson(const reader *r, const json_t *object, cpm_lessons *all)
{
    cpm_lesson l = {0};
    if (!json_is_object(object))
        return mod_complain(r->source, &r->place, "expected a lesson, found %s", mod_kind(object));
    int status = read_kind(r, object, &l);
    if (!status)
        status = read_texts(r, object, &l);
    if (!status)
        status = read_figures(r, object, &l);
    if (!status)
        status = cpm_lessons_add(all, &l, NULL);
    free(l.figure);
    return status == CPM_EINVAL ? CPM_OK /* as many as there may be */ : status;
}

/* ---- a whole file */

/* The first failure is the file's. */
static int read_all(const mod_source *s, const json_t *root, cpm_lessons *all)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *list = json_object_get(root, "lessons");
    const json_t *version = json_object_get(root, "version");
    if (!format || strcmp(format, "cpm table") != 0 || !json_is_integer(version) ||
        !json_is_array(list))
        return cpm_fail(s->e, CPM_EINVAL, "%s: not a tuning-history file", s->where);
    if (json_integer_value(version) != 1)
        return cpm_fail(s->e, CPM_EINVAL, "%s: version %lld of this format is not known, only 1",
                        s->where, (long long)json_integer_value(version));
    const mod_place place = mod_top("lessons");
    int status = CPM_OK;
    for (size_t k = 0; k < json_array_size(list) && status != CPM_ENOMEM; k++) {
        const reader r = {s, mod_inside(place, NULL, (int)k)};
        int one = read_lesson(&r, json_array_get(list, k), all);
        status = status && one != CPM_ENOMEM ? status : one;
    }
    return status;
}

/* ---- what is left of one */

/* Of other lines nothing is said: that the file is damaged was. */
static void read_line(const char *line, size_t length, cpm_lessons *all)
{
    while (length && strchr(" \t\r,", line[length - 1]))
        length--;
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    const mod_source s = {"", "", NULL};
    const reader r = {&s, mod_top("lessons")};
    if (object)
        read_lesson(&r, object, all);
    json_decref(object);
}

static bool is_beginning(const char *text, size_t size)
{
    size_t length = strlen(lessons_head);
    return memcmp(text, lessons_head, size < length ? size : length) == 0;
}

static int read_rest(const char *text, size_t size, const char *where, const json_error_t *why,
                     cpm_lessons *all, cpm_error *e)
{
    const char *end = text + size;
    if (!is_beginning(text, size))
        return cpm_fail(e, CPM_EINVAL, "%s: not a tuning-history file", where);
    for (const char *line = text, *next; line < end; line = next) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        next = stop ? stop + 1 : end;
        read_line(line, (size_t)((stop ? stop : end) - line), all);
    }
    return cpm_fail(e, CPM_EPARSE, "%s:%d: %s", where, why->line > 0 ? why->line : 1, why->text);
}

int cpm_lessons_unpack(const char *text, size_t size, const char *where, cpm_lessons *all,
                       cpm_error *e)
{
    json_error_t why;
    if (!size)
        return CPM_OK;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    if (!root)
        return read_rest(text, size, where, &why, all, e);
    int status = read_all(&(mod_source){where, text, e}, root, all);
    json_decref(root);
    return status;
}
