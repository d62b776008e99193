/* The doctor and the comparison judge; here their words become one line. */
#include "tools/examine/checkup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/examine/doctor.h"
#include "tools/frame/pairs.h"

enum { MOST_NAMES = 5 };

/* ---- comparing */

static int count_absent(const checkup *x)
{
    int count = 0;
    for (int j = 0; j < x->reference->n; j++)
        count += x->absent[j];
    return count;
}

static int align(checkup *x, cpm_error *e)
{
    int *process = malloc((size_t)x->run->n * sizeof *process);
    x->absent = calloc((size_t)x->reference->n, sizeof *x->absent);
    int status = process && x->absent ? CPM_OK : cpm_no_memory(e);
    if (!status)
        status = cpm_health_match(x->reference, (const char *const *)x->run->hosts, x->run->n,
                                  process, x->absent, e);
    for (int j = 0; j < x->reference->n && x->options.subset && !status; j++)
        x->absent[j] = false;
    if (!status)
        status = cpm_health_align(x->reference, process, x->run, &x->aligned, e);
    free(process);
    return status;
}

static int diagnose(checkup *x, cpm_error *e)
{
    cpm_doctor_options o = CPM_DOCTOR_DEFAULT;
    o.alpha = x->options.alpha / 2;
    o.least_effect = x->options.least_effect;
    o.fault = x->options.fault;
    int status = cpm_diagnose(x->run, NULL, &o, &x->today, e);
    if (status || !x->today.count) /* nothing to be looked for in the reference */
        return status;
    return cpm_diagnose(x->aligned, NULL, &o, &x->before, e);
}

static int compare(checkup *x, cpm_error *e)
{
    cpm_diff_options o = CPM_DIFF_DEFAULT;
    o.alpha = x->options.alpha / 2;
    o.least_effect = x->options.least_effect;
    int status = diff_pair_make(x->aligned, x->run, &x->pair, e);
    return status ? status : cpm_diff_models(x->pair.a, x->pair.b, &o, &x->diff, e);
}

int checkup_open(const char *reference, const char *run, const checkup_options *o, checkup *x,
                 cpm_error *e)
{
    cpm_error why = {0};
    *x = (checkup){.options = *o};
    int status = cpm_model_read(reference, &x->reference, e);
    if (!status)
        status = cpm_model_read(run, &x->run, e);
    if (!status)
        status = pairs_check(x->run, run, "compared", DOCTOR_MOST_ENDS, e);
    if (status)
        return status;
    status = align(x, &why);
    if (!status)
        status = diagnose(x, &why);
    if (!status)
        status = compare(x, &why);
    if (!status)
        status = cpm_health_judge(x->run->type, &x->today, &x->before, &x->diff, count_absent(x),
                                  &x->health, &why);
    return status ? cpm_fail(e, status, "%s: %s", reference, why.text) : CPM_OK;
}

void checkup_clear(checkup *x)
{
    cpm_health_clear(&x->health);
    cpm_diff_clear(&x->diff);
    cpm_diagnosis_clear(&x->today);
    cpm_diagnosis_clear(&x->before);
    diff_pair_clear(&x->pair);
    cpm_model_free(x->aligned);
    cpm_model_free(x->run);
    cpm_model_free(x->reference);
    free(x->absent);
    *x = (checkup){0};
}

const char *checkup_date(const cpm_model *m)
{
    const char *date = cpm_metadata_get(&m->metadata, "date");
    return date ? date : "an unknown date";
}

/* ---- of changes */

static bool is_alone(const cpm_model *m, int process)
{
    for (int i = 0; i < m->n; i++)
        if (i != process && strcmp(m->hosts[i], m->hosts[process]) == 0)
            return false;
    return true;
}

/* The name of a process, host or class of the models that were compared. */
static void put_name(FILE *out, const checkup *x, int i)
{
    const cpm_model *m = x->pair.a;
    if (x->diff.by_class)
        fputs(m->classes.name[i], out);
    else if (m->hosts[i][0] && is_alone(m, i))
        fputs(m->hosts[i], out);
    else
        fprintf(out, "%d", i);
}

