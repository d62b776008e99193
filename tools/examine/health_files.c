/* JUnit's form is that of Ant's junit task, which build servers read; metrics are in Prometheus'
 * text format, for the textfile collector of its node exporter. */
#include "tools/examine/health_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "tools/frame/unfinished.h"

static int count_absent(const health_result *r)
{
    int count = 0;
    for (int j = 0; j < r->of->n; j++)
        count += r->absent[j];
    return count;
}

/* ---- JUnit */

enum { PARTS = 3 };

typedef struct {
    const char *name;
    checkup_part part;
    char *says;
} junit_case;

static void put_absent(FILE *out, const health_result *r)
{
    int count = 0;
    for (int j = 0; j < r->of->n; j++)
        if (r->absent[j])
            fprintf(out, "%shost %s does not take part", count++ ? "; " : "", r->of->hosts[j]);
}

static void put_part(FILE *out, const health_result *r, int part)
{
    if (part == 0)
        put_absent(out, r);
    else if (!r->x)
        fputs(r->line, out);
    else if (part == 1)
        checkup_put_each_other(out, r->x);
    else
        checkup_put_reference(out, r->x);
}

static int make_case(const health_result *r, int part, junit_case *k, cpm_error *e)
{
    static const char *const names[PARTS] = {"hosts take part", "against each other",
                                             "against the reference"};
    size_t size;
    *k = (junit_case){.name = names[part], .part = CHECKUP_NOT_TOLD};
    if (part == 0)
        k->part = count_absent(r) ? CHECKUP_FOUND : CHECKUP_WELL;
    else if (r->x)
        k->part = part == 1 ? checkup_of_each_other(r->x) : checkup_of_reference(r->x);
    FILE *out = open_memstream(&k->says, &size);
    if (!out)
        return cpm_no_memory(e);
    put_part(out, r, part);
    return fclose(out) == 0 ? CPM_OK : cpm_no_memory(e);
}

static void put_case(FILE *out, const junit_case *k, double seconds)
{
    fprintf(out, "  <testcase classname=\"cpm.health\" name=\"%s\" time=\"%.3f\"", k->name,
            seconds);
    if (k->part == CHECKUP_WELL) {
        fputs("/>\n", out);
        return;
    }
    fprintf(out, ">\n    <%s message=\"", k->part == CHECKUP_FOUND ? "failure" : "skipped");
    cpm_put_entities(out, k->says);
    fputs("\"/>\n  </testcase>\n", out);
}

static void put_suite(FILE *out, const health_result *r, const junit_case *k)
{
    int of[CHECKUP_NOT_TOLD + 1] = {0};
    for (int part = 0; part < PARTS; part++)
        of[k[part].part]++;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"cpm health\" tests=\"%d\" failures=\"%d\" errors=\"0\" "
            "skipped=\"%d\" time=\"%.3f\">\n  <properties>\n    <property name=\"reference\" "
            "value=\"",
            PARTS, of[CHECKUP_FOUND], of[CHECKUP_NOT_TOLD], r->seconds);
    cpm_put_entities(out, r->reference);
    fputs("\"/>\n  </properties>\n", out);
    for (int part = 0; part < PARTS; part++)
        put_case(out, &k[part], part ? 0 : r->seconds);
    fputs("  <system-out>", out);
    cpm_put_entities(out, r->line);
    fputs("</system-out>\n</testsuite>\n", out);
}

int health_write_junit(const health_result *r, const char *path, cpm_error *e)
{
    junit_case k[PARTS] = {0};
    cpm_new_file out;
    int status = CPM_OK;
    for (int part = 0; part < PARTS && !status; part++)
        status = make_case(r, part, &k[part], e);
    if (!status)
        status = unfinished_file_open(&out, path, CPM_FILE_JUNIT, e);
    if (!status) {
        put_suite(out.stream, r, k);
        status = unfinished_file_close(&out, CPM_OK, e);
    }
    for (int part = 0; part < PARTS; part++)
        free(k[part].says);
    return status;
}

/* ---- Prometheus */

