/* The verdict, which is what most readers come for: is the cluster healthy, is the model right, did
 * anything change. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/checked.h"
#include "tools/page/sections.h"

static void add(const page_cluster *k, json_t *items, const char *class, const char *title,
                json_t *text)
{
    json_t *item = block_append_list(&k->to, items);
    block_append(&k->to, item, json_string(class));
    block_append(&k->to, item, json_string(title));
    block_append(&k->to, item, text);
}

/* Without the word that the title says, too. */
static const char *without(const char *word, const char *text)
{
    return strncmp(text, word, strlen(word)) == 0 ? text + strlen(word) : text;
}

/* "1 found among 16 hosts: graphene-6: ...". */
static json_t *print_faults(const page_findings *f)
{
    enum { WHO, WHAT, COLUMNS };
    char *const *first = f->findings.count >= 2 * COLUMNS ? f->findings.cell + COLUMNS : NULL;
    return first ? block_print("%s; first %s: %s", f->health, first[WHO], first[WHAT])
                 : block_text_of(f->health);
}

static void add_health(const page_cluster *k, json_t *items)
{
    const page_findings *f = k->found;
    if (!f->diagnosed)
        add(k, items, "note", "Health: cannot tell", block_text_of(f->undiagnosed.text));
    else if (f->diagnosis.count)
        add(k, items, "bad", "Faults found", print_faults(f));
    else if (cpm_diagnosis_could_tell(&f->diagnosis))
        add(k, items, "good", "Healthy", block_text_of(without("healthy: ", f->health)));
    else
        add(k, items, "note", "Health: cannot tell",
            block_text_of(without("cannot tell: ", f->health)));
}

static void add_check(const page_cluster *k, json_t *items)
{
    char text[CPM_CHECKED_TEXT];
    cpm_checked c;
    if (!cpm_checked_of(&k->main->metadata, &c)) {
        add(k, items, "note", "The model was not checked",
            block_text_of("cpm model measures collectives besides, and compares them with the "
                          "model; of this one there is no such check"));
        return;
    }
    bool bad = cpm_checked_is_bad(&c);
    add(k, items, bad ? "bad" : "good", bad ? "The model does not fit" : "The model fits",
        block_print("In its own check, of %d collectives that nothing was fitted to, it was %s%s",
                    c.count, cpm_checked_text(&c, text),
                    bad ? ". It does not describe its machine" : ""));
}

/* That of the main model; NULL: it is not among them. */
static const predictor *predictor_of(const page_cluster *k, const comparison *x)
{
    for (int m = 0; m < x->in.models; m += 2)
        for (int p = 0; p < x->predictors; p++)
            if (x->by[p].model == x->in.model[m] && x->in.file[m] == k->main->path)
                return &x->by[p];
    return NULL;
}

/* Against what was observed besides. */
static void add_observed(const page_cluster *k, json_t *items)
{
    const comparison *x = &k->found->x;
    const predictor *p =
        k->found->compared && !k->found->uncompared.code ? predictor_of(k, x) : NULL;
    double error = p ? compare_mean_error(x, p, NULL) : NAN;
    if (!isnan(error))
        add(k, items, "fact", "Predictions and observations",
            block_print("%d observations of %d algorithms: %s is off by %.1f %% on average",
                        x->in.count, x->in.which.count, p->label, 100 * error));
}

/* The newest model against the one before it, with the most significant change. */
static void add_change(const page_cluster *k, json_t *items)
{
    static const char *const classes[] = {
        [CPM_DIFF_SAME] = "good", [CPM_DIFF_CHANGED] = "bad", [CPM_DIFF_CANNOT_TELL] = "note"};
    static const char *const titles[] = {[CPM_DIFF_SAME] = "The same",
                                         [CPM_DIFF_CHANGED] = "Changed",
                                         [CPM_DIFF_CANNOT_TELL] = "Changes: cannot tell"};
    const page_findings *f = k->found;
    int last = f->models - 2;
    if (last < 0)
        return;
    const diff_said *d = &f->step[last];
    bool failed = f->error[last].code != CPM_OK;
    cpm_diff_verdict verdict = failed ? CPM_DIFF_CANNOT_TELL : d->verdict;
    const char *says = failed ? f->error[last].text : d->says;
    char *const *first = d->count ? d->changes.cell + d->changes.columns : NULL;
    char change[400] = "";
    if (first)
        snprintf(change, sizeof change, "; first: %.250s, %s to %s (%s)", first[0], first[1],
                 first[2], first[3]);
    add(k, items, classes[verdict], titles[verdict],
        block_print("Since %s: %s%s", page_base_name(f->model[last]->path),
                    without(verdict == CPM_DIFF_SAME ? "the same: " : "cannot tell: ", says),
                    change));
}

int page_verdict(const page_cluster *k, cpm_error *e)
{
    json_t *items = block_set_list(&k->to, block_add(&k->to, "verdicts"), "items");
    (void)e;
    add_health(k, items);
    add_check(k, items);
    add_change(k, items);
    add_observed(k, items);
    return CPM_OK;
}