static const char *kind_of(const checkup *x, int i)
{
    const cpm_model *m = x->pair.a;
    if (x->diff.by_class)
        return x->pair.hosts ? "host" : "class";
    return m->hosts[i][0] && is_alone(m, i) ? "host" : "process";
}

static void put_changed(FILE *out, const checkup *x, const cpm_change *c)
{
    const cpm_parameter *p = &x->pair.a->type->parameters[c->parameter];
    if (c->together || c->i < 0) {
        fprintf(out, "all %s",
                p->shape == CPM_PAIR ? "links"
                : x->pair.hosts      ? "hosts"
                                     : "processes");
    } else if (cpm_shape_thing(p->shape)) {
        fprintf(out, "%s %s", cpm_shape_thing(p->shape),
                cpm_model_thing(x->pair.a, p->shape, c->i));
    } else if (c->j < 0) {
        fprintf(out, "%s ", kind_of(x, c->i));
        put_name(out, x, c->i);
    } else {
        fputs("link ", out);
        put_name(out, x, c->i);
        fputs(" -> ", out);
        put_name(out, x, c->j);
    }
}

static void put_times(FILE *out, double times)
{
    fprintf(out, "%.*f times", times < 10 ? 1 : 0, times);
}

/* "latency of the network (L)": what it means, as far as it is one thing. */
static void put_parameter(FILE *out, const checkup *x, const cpm_change *c)
{
    const cpm_parameter *p = &x->pair.a->type->parameters[c->parameter];
    if (strncmp(p->meaning, "the same", strlen("the same")) == 0)
        fputs(p->name, out);
    else
        fprintf(out, "%.*s (%s)", (int)strcspn(p->meaning, ",:"), p->meaning, p->name);
    if (c->slice)
        fprintf(out, " from %zu B on", cpm_parameter_sizes(x->pair.a, c->parameter)->at[c->slice]);
}

static void put_change(FILE *out, const checkup *x, const cpm_change *c)
{
    put_parameter(out, x, c);
    if (c->from > 0) {
        fputc(' ', out);
        put_times(out, c->to / c->from);
        fputs(" that of the reference", out);
    } else {
        fputs(", which was 0 in the reference", out);
    }
}

static void put_longer_subject(FILE *out, const checkup *x)
{
    const cpm_diff_trip *t = x->health.longer;
    const cpm_model *m = x->pair.a;
    if (m->hosts[t->of.from][0])
        fprintf(out, "messages from %s to %s", m->hosts[t->of.from], m->hosts[t->of.to]);
    else
        fprintf(out, "messages from %d to %d", t->of.from, t->of.to);
}

static void put_longer(FILE *out, const checkup *x)
{
    const cpm_diff_trip *t = x->health.longer;
    fprintf(out, "%zu B take ", t->of.bytes);
    put_times(out, t->to / t->from);
    fputs(" as long as in the reference", out);
}

/* ---- of symptoms */

static const cpm_symptom *first_fresh(const checkup *x)
{
    return x->health.fresh_count ? &x->today.at[x->health.fresh[0]] : NULL;
}

/* As the doctor says it: who has that symptom, or what it is. */
static void put_told(FILE *out, const checkup *x, const cpm_symptom *s, bool who)
{
    cpm_diagnosis one = x->today;
    cpm_symptom copied = *s;
    table findings = {0}, compared = {0};
    char *verdict = NULL;
    one.at = &copied;
    one.count = 1;
    one.comparisons = 0;
    if (doctor_tabulate(x->run, &one, &findings, &compared, &verdict, NULL) == CPM_OK)
        fputs(findings.cell[who ? 2 : 3], out);
    table_clear(&findings);
    table_clear(&compared);
    free(verdict);
}

static void put_symptom(FILE *out, const checkup *x, const cpm_symptom *s, bool who)
{
    const cpm_model *m = x->today.model;
    if (who && s->kind <= CPM_WAYS && m->hosts[s->i][0] && is_alone(m, s->i))
        fprintf(out, "host %s", m->hosts[s->i]);
    else
        put_told(out, x, s, who);
}

/* ---- the line */

/* What it begins with: who does not take part, else a change of one of them, else a symptom, else
 * any change. */
typedef enum { OF_ABSENT, OF_CHANGE, OF_SYMPTOM, OF_MESSAGE, OF_NOTHING } headline;

