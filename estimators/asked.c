#include "estimators/asked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "measurements/resume.h"

static const char usual[] = "usual", automatic[] = "auto", saturation[] = "saturation",
                  trips[] = "roundtrips";

/* ---- to a header */

static int describe_classes(const cpm_estimation *options, cpm_metadata *metadata, cpm_error *e)
{
    char *line = NULL;
    if (options->find_classes)
        return cpm_metadata_set(metadata, e, "classes", "%s", automatic);
    if (!options->class_rules)
        return CPM_OK;
    int status = cpm_class_rules_line(options->class_rules, &line, e);
    if (!status)
        status = cpm_metadata_set(metadata, e, "classes", "%s", line);
    free(line);
    return status;
}

int cpm_asked_describe(const cpm_estimator *estimator, const cpm_estimation *options,
                       cpm_metadata *metadata, cpm_error *e)
{
    bool classes = options->find_classes || options->class_rules;
    int status =
        cpm_metadata_set(metadata, e, "design", "%s, %s%s%s", estimator->model, estimator->method,
                         classes ? ", classes" : "", options->thresholds ? "" : CPM_DESIGN_WITHOUT);
    if (!status)
        status = options->sizes.count ? cpm_sizes_describe(&options->sizes, metadata, e)
                                      : cpm_metadata_set(metadata, e, "sizes", "%s", usual);
    if (!status)
        status = describe_classes(options, metadata, e);
    if (!status && strcmp(estimator->model, "plogp") == 0)
        status = cpm_metadata_set(metadata, e, "gap", "%s",
                                  options->gap_saturation ? saturation : trips);
    return status;
}

/* ---- from a header */

static int complete_sizes(const char *said, const char *name, cpm_estimation *options,
                          cpm_asked *out, cpm_error *e)
{
    cpm_error why = {0};
    if (!said || options->sizes.count || strcmp(said, usual) == 0)
        return CPM_OK;
    int status = cpm_sizes_of_text(said, &out->sizes, &why);
    options->sizes = out->sizes;
    return status ? cpm_fail(e, status, "%s: '# sizes:' of its header: %s", name, why.text)
                  : CPM_OK;
}

static int complete_classes(const char *said, const char *name, cpm_estimation *options,
                            cpm_asked *out, cpm_error *e)
{
    if (!said || options->class_rules || options->find_classes)
        return CPM_OK;
    options->find_classes = strcmp(said, automatic) == 0;
    if (options->find_classes)
        return CPM_OK;
    cpm_error why = {0};
    int status =
        cpm_class_rules_of_line(said, "'# classes:' of its header, rule", &out->rules, &why);
    options->class_rules = out->rules;
    return status ? cpm_fail(e, status, "%s: %s", name, why.text) : CPM_OK;
}

/* "..., confidence 0.95, ..." */
double cpm_asked_confidence(const cpm_metadata *header)
{
    static const char before[] = "confidence ";
    const char *precision = cpm_metadata_get(header, "precision");
    const char *said = precision ? strstr(precision, before) : NULL;
    char word[32] = "";
    double value;
    if (said)
        snprintf(word, sizeof word, "%.*s", (int)strcspn(said + sizeof before - 1, ", "),
                 said + sizeof before - 1);
    bool good = cpm_number_parse(word, &value) && value > 0 && value < 1;
    return good ? value : CPM_ESTIMATION_DEFAULT.confidence;
}

int cpm_asked_complete(const cpm_metadata *header, const char *name, cpm_estimation *options,
                       cpm_asked *out, cpm_error *e)
{
    const char *design = cpm_metadata_get(header, "design"), *gap = cpm_metadata_get(header, "gap");
    *out = (cpm_asked){0};
    if (design && strstr(design, CPM_DESIGN_WITHOUT))
        options->thresholds = false;
    if (gap && !options->gap_chosen)
        options->gap_saturation = strcmp(gap, saturation) == 0;
    if (!(options->confidence > 0))
        options->confidence = cpm_asked_confidence(header);
    int status = complete_sizes(cpm_metadata_get(header, "sizes"), name, options, out, e);
    return status ? status
                  : complete_classes(cpm_metadata_get(header, "classes"), name, options, out, e);
}

void cpm_asked_clear(cpm_asked *a)
{
    cpm_sizes_free(&a->sizes);
    cpm_class_rules_free(a->rules);
    *a = (cpm_asked){0};
}

void cpm_asked_estimator(const cpm_metadata *header, char *model, char *method, size_t size)
{
    const char *design = cpm_metadata_get(header, "design");
    const char *second = design ? strchr(design, ',') : NULL;
    snprintf(model, size, "%.*s", design ? (int)strcspn(design, ",") : 0, design ? design : "");
    second = second ? second + 1 + strspn(second + 1, " ") : "";
    snprintf(method, size, "%.*s", (int)strcspn(second, ","), second);
}