/* The value of a label. */
static void put_label(FILE *out, const char *name, const char *value)
{
    char piece[CPM_SHOWN_PIECE];
    fprintf(out, "%s=\"", name);
    while (*value) {
        value += cpm_escape_next(value, piece);
        for (const char *c = piece; *c; c++)
            fprintf(out, *c == '\\' || *c == '"' ? "\\%c" : "%c", *c);
    }
    fputc('"', out);
}

static void put_head(FILE *out, const char *name, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void put_metric(FILE *out, const health_result *r, const char *name, const char *help,
                       double value)
{
    put_head(out, name, help);
    fprintf(out, "%s{", name);
    put_label(out, "reference", r->reference);
    fprintf(out, "} %.15g\n", value);
}

static void put_hosts(FILE *out, const health_result *r)
{
    if (!count_absent(r))
        return;
    put_head(out, "cpm_health_host_absent", "A host of the reference that did not take part.");
    for (int j = 0; j < r->of->n; j++) {
        if (!r->absent[j])
            continue;
        fputs("cpm_health_host_absent{", out);
        put_label(out, "reference", r->reference);
        fputc(',', out);
        put_label(out, "host", r->of->hosts[j]);
        fputs("} 1\n", out);
    }
}

/* One parameter of one process over that of the reference: in the regime where it grew most. */
static double ratio_of(const checkup *x, int p, int i)
{
    const cpm_model *a = x->aligned, *b = x->run;
    int slices = cpm_parameter_slices(a, p), other = cpm_parameter_slices(b, p);
    double most = NAN;
    for (int s = 0; s < slices && s < other && (slices == other || s == 0); s++) {
        double ratio = b->value[p][cpm_place(b, s, i)] / a->value[p][cpm_place(a, s, i)];
        if (isfinite(ratio))
            most = fmax(ratio, isnan(most) ? 0 : most);
    }
    return most;
}

static void put_ratio(FILE *out, const health_result *r, int p, int i)
{
    char rank[16];
    double ratio = ratio_of(r->x, p, i);
    if (isnan(ratio))
        return;
    snprintf(rank, sizeof rank, "%d", i);
    fputs("cpm_health_parameter_ratio{", out);
    put_label(out, "reference", r->reference);
    fputc(',', out);
    put_label(out, "host", r->x->run->hosts[i]);
    fputc(',', out);
    put_label(out, "process", rank);
    fputc(',', out);
    put_label(out, "parameter", r->x->run->type->parameters[p].name);
    fprintf(out, "} %.4g\n", ratio);
}

static void put_ratios(FILE *out, const health_result *r)
{
    put_head(out, "cpm_health_parameter_ratio",
             "A parameter of a process over that of the reference; where messages have regimes "
             "the largest.");
    for (int p = 0; p < r->x->run->type->count; p++)
        if (r->x->run->type->parameters[p].shape == CPM_PROCESS &&
            cpm_health_is_time(r->x->run->type, p) && cpm_model_has_parameter(r->x->run, p) &&
            cpm_model_has_parameter(r->x->aligned, p))
            for (int i = 0; i < r->x->run->n; i++)
                put_ratio(out, r, p, i);
}

static void put_metrics(FILE *out, const health_result *r)
{
    put_metric(out, r, "cpm_health_verdict",
               "0: healthy. 3: something is slower, or a host does not take part. 4: cannot tell.",
               r->outcome);
    put_metric(out, r, "cpm_health_timestamp_seconds", "When the check ended.", (double)time(NULL));
    put_metric(out, r, "cpm_health_measuring_seconds", "How long it measured.", r->seconds);
    put_metric(out, r, "cpm_health_absent_hosts", "Hosts of the reference that did not take part.",
               count_absent(r));
    put_hosts(out, r);
    if (!r->x)
        return;
    put_metric(out, r, "cpm_health_slower_values",
               "Values that are slower than in the reference, beyond their uncertainty.",
               r->x->health.slower);
    put_metric(out, r, "cpm_health_symptoms",
               "What is slower than the others, and was not in the reference.",
               r->x->health.fresh_count);
    put_ratios(out, r);
}

int health_write_prometheus(const health_result *r, const char *path, cpm_error *e)
{
    cpm_new_file out;
    int status = unfinished_file_open(&out, path, CPM_FILE_PROMETHEUS, e);
    if (status)
        return status;
    put_metrics(out.stream, r);
    return unfinished_file_close(&out, CPM_OK, e);
}