static bool is_of_one(const checkup *x)
{
    const cpm_change *c = x->health.worst;
    return c && !c->together && c->i >= 0 && c->j < 0;
}

static headline headline_of(const checkup *x)
{
    if (x->health.absent)
        return OF_ABSENT;
    if (is_of_one(x))
        return OF_CHANGE;
    if (x->health.fresh_count)
        return OF_SYMPTOM;
    return x->health.worst ? OF_CHANGE : x->health.longer ? OF_MESSAGE : OF_NOTHING;
}

static int first_absent(const checkup *x)
{
    int j = 0;
    while (j < x->reference->n && !x->absent[j])
        j++;
    return j;
}

void checkup_put_subject(FILE *out, const checkup *x)
{
    headline of = headline_of(x);
    if (of == OF_ABSENT)
        fprintf(out, "host %s", x->reference->hosts[first_absent(x)]);
    else if (of == OF_CHANGE)
        put_changed(out, x, x->health.worst);
    else if (of == OF_SYMPTOM)
        put_symptom(out, x, first_fresh(x), true);
    else if (of == OF_MESSAGE)
        put_longer_subject(out, x);
}

/* The names of hosts that something was found of, each once. */
typedef struct {
    const char *said[MOST_NAMES + 1];
    int count;
    bool more;
} names;

static void add_name(names *n, const char *name)
{
    for (int k = 0; k < n->count; k++)
        if (strcmp(n->said[k], name) == 0)
            return;
    if (!*name || n->count > MOST_NAMES)
        n->more |= *name;
    else
        n->said[n->count++] = name;
}

static const char *name_of(const checkup *x, int i)
{
    return x->diff.by_class ? x->pair.a->classes.name[i] : x->pair.a->hosts[i];
}

static void add_changed(names *n, const checkup *x)
{
    for (const cpm_change *c = x->diff.at; c < x->diff.at + x->diff.count; c++) {
        const cpm_parameter *p = &x->pair.a->type->parameters[c->parameter];
        if (p->shape == CPM_PROCESS && !c->together && c->to > c->from &&
            cpm_health_is_time(x->run->type, c->parameter))
            add_name(n, name_of(x, c->i));
    }
}

static void add_symptoms(names *n, const checkup *x)
{
    for (int q = 0; q < x->health.fresh_count; q++) {
        const cpm_symptom *s = &x->today.at[x->health.fresh[q]];
        if (s->kind <= CPM_WAYS)
            add_name(n, x->today.model->hosts[s->i]);
    }
}

/* That of the headline first, if it is of a host. */
static names names_of(const checkup *x)
{
    names n = {0};
    for (int j = 0; j < x->reference->n; j++)
        if (x->absent[j])
            add_name(&n, x->reference->hosts[j]);
    if (is_of_one(x) &&
        x->pair.a->type->parameters[x->health.worst->parameter].shape == CPM_PROCESS)
        add_name(&n, name_of(x, x->health.worst->i));
    add_symptoms(&n, x);
    if (x->diff.verdict == CPM_DIFF_CHANGED)
        add_changed(&n, x);
    return n;
}

static char *subject_of(const checkup *x)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    checkup_put_subject(out, x);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* But for that of the subject. */
static void put_others(FILE *out, const checkup *x)
{
    names n = names_of(x);
    char *subject = subject_of(x);
    int count = 0;
    for (int k = 0; k < n.count && subject; k++)
        if (strncmp(subject, "host ", 5) != 0 || strcmp(subject + 5, n.said[k]) != 0)
            fprintf(out, "%s%s", count++ ? ", " : "; also ", n.said[k]);
    fputs(n.more ? " and more" : "", out);
    free(subject);
}

bool checkup_same_finding(const checkup *x, const checkup *other)
{
    if (x->health.verdict != CPM_UNHEALTHY || other->health.verdict != CPM_UNHEALTHY)
        return false;
    char *subject = subject_of(x), *then = subject_of(other);
    bool same = subject && then && strcmp(subject, then) == 0;
    names n = names_of(other);
    for (int k = 0; k < n.count && subject && !same; k++)
        same = strncmp(subject, "host ", 5) == 0 && strcmp(subject + 5, n.said[k]) == 0;
    free(subject);
    free(then);
    return same;
}

