/* Reading lessons: a whole file by jansson; of one that is damaged each line that still is a
 * lesson.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/numbers.h"
#include "history/tuning_history_form.h"

/* ---- figures */

static int read_figure(const cpm_json *at, cpm_lesson_figure *f)
{
    const char *name;
    *f = (cpm_lesson_figure){.out = json_is_true(json_object_get(at->value, "out"))};
    const cpm_json_field fields[] = {
        {"algorithm", CPM_JSON_STRING, .out = &name},
        {"calls", CPM_JSON_LONG, &f->calls, .least = 1, .most = INT_MAX},
        {"seconds", CPM_JSON_REAL, .out = &f->seconds},
        {"ratio", CPM_JSON_REAL, &f->ratio, .optional = true},
        {"error", CPM_JSON_REAL, &f->error, .optional = true},
        {0}};
    const cpm_json algorithm = cpm_json_member(at, "algorithm");
    int status = cpm_json_fields(at, fields);
    if (status)
        return status;
    if (strlen(name) >= sizeof f->name || !*name)
        return cpm_json_complain(&algorithm, "no algorithm has such a name");
    strcpy(f->name, name);
    return CPM_OK;
}

/* One whose name is there already is of no use. */
static int read_figures(const cpm_json *list, cpm_tuning_record *l)
{
    size_t count = json_array_size(list->value);
    l->figure = calloc(count + 1, sizeof *l->figure);
    if (!l->figure)
        return cpm_no_memory(list->of->e);
    for (size_t k = 0; k < count; k++) {
        const cpm_json one = cpm_json_element(list, (int)k);
        cpm_lesson_figure f;
        int status = read_figure(&one, &f);
        if (status)
            return status;
        if (!cpm_lesson_figure_of(l, f.name))
            l->figure[l->count++] = f;
    }
    return CPM_OK;
}

/* ---- a lesson */

/* What depends on how many processes and bytes there are. */
static int read_limited(const cpm_json *at, cpm_tuning_record *l)
{
    const cpm_json_field fields[] = {
        {"root", CPM_JSON_INT, &l->root, .most = l->n - 1},
        {"to", CPM_JSON_SIZE, &l->most, .least = (long)l->least, .most = LONG_MAX},
        {0}};
    return cpm_json_fields(at, fields);
}

/* Texts stay the value's. */
static int read_members(const cpm_json *at, cpm_tuning_record *l, cpm_json *figures)
{
    const char *operation, *date;
    const cpm_json_field fields[] = {
        {"operation", CPM_JSON_STRING, .out = &operation},
        {"processes", CPM_JSON_INT, &l->n, .least = 1, .most = CPM_MOST_PROCESSES},
        {"from", CPM_JSON_SIZE, &l->least, .most = LONG_MAX},
        {"hosts", CPM_JSON_STRING, .out = &l->at.hosts},
        {"mpi", CPM_JSON_STRING, .out = &l->at.library},
        {"cpm", CPM_JSON_STRING, .out = &l->at.version},
        {"date", CPM_JSON_STRING, .out = &date},
        {"figures", CPM_JSON_LIST, .out = figures},
        {0}};
    const cpm_json at_operation = cpm_json_member(at, "operation"),
                   at_date = cpm_json_member(at, "date");
    cpm_error why = {0};
    int status = cpm_json_fields(at, fields);
    if (status)
        return status;
    if (cpm_operation_find(operation, &l->operation, &why))
        return cpm_json_complain(&at_operation, "%s", why.text);
    if (strlen(date) >= sizeof l->date)
        return cpm_json_complain(&at_date, "no date is as long as \"date\"");
    strcpy(l->date, date);
    l->ordered = json_is_true(json_object_get(at->value, "ordered"));
    return read_limited(at, l);
}

static int read_lesson(const cpm_json *at, cpm_tuning_history *all)
{
    cpm_tuning_record l = {0};
    cpm_json figures;
    if (!json_is_object(at->value))
        return cpm_json_expected(at, "a lesson");
    int status = read_members(at, &l, &figures);
    if (!status)
        status = read_figures(&figures, &l);
    if (!status)
        status = cpm_tuning_history_add(all, &l, NULL);
    free(l.figure);
    return status == CPM_EINVAL ? CPM_OK /* as many as there may be */ : status;
}

/* ---- a whole file */

/* The first failure is the file's. */
static int read_all(const cpm_json *root, cpm_tuning_history *all)
{
    const cpm_json_text *text = root->of;
    const cpm_json list = cpm_json_member(root, "lessons");
    const char *format = json_string_value(json_object_get(root->value, "format"));
    const json_t *version = json_object_get(root->value, "version");
    if (!format || strcmp(format, "cpm table") != 0 || !json_is_integer(version) ||
        !json_is_array(list.value))
        return cpm_fail(text->e, CPM_EINVAL, "%s: not a tuning-history file", text->where);
    if (json_integer_value(version) != 1)
        return cpm_fail(text->e, CPM_EINVAL, "%s: version %lld of this format is not known, only 1",
                        text->where, (long long)json_integer_value(version));
    int status = CPM_OK;
    for (size_t k = 0; k < json_array_size(list.value) && status != CPM_ENOMEM; k++) {
        const cpm_json lesson = cpm_json_element(&list, (int)k);
        int one = read_lesson(&lesson, all);
        status = status && one != CPM_ENOMEM ? status : one;
    }
    return status;
}

/* ---- what is left of one */

/* Of other lines nothing is said: that the file is damaged was. */
static void read_line(const char *line, size_t length, cpm_tuning_history *all)
{
    while (length && strchr(" \t\r,", line[length - 1]))
        length--;
    const cpm_json_text t = {"", "", NULL};
    const cpm_json lesson = {.of = &t,
                             .value = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL)};
    if (lesson.value)
        read_lesson(&lesson, all);
    json_decref(lesson.value);
}

static bool is_beginning(const char *text, size_t size)
{
    size_t length = strlen(lessons_head);
    return memcmp(text, lessons_head, size < length ? size : length) == 0;
}

static int read_rest(const char *text, size_t size, const char *where, const json_error_t *why,
                     cpm_tuning_history *all, cpm_error *e)
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

int cpm_tuning_history_unpack(const char *text, size_t size, const char *where,
                              cpm_tuning_history *all, cpm_error *e)
{
    json_error_t why;
    if (!size)
        return CPM_OK;
    const cpm_json_text t = {where, text, e};
    const cpm_json root = {.of = &t, .value = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why)};
    if (!root.value)
        return read_rest(text, size, where, &why, all, e);
    int status = read_all(&root, all);
    json_decref(root.value);
    return status;
}
