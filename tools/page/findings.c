/* What is found out about a cluster before anything is written of it: its health, how exact its
 * models are, and what changed from one to the next. */
#include <stdlib.h>
#include <string.h>

#include "tools/examine/doctor.h"
#include "tools/frame/pairs.h"
#include "tools/page/sections.h"

/* Only a lack of memory is the page's own failure; everything else is said on it. */
static int pass_memory(const cpm_error *why, cpm_error *e)
{
    return why->code == CPM_ENOMEM ? cpm_fail(e, why->code, "%s", why->text) : CPM_OK;
}

/* ---- models over time */

static const char *metadata_of(const page_file *f, const char *key)
{
    const char *value = cpm_metadata_get(&f->metadata, key);
    return value ? value : "";
}

/* Whether g is what f is, of another day: not another fit of the same measurements. */
static bool is_of_series(const page_file *f, const page_file *g)
{
    const char *a = metadata_of(f, "measurements_sha256"),
               *b = metadata_of(g, "measurements_sha256");
    return f->model->type == g->model->type && f->n == g->n &&
           strcmp(metadata_of(f, "method"), metadata_of(g, "method")) == 0 &&
           (f == g || !*a || strcmp(a, b) != 0);
}

/* By date, as far as they have one; else as they were given. */
static void insert(page_findings *found, const page_file *f)
{
    int at = found->models++;
    const char *date = metadata_of(f, "date");
    for (; at && *date && strcmp(metadata_of(found->model[at - 1], "date"), date) > 0; at--)
        found->model[at] = found->model[at - 1];
    found->model[at] = f;
}

static int compare_models(page_findings *found, cpm_error *e)
{
    size_t count = (size_t)found->models;
    int status = CPM_OK;
    found->step = calloc(count, sizeof *found->step);
    found->error = calloc(count, sizeof *found->error);
    if (!found->step || !found->error)
        return cpm_no_memory(e);
    for (int i = 0; i + 1 < found->models && !status; i++)
        if (diff_tell(found->model[i]->model, found->model[i + 1]->model, &found->step[i],
                      &found->error[i]))
            status = pass_memory(&found->error[i], e);
    return status;
}

/* The newest is what the page is about. */
static int find_series(page_cluster *k, page_findings *found, cpm_error *e)
{
    found->model = calloc((size_t)k->files->count, sizeof *found->model);
    if (!found->model)
        return cpm_no_memory(e);
    for (const page_file *f = NULL; (f = page_next(k, "model", f));)
        if (is_of_series(k->main, f))
            insert(found, f);
    k->main = found->model[found->models - 1];
    if (found->models > 1)
        return compare_models(found, e);
    found->models = 0;
    return CPM_OK;
}

/* ---- health */

static int diagnose(const page_cluster *k, page_findings *found, cpm_error *e)
{
    const cpm_doctor_options options = CPM_DOCTOR_DEFAULT;
    const cpm_model *m = k->main->model;
    bool later = pairs_ends(m) <= DOCTOR_MOST_ENDS;
    if (m->n > PAGE_MOST_EXAMINED) {
        cpm_fail(&found->undiagnosed, CPM_EINVAL, "%d processes are not compared with each other%s",
                 m->n,
                 later ? " here: cpm doctor does, and takes its time" : ": they are too many");
        return CPM_OK;
    }
    if (cpm_diagnose(m, NULL, &options, &found->diagnosis, &found->undiagnosed))
        return pass_memory(&found->undiagnosed, e);
    found->diagnosed = true;
    return doctor_tabulate(m, &found->diagnosis, &found->findings, &found->examined, &found->health,
                           e);
}

/* ---- models against observations */

/* Models first, then observations. Returns how many. */
static int list_operands(const page_cluster *k, const char **out)
{
    static const char *const kinds[] = {"model", "measurements"};
    int count = 0;
    for (int i = 0; i < 2; i++)
        for (const page_file *f = NULL; (f = page_next(k, kinds[i], f));)
            if (page_is_comparable(k, f))
                out[count++] = f->path;
    return count;
}

static int compare(const page_cluster *k, page_findings *found, cpm_error *e)
{
    found->operand = calloc((size_t)k->files->count + 2, sizeof *found->operand);
    if (!found->operand)
        return cpm_no_memory(e);
    found->operand[0] = "cpm compare";
    found->compare = (call){.operand = (char **)found->operand + 1,
                            .operands = list_operands(k, found->operand + 1),
                            .set = &found->compare_set.shared};
    found->compared = true;
    return compare_predict(&found->compare, &found->x, &found->uncompared)
               ? pass_memory(&found->uncompared, e)
               : CPM_OK;
}

/* ---- all of it */

int page_find(page_cluster *k, page_findings *out, cpm_error *e)
{
    int status = k->main ? find_series(k, out, e) : CPM_OK;
    if (!status && k->main)
        status = diagnose(k, out, e);
    if (!status && page_has_comparable(k))
        status = compare(k, out, e);
    return status;
}

void page_findings_clear(page_findings *found)
{
    for (int i = 0; found->step && i < found->models; i++)
        diff_said_clear(&found->step[i]);
    free(found->step);
    free(found->error);
    free(found->model);
    if (found->compared)
        compare_clear(&found->x);
    free(found->operand);
    table_clear(&found->findings);
    table_clear(&found->examined);
    free(found->health);
    if (found->diagnosed)
        cpm_diagnosis_clear(&found->diagnosis);
    *found = (page_findings){0};
}
