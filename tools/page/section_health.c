/* What cpm doctor says, with a picture where it found something. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/examine/doctor.h"
#include "tools/examine/doctor_plot.h"
#include "tools/frame/pairs.h"
#include "tools/page/sections.h"

/* Maps of more hosts are too large in a picture of its own; all pairs of more processes take long.
 */
enum { MOST_DRAWN = 64, MOST_EXAMINED = 1024 };

static int draw(const page_cluster *k, const cpm_diagnosis *d, cpm_error *e)
{
    char output[PATH_MAX + 16];
    cpm_error why = {0};
    if (!d->count || d->model->n > MOST_DRAWN)
        return CPM_OK;
    snprintf(output, sizeof output, "%s/picture.svg", k->folder);
    int status = doctor_plot(k->main->path, output, d, &why);
    if (!status)
        return page_figure(
            k, output, "Hosts and links against each other; crosses are findings",
            (const char *const[]){"cpm doctor", k->main->path, "-o", "doctor.svg", NULL}, e);
    return page_without_picture(k, &why, e);
}

typedef struct {
    table findings, compared;
    char *verdict;
} told;

static void write_verdict(const page_cluster *k, const cpm_diagnosis *d, const char *verdict)
{
    const char *kind = d->count ? "bad" : cpm_diagnosis_could_tell(d) ? "good" : "note";
    fprintf(k->out, "<p class=\"%s\">", kind);
    html_text(k->out, verdict);
    fputs("</p>\n", k->out);
}

static int write_diagnosis(const page_cluster *k, const cpm_diagnosis *d, told *t, cpm_error *e)
{
    int status = doctor_tabulate(k->main->model, d, &t->findings, &t->compared, &t->verdict, e);
    if (status)
        return status;
    write_verdict(k, d, t->verdict);
    if (d->count)
        status = html_table(k->out, &t->findings, "What is unlike the rest", e);
    fputs("<ul>\n", k->out);
    html_items(k->out, d->notes);
    fputs("</ul>\n", k->out);
    if (!status)
        status = draw(k, d, e);
    if (!status)
        status = html_table(
            k->out, &t->compared,
            "What was compared; found from: what is so many times the others' is found in "
            "19 of 20 cases",
            e);
    page_command(k, "Made by ", (const char *const[]){"cpm doctor", k->main->path, NULL});
    return status;
}

int page_health(const page_cluster *k, cpm_error *e)
{
    const cpm_doctor_options options = CPM_DOCTOR_DEFAULT;
    cpm_diagnosis d = {0};
    told t = {0};
    cpm_error why = {0};
    if (k->main->model->n > MOST_EXAMINED) {
        bool later = pairs_ends(k->main->model) <= DOCTOR_MOST_ENDS;
        html_element(k->out, "p class=\"note\"", "%d processes are not compared with each other%s.",
                     k->main->model->n,
                     later ? " here: cpm doctor does, and takes its time" : ": they are too many");
        return CPM_OK;
    }
    int status = cpm_diagnose(k->main->model, NULL, &options, &d, &why);
    status = status ? page_without(k, "Cannot tell", &why, e) : write_diagnosis(k, &d, &t, e);
    table_clear(&t.findings);
    table_clear(&t.compared);
    free(t.verdict);
    cpm_diagnosis_clear(&d);
    return status;
}