static void put_finding(FILE *out, const checkup *x)
{
    headline of = headline_of(x);
    checkup_put_subject(out, x);
    fputs(": ", out);
    if (of == OF_ABSENT)
        fputs("does not take part", out);
    else if (of == OF_CHANGE)
        put_change(out, x, x->health.worst);
    else if (of == OF_SYMPTOM)
        put_symptom(out, x, first_fresh(x), false);
    else if (of == OF_MESSAGE)
        put_longer(out, x);
    put_others(out, x);
}

static void put_count(FILE *out, const checkup *x)
{
    const cpm_model *m = x->today.model;
    fprintf(out, "%d %s%s", m->n, cpm_diagnosis_of_hosts(&x->today) ? "host" : "process",
            m->n == 1                           ? ""
            : cpm_diagnosis_of_hosts(&x->today) ? "s"
                                                : "es");
}

static bool lacks_intervals(const checkup *x)
{
    for (int p = 0; p < x->run->type->count; p++)
        if (x->diff.of[p].unjudged)
            return true;
    return false;
}

static const char *of_changes(const checkup *x)
{
    if (x->diff.verdict == CPM_DIFF_CANNOT_TELL && lacks_intervals(x))
        return "changes cannot be told, as the reference has values without intervals";
    return x->diff.verdict == CPM_DIFF_SAME ? "nothing changed since the reference"
           : x->diff.verdict == CPM_DIFF_CHANGED
               ? "nothing is slower than in the reference, but values changed"
               : "not every change since the reference would have been seen";
}

static void put_health(FILE *out, const checkup *x)
{
    bool healthy = x->health.verdict == CPM_HEALTHY;
    bool told = cpm_diagnosis_could_tell(&x->today);
    fputs(healthy ? "healthy: among " : "cannot tell: among ", out);
    put_count(out, x);
    fprintf(out, " a fault of %g times %s; %s", x->options.fault,
            told ? "would have been found" : "might have been missed", of_changes(x));
}

void checkup_put_line(FILE *out, const checkup *x)
{
    if (x->health.verdict == CPM_UNHEALTHY)
        put_finding(out, x);
    else
        put_health(out, x);
}

/* ---- its parts */

checkup_part checkup_of_each_other(const checkup *x)
{
    return x->health.fresh_count                 ? CHECKUP_FOUND
           : cpm_diagnosis_could_tell(&x->today) ? CHECKUP_WELL
                                                 : CHECKUP_NOT_TOLD;
}

checkup_part checkup_of_reference(const checkup *x)
{
    if (x->health.slower || x->health.trips_slower)
        return CHECKUP_FOUND;
    return x->diff.verdict == CPM_DIFF_CANNOT_TELL ? CHECKUP_NOT_TOLD : CHECKUP_WELL;
}

void checkup_put_each_other(FILE *out, const checkup *x)
{
    if (!x->health.fresh_count) {
        fprintf(out, "a fault of %g times %s", x->options.fault,
                cpm_diagnosis_could_tell(&x->today) ? "would have been found"
                                                    : "might have been missed");
        return;
    }
    for (int q = 0; q < x->health.fresh_count; q++) {
        const cpm_symptom *s = &x->today.at[x->health.fresh[q]];
        fputs(q ? "; " : "", out);
        put_symptom(out, x, s, true);
        fputs(": ", out);
        put_symptom(out, x, s, false);
    }
}

void checkup_put_reference(FILE *out, const checkup *x)
{
    if (x->health.worst) {
        put_changed(out, x, x->health.worst);
        fputs(": ", out);
        put_change(out, x, x->health.worst);
        fprintf(out, " (%d value%s slower)", x->health.slower,
                x->health.slower == 1 ? " is" : "s are");
    } else if (x->health.longer) {
        put_longer_subject(out, x);
        fputs(": ", out);
        put_longer(out, x);
        fprintf(out, " (%d message%s longer)", x->health.trips_slower,
                x->health.trips_slower == 1 ? " takes" : "s take");
    } else {
        fputs(of_changes(x), out);
    }
}
