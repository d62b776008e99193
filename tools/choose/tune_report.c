#include "tools/choose/tune_report.h"
#include "tools/frame/output.h"

#include <stdio.h>
#include <string.h>

#include "adapt/guidelines.h"
#include "base/escape.h"

static void put_name(table *t, const cpm_measurement *m)
{
    char name[CPM_COLLECTIVE_NAME];
    cpm_collective_print_algorithm(&m->what.collective, name, sizeof name);
    table_cell(t, "%s", name);
}

static void add_row(tune_report *r, const cpm_contest *x, const cpm_outcome *o, int n,
                    cpm_statistic statistic)
{
    table *t = &r->rows;
    if (!r->begun)
        table_head(t, "operation", "n", "size", "algorithm", "us", "native", "lead", "over",
                   "measured", "left out", NULL);
    r->begun = true;
    table_cell(t, "%s", x->operation->name);
    table_cell(t, "%d", n);
    table_cell(t, "%zu", x->bytes);
    put_name(t, o->winner);
    table_us(t, cpm_measurement_value(o->winner, statistic));
    table_us(t, cpm_measurement_value(o->native, statistic));
    if (o->next) {
        table_cell(t, "%.1f%%%s", 100 * o->lead, o->within_noise ? "~" : "");
        put_name(t, o->next);
    } else {
        table_cell(t, "-");
        table_cell(t, "-");
    }
    table_cell(t, "%d", o->measured);
    table_cell(t, "%d", o->dropped);
}

static void count(tune_report *r, const cpm_contest *x, const cpm_outcome *o,
                  cpm_statistic statistic)
{
    r->contests++;
    r->dropped += o->dropped;
    r->unmeasured += !o->winner;
    r->within_noise += o->within_noise;
    if (!o->winner || !(x->weight > 0))
        return;
    double own = cpm_measurement_value(o->winner, statistic);
    r->saved += x->weight * (1 - own / cpm_measurement_value(o->native, statistic));
}

/* Parameters apart. */
static void note_mended(tune_report *r, const cpm_contest *x, const cpm_collective *winner)
{
    bool known = !cpm_guideline_mended_by(winner) || r->mended_count == TUNE_REPORT_MENDED;
    for (int k = 0; k < r->mended_count && !known; k++)
        known = r->mended[k].operation == winner->operation &&
                r->mended[k].algorithm == winner->algorithm;
    if (known)
        return;
    r->mended_from[r->mended_count] = x->bytes;
    r->mended[r->mended_count++] = *winner;
}

static int count_open(tune_report *r, const cpm_contests *c, const cpm_measurements *m,
                      cpm_error *e)
{
    cpm_design left = {0};
    int status = cpm_contests_next(c, m, &left, e);
    r->open += left.count;
    cpm_design_clear(&left);
    return status;
}

static bool is_of(const cpm_measurement *m, const cpm_contests *c)
{
    for (int k = 0; k < c->count; k++)
        if (m->what.collective.operation == c->at[k].operation)
            return true;
    return false;
}

/* A file that was gone on with may have others, too. */
static void count_measured(tune_report *r, const cpm_contests *c, const cpm_measurements *m)
{
    for (int i = 0; i < m->count; i++)
        r->measured += is_of(&m->at[i], c);
    r->measuring += m->duration > 0 ? m->duration : 0;
}

int tune_report_add(tune_report *r, const cpm_contests *c, const cpm_measurements *m, int n,
                    cpm_error *e)
{
    cpm_outcome now = {0}, last = {0};
    int status = CPM_OK;
    count_measured(r, c, m);
    for (int k = 0; k < c->count && !status; k++) {
        const cpm_contest *x = &c->at[k];
        bool follows = k && c->at[k - 1].operation == x->operation && last.winner;
        status =
            cpm_contest_outcome(c, x, follows ? &last.winner->what.collective : NULL, m, &now, e);
        if (status)
            break;
        count(r, x, &now, m->statistic);
        if (now.winner) {
            add_row(r, x, &now, n, m->statistic);
            note_mended(r, x, &now.winner->what.collective);
        }
        if (now.winner || !follows)
            last = now;
    }
    return status ? status : count_open(r, c, m, e);
}

int tune_report_describe(const tune_report *r, cpm_metadata *f, cpm_error *e)
{
    int status = cpm_metadata_set(f, e, "measurements", "%d in %.3g s", r->measured, r->seconds);
    if (!status && r->dropped)
        status = cpm_metadata_set(f, e, "left_out", "%ld candidates by the model", r->dropped);
    if (!status && r->within_noise)
        status = cpm_metadata_set(f, e, "within_noise", "native kept in %d of %d contests",
                                  r->within_noise, r->contests);
    if (!status && r->open)
        status = cpm_metadata_set(f, e, "stopped", "%d of %d contests not measured", r->unmeasured,
                                  r->contests);
    return status;
}

/* The library could have called those on the right: its own routine takes longer. */
static void say_mended(const tune_report *r)
{
    char text[CPM_GUIDELINE_TEXT];
    for (int k = 0; k < r->mended_count; k++) {
        const cpm_collective *c = &r->mended[k];
        cpm_guideline_print(cpm_guideline_mended_by(c), text);
        fprintf(stderr, "cpm: guideline %s: mended by %s:%s at %zu B\n", text, c->operation->name,
                c->algorithm->name, r->mended_from[k]);
    }
}

static void say(const tune_report *r, const settings *s)
{
    char shown[200];
    bool named = output_is_file(s->out.path);
    if (named)
        fprintf(stderr, "cpm: wrote %s\n", cpm_escape(s->out.path, shown, sizeof shown));
    fprintf(stderr, "cpm: %d measurements in %.1f s", r->measured, r->seconds);
    if (r->dropped)
        fprintf(stderr, ", %ld candidates left out by the model", r->dropped);
    fputc('\n', stderr);
    if (r->within_noise)
        fprintf(stderr,
                "cpm: in %d of %d contests the library's own routine is kept because what looked "
                "faster was not so beyond the noise (~)\n",
                r->within_noise, r->contests);
    if (r->open)
        fprintf(stderr,
                "cpm: the budget of %g s ended the run: %d of %d contests were not measured, and "
                "%d measurements or more were left. The table holds the others%s\n",
                s->how.budget, r->unmeasured, r->contests, r->open,
                named ? ", and --resume goes on" : "");
    if (s->calls.profile)
        fprintf(stderr, "cpm: the program would spend %.3g s less in its collectives\n", r->saved);
}

int tune_report_print(tune_report *r, const settings *s, cpm_error *e)
{
    bool free_output = output_is_file(s->out.path);
    int status = CPM_OK;
    if (r->begun && free_output && !s->out.quiet) {
        puts("# lead: of the algorithm over the next one, share of the time; negative: the next "
             "one's is not\n"
             "# beyond the noise. ~: MPI's own is kept for this reason. left out: by the model. "
             "Times in microseconds");
        status = table_print(&r->rows, "", 1, stdout, e);
        r->begun = false;
    }
    if (!status && !s->out.quiet)
        say(r, s);
    if (!status && !s->out.quiet)
        say_mended(r);
    return status;
}

void tune_report_clear(tune_report *r)
{
    if (r->begun)
        table_clear(&r->rows);
}
