/* The schedule files that this process knows. */
#include "collectives/schedule_file.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text_file.h"
#include "base/vector.h"
#include "collectives/msccl/msccl.h"

typedef struct {
    char *name; /* "@path" */
    char *text; /* what the file says, as a list of messages */
    cpm_messages messages;
    cpm_algorithm row;
} known_file;

static struct {
    pthread_mutex_t lock;
    known_file **at; /* rows stay where they are */
    int64_t count, capacity;
    bool closed;
    char *failed;      /* the path that could not be read last */
    cpm_error failure; /* and why */
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void free_file(known_file *f)
{
    if (!f)
        return;
    free(f->name);
    free(f->text);
    cpm_messages_clear(&f->messages);
    free(f);
}

static int check_path(const char *path, cpm_error *e)
{
    size_t length = strlen(path);
    if (!length || length > CPM_SCHEDULE_PATH)
        return cpm_fail(e, CPM_EINVAL, "@%s: a schedule is named by a path of 1 to %d bytes", path,
                        CPM_SCHEDULE_PATH);
    if (path[strcspn(path, " \t\n,:;")])
        return cpm_fail(e, CPM_EINVAL,
                        "@%s: the path of a schedule has no blanks, commas, colons and semicolons",
                        path);
    return CPM_OK;
}

static bool put_messages(FILE *f, const void *messages)
{
    cpm_schedule_print(messages, NULL, f);
    return true;
}

/* Reads and proves a file. Of XML other processes get the list, which is shorter and read in less
 * memory. */
static int read_known(cpm_lines *lines, known_file *f, bool *ordered, cpm_error *e)
{
    bool xml = cpm_msccl_is_xml(lines->text);
    f->text = xml ? NULL : strdup(lines->text);
    if (!xml && !f->text)
        return cpm_no_memory(e);
    int status = cpm_schedule_read(lines, &f->messages, ordered, e);
    if (!status && xml)
        f->text = cpm_text_by(put_messages, &f->messages);
    return !status && !f->text ? cpm_no_memory(e) : status;
}

/* Takes lines, of which name is the path. */
static int add(cpm_lines *lines, const char *path, cpm_error *e)
{
    known_file *f = calloc(1, sizeof *f);
    bool ordered = false;
    size_t size = strlen(path) + 2;
    int status =
        f && cpm_vector_reserve(&known.at, &known.capacity, known.count + 1, sizeof(known_file *))
            ? CPM_OK
            : cpm_no_memory(e);
    if (!status && !(f->name = malloc(size)))
        status = cpm_no_memory(e);
    if (!status) {
        snprintf(f->name, size, "@%s", path);
        status = read_known(lines, f, &ordered, e);
    }
    if (status) {
        free_file(f);
        return status;
    }
    f->row = cpm_messages_row(&f->messages, f->name);
    if (ordered)
        f->row.properties &= ~(unsigned)CPM_REORDERS;
    known.at[known.count++] = f;
    return CPM_OK;
}

/* No pipe that would be waited for, and no device without an end. */
static int check_file(const char *path, cpm_error *e)
{
    struct stat s;
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return cpm_fail(e, CPM_EIO, "%s: cannot be read: not a regular file", path);
    return CPM_OK;
}

static int not_read(const char *path, cpm_error *e)
{
    if (known.failed && strcmp(known.failed, path) == 0)
        return cpm_fail(e, known.failure.code, "%s", known.failure.text);
    return cpm_fail(e, CPM_EINVAL,
                    "@%s: process 0 has not read it when the program began, as it does what "
                    "--force, --rules and --table name",
                    path);
}

static int read_file(const char *path, cpm_error *e)
{
    cpm_lines lines = {0};
    cpm_error why = {0};
    if (known.closed)
        return not_read(path, e);
    int status = check_path(path, &why);
    if (!status)
        status = check_file(path, &why);
    if (!status)
        status = cpm_lines_open(&lines, path, &why);
    if (!status)
        status = add(&lines, path, &why);
    cpm_lines_close(&lines);
    if (!status)
        return CPM_OK;
    free(known.failed);
    known.failed = strdup(path);
    known.failure = why;
    return cpm_fail(e, status, "%s", why.text);
}

static known_file *find(const char *path)
{
    for (int64_t k = 0; k < known.count; k++)
        if (strcmp(known.at[k]->name + 1, path) == 0)
            return known.at[k];
    return NULL;
}

int cpm_schedule_file_find(const cpm_operation *operation, const char *path,
                           const cpm_algorithm **out, cpm_error *e)
{
    pthread_mutex_lock(&known.lock);
    known_file *f = find(path);
    int status = f ? CPM_OK : read_file(path, e);
    if (!f && !status)
        f = known.at[known.count - 1];
    pthread_mutex_unlock(&known.lock);
    if (status)
        return status;
    if (!cpm_algorithm_serves(&f->row, operation))
        return cpm_fail(e, CPM_EINVAL, "%s: it is a schedule of %s, not of %s", path,
                        f->row.operation, operation->name);
    *out = &f->row;
    return CPM_OK;
}

int cpm_schedule_file_number(const cpm_algorithm *row)
{
    pthread_mutex_lock(&known.lock);
    int number = 0;
    while (number < known.count && &known.at[number]->row != row)
        number++;
    pthread_mutex_unlock(&known.lock);
    return number;
}

const cpm_algorithm *cpm_schedule_file_numbered(int number)
{
    pthread_mutex_lock(&known.lock);
    const cpm_algorithm *row = number < known.count ? &known.at[number]->row : NULL;
    pthread_mutex_unlock(&known.lock);
    return row;
}

/* ---- to other processes */

/* For each file its path and its text, with a zero behind both. */
static void put_all(FILE *f)
{
    for (int64_t k = 0; k < known.count; k++) {
        fprintf(f, "%s", known.at[k]->name + 1);
        fputc('\0', f);
        fprintf(f, "%s", known.at[k]->text);
        fputc('\0', f);
    }
}

int cpm_schedule_files_pack(char **text, size_t *size, cpm_error *e)
{
    *text = NULL;
    *size = 0;
    FILE *f = open_memstream(text, size);
    if (!f)
        return cpm_no_memory(e);
    put_all(f);
    bool failed = ferror(f);
    if (fclose(f) || failed) {
        free(*text);
        return cpm_no_memory(e);
    }
    return CPM_OK;
}

int cpm_schedule_files_unpack(const char *text, size_t size, cpm_error *e)
{
    int status = CPM_OK;
    pthread_mutex_lock(&known.lock);
    for (size_t at = 0; at < size && !status;) {
        const char *path = text + at, *content = path + strlen(path) + 1;
        cpm_lines lines = {0};
        at = (size_t)(content - text) + strlen(content) + 1;
        status = cpm_lines_open_text(&lines, path, content, e);
        if (!status)
            status = add(&lines, path, e);
        cpm_lines_close(&lines);
    }
    pthread_mutex_unlock(&known.lock);
    return status;
}

void cpm_schedule_files_close(bool apply)
{
    pthread_mutex_lock(&known.lock);
    known.closed = true;
    for (int64_t k = 0; k < known.count && !apply; k++)
        known.at[k]->messages.n = 0;
    pthread_mutex_unlock(&known.lock);
}
