/* What a fit says of classes: who is in them, and who does not belong there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rank_tests.h"
#include "estimators/classes.h"
#include "estimators/outliers.h"

/* Chance of naming anybody where all are like their class. */
static const double alpha = 0.01;
/* Means of residuals that are nearer together are alike: whoever met an odd one is a little off. */
static const double least_spread = 5e-3;

/* " on host n7", or nothing where hosts are not known. */
static void name_host(const cpm_measurements *m, int rank, char *text, size_t size)
{
    const char *word = cpm_metadata_get(&m->metadata, "hosts");
    for (int i = 0; word && i < rank; i++) {
        word = strchr(word, ' ');
        word = word ? word + 1 : NULL;
    }
    int length = word ? (int)strcspn(word, " ") : 0;
    snprintf(text, size, "%s%.*s", length ? " on host " : "", length, word ? word : "");
}

/* Ranks as in "0-15,17"; what does not fit is "...". */
static void list_members(const cpm_classes *c, int class, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < c->n; i++) {
        int last = i;
        if (c->of[i] != class)
            continue;
        while (last + 1 < c->n && c->of[last + 1] == class)
            last++;
        if (used + 32 > size) {
            snprintf(text + used, size - used, "...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%d", used ? "," : "", i);
        if (last > i)
            used += (size_t)snprintf(text + used, size - used, "-%d", last);
        i = last;
    }
}

static int note_class(bool found, const cpm_measurements *measured, int class, cpm_model *m,
                      cpm_error *e)
{
    const cpm_classes *c = &m->classes;
    char members[200], host[80];
    list_members(c, class, members, sizeof members);
    name_host(measured, (int)strtol(members, NULL, 10), host, sizeof host);
    if (found && c->members[class] == 1)
        return cpm_note(&m->notes, e, "process %s%s is like no other: it is class %s", members,
                        host, c->name[class]);
    return cpm_note(&m->notes, e, "class %s: %d processes (%s)", c->name[class], c->members[class],
                    members);
}

int cpm_note_classes(bool found, const cpm_measurements *measured, cpm_model *m, cpm_error *e)
{
    int status = CPM_OK;
    for (int class = 0; class < m->classes.count && !status; class ++)
        status = note_class(found, measured, class, m, e);
    return status;
}

/* ---- who does not belong */

/* Mean residual of all experiments of each process; a train's sink has no part in its time. */
static void mean_residuals(const cpm_measurement *const *used, const double *residual, int count,
                           double *mean, int *experiments, int n)
{
    for (int i = 0; i < n; i++) {
        mean[i] = 0;
        experiments[i] = 0;
    }
    for (int q = 0; q < count; q++) {
        const cpm_experiment *x = &used[q]->what;
        int who[] = {x->i, x->k >= 0 ? x->k : x->j};
        for (int r = 0; r < 2; r++) {
            mean[who[r]] += residual[q];
            experiments[who[r]]++;
        }
    }
    for (int i = 0; i < n; i++)
        mean[i] /= experiments[i] ? experiments[i] : 1;
}

static int note_odd_one(const cpm_measurements *measured, int i, double mean, double p,
                        cpm_model *m, cpm_error *e)
{
    char host[80];
    name_host(measured, i, host, sizeof host);
    return cpm_note(
        &m->notes, e,
        "process %d%s does not belong to class %s: its experiments take %.1f %% %s than "
        "the fit, on average (p = %.1g)",
        i, host, m->classes.name[m->classes.of[i]], 100 * fabs(mean), mean > 0 ? "longer" : "less",
        p);
}

int cpm_note_odd_ones(const cpm_measurement *const *used, const double *residual, int count,
                      const cpm_measurements *measured, cpm_model *m, cpm_error *e)
{
    size_t n = (size_t)m->n;
    double *mean = malloc(2 * n * sizeof *mean);
    cpm_score_basis basis;
    int *experiments = malloc(n * sizeof *experiments);
    cpm_score *score = malloc(n * sizeof *score);
    int status = mean && experiments && score ? CPM_OK : cpm_no_memory(e);
    if (!status) {
        mean_residuals(used, residual, count, mean, experiments, m->n);
        status = cpm_scores(mean, NULL, m->n, 0, m->n / 4, least_spread, score, &basis, e);
    }
    for (size_t i = 0; !status && i < n; i++)
        mean[n + i] = score[i].p;
    if (!status)
        status = cpm_holm(mean + n, m->n, e);
    for (int i = 0; !status && i < m->n; i++)
        if (mean[n + (size_t)i] < alpha)
            status = note_odd_one(measured, i, mean[i], mean[n + (size_t)i], m, e);
    free(mean);
    free(experiments);
    free(score);
    return status;
}
