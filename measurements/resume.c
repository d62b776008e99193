#include "measurements/resume.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/notice.h"
#include "measurements/held_out.h"
#include "measurements/switches.h"

/* ---- what is compared */

/* What a fact of now must be to that of the file. */
typedef enum {
    KNOWN,    /* equal, where both say it */
    ALWAYS,   /* equal: what does not say it has none */
    AT_LEAST, /* a list of words: those of the file, or more */
    ANY,      /* the same, but whatever it is where those of the file are complete */
    A_DESIGN  /* equal, but for thresholds, which may be added */
} relation;

typedef struct {
    const char *key, *name; /* name: for people */
    relation how;
} compared;

/* Those that are more telling come first: of another machine the hosts are others, too. */
static const compared metadata[] = {
    {"processes", "processes", KNOWN},
    {"machine", "machine", KNOWN},
    {"synthetic", "simulated machine", KNOWN},
    {"played", "simulated model's fingerprint", KNOWN},
    {"mpi", "mpi", KNOWN},
    {"hosts", "hosts", KNOWN},
    {"layout", "layout", ALWAYS},
    {"binding", "binding", KNOWN},
    {"noise", "noise", ALWAYS},
    {"timing", "timing", KNOWN},
    {"buffers", "buffers", KNOWN},
    {"precision", "precision", KNOWN},
    {"statistic", "statistic", KNOWN},
    {"design", "design", A_DESIGN},
    {"root", "root", KNOWN},
    {"classes", "--classes", KNOWN},
    {"gap", "--gap", KNOWN},
    {"serial", "--serial", KNOWN},
    {"sizes", "sizes", AT_LEAST},
    {"collectives", "collectives", ANY},
    {CPM_METADATA_COMBINING, "--combine", ALWAYS},
};
enum { FACTS = sizeof metadata / sizeof *metadata };

/* ---- two values in a sentence */

enum { EXCERPT = 100, BEFORE = 30 };

/* What is long is shown from a little before the place where both differ. */
static void excerpt(const char *value, size_t differs, char out[EXCERPT])
{
    size_t from = strlen(value) < EXCERPT || differs < BEFORE ? 0 : differs - BEFORE;
    while (from > 0 && value[from - 1] != ' ')
        from--;
    if (strlen(value + from) < EXCERPT - 8)
        snprintf(out, EXCERPT, "%s%s", from ? "... " : "", value + from);
    else
        snprintf(out, EXCERPT, "%s%.*s ...", from ? "... " : "", EXCERPT - 12, value + from);
}

static int refuse(const char *path, const char *name, const char *old, const char *now,
                  cpm_error *e)
{
    char there[EXCERPT], here[EXCERPT];
    size_t differs = 0;
    while (old[differs] && old[differs] == now[differs])
        differs++;
    excerpt(old, differs, there);
    excerpt(now, differs, here);
    bool several = *name != '-' && name[strlen(name) - 1] == 's';
    return cpm_fail(e, CPM_EINVAL,
                    "%s: cannot resume: its %s %s '%s', now %s '%s'; use another file or the "
                    "same options",
                    path, name, several ? "are" : "is", there, several ? "they are" : "it is",
                    here);
}

static int same_text(const char *path, const char *name, const char *old, const char *now,
                     cpm_error *e)
{
    return strcmp(old, now) == 0 ? CPM_OK : refuse(path, name, old, now, e);
}

/* ---- lists and designs */

static bool has_word(const char *list, const char *word, size_t length)
{
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t own = strcspn(at, " ");
        if (own == length && memcmp(at, word, length) == 0)
            return true;
        at += own;
    }
    return false;
}

/* The first word of old that now lacks; NULL: there is none. */
static const char *first_lacking(const char *old, const char *now)
{
    if (has_word(now, "all", 3))
        return NULL;
    for (const char *at = old; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (!has_word(now, at, length))
            return at;
        at += length;
    }
    return NULL;
}

static int at_least(const char *path, const char *name, const char *old, const char *now,
                    cpm_error *e)
{
    const char *lacking = first_lacking(old, now);
    if (!lacking)
        return CPM_OK;
    char there[EXCERPT], here[EXCERPT];
    excerpt(old, (size_t)(lacking - old), there);
    excerpt(now, 0, here);
    return cpm_fail(e, CPM_EINVAL,
                    "%s: cannot resume: its %s are '%s', now they are '%s', without %.*s; ask for "
                    "those of the file and more, or use another file",
                    path, name, there, here, (int)strcspn(lacking, " "), lacking);
}

/* What stands before the word on thresholds, with which a design ends. */
static size_t without_word(const char *design)
{
    const char *end = strstr(design, CPM_DESIGN_WITHOUT);
    return end ? (size_t)(end - design) : strlen(design);
}

static int same_design(const char *path, const char *old, const char *now, cpm_error *e)
{
    size_t length = without_word(old);
    bool fewer = !old[length] && now[without_word(now)];
    bool same = length == without_word(now) && strncmp(old, now, length) == 0;
    return same && !fewer ? CPM_OK : refuse(path, "design", old, now, e);
}

/* ---- whether it may go on */

static int compare(const char *path, const compared *x, const cpm_measurements *old,
                   const cpm_metadata *now, cpm_error *e)
{
    const char *there = cpm_metadata_get(&old->metadata, x->key),
               *here = cpm_metadata_get(now, x->key);
    if (x->how == ALWAYS && (there || here))
        return same_text(path, x->name, there ? there : "none", here ? here : "none", e);
    if (!there || !here || (x->how == ANY && old->duration >= 0))
        return CPM_OK;
    if (x->how == AT_LEAST || x->how == ANY)
        return at_least(path, x->name, there, here, e);
    return x->how == A_DESIGN ? same_design(path, there, here, e)
                              : same_text(path, x->name, there, here, e);
}

static int same_placement(const char *path, const cpm_measurements *old, const cpm_metadata *now,
                          cpm_error *e)
{
    const char *there = cpm_measurements_placement(old), *here = cpm_metadata_get(now, "placement");
    if (there && here)
        return same_text(path, "placement", there, here, e);
    if (there || !here)
        return CPM_OK;
    return cpm_fail(e, CPM_EINVAL,
                    "%s: cannot resume: it does not say with which --map, --blocks and "
                    "--topology its collectives were measured. If they are the same now, add the "
                    "line '# placement: %s' to its header",
                    path, here);
}

static int same_fact(const char *path, const char *key, const cpm_metadata *old,
                     const cpm_metadata *now, cpm_error *e)
{
    const char *there = cpm_metadata_get(old, key), *here = cpm_metadata_get(now, key);
    return same_text(path, key, there ? there : "none", here ? here : "none", e);
}

/* Switches of a tree, links of a shape, or both. */
static int same_topology(const char *path, const cpm_metadata *old, const cpm_metadata *now,
                         cpm_error *e)
{
    bool there = cpm_metadata_names_topology(old), here = cpm_metadata_names_topology(now);
    if (there != here)
        return cpm_fail(e, CPM_EINVAL,
                        "%s: cannot resume: it was measured %s a topology, and now there is %s; "
                        "use another file or the same options",
                        path, there ? "with" : "without", here ? "one" : "none");
    int status = same_fact(path, "switches", old, now, e);
    return status ? status : same_fact(path, CPM_METADATA_LINKS, old, now, e);
}

/* Files of before do not say the root, but each of their collectives does. */
static int same_root(const char *path, const cpm_measurements *old, const cpm_metadata *now,
                     cpm_error *e)
{
    const char *here = cpm_metadata_get(now, "root");
    char there[16];
    if (!here || cpm_metadata_get(&old->metadata, "root"))
        return CPM_OK;
    for (int q = 0; q < old->count; q++) {
        snprintf(there, sizeof there, "%d", old->at[q].what.i);
        if (!old->at[q].what.kind && strcmp(there, here) != 0)
            return refuse(path, "root", there, here, e);
    }
    return CPM_OK;
}

static int same_sockets(const char *path, const char *old, const char *now, cpm_error *e)
{
    if (!old == !now)
        return old ? same_text(path, "sockets", old, now, e) : CPM_OK;
    return cpm_fail(e, CPM_EINVAL,
                    "%s: cannot resume: processes were %sbound to sockets when it was measured, "
                    "and now they are%s; use another file or bind them as then",
                    path, old ? "" : "not ", now ? "" : " not");
}

static int check_is_read(const char *path, const cpm_metadata *old, cpm_error *e)
{
    cpm_error why = {0};
    if (cpm_held_out_check(old, &why) == CPM_OK)
        return CPM_OK;
    return cpm_fail(e, CPM_EDATA, "%s: cannot resume: %s", path, why.text);
}

int cpm_resume_check(const char *path, const cpm_measurements *old, const cpm_metadata *now,
                     cpm_error *e)
{
    int status = same_sockets(path, cpm_metadata_get(&old->metadata, "sockets"),
                              cpm_metadata_get(now, "sockets"), e);
    for (int k = 0; k < FACTS && !status; k++)
        status = compare(path, &metadata[k], old, now, e);
    if (!status)
        status = check_is_read(path, &old->metadata, e);
    if (!status)
        status = same_root(path, old, now, e);
    if (!status)
        status = same_topology(path, &old->metadata, now, e);
    return status ? status : same_placement(path, old, now, e);
}

/* ---- what the header says then */

static bool is_unknown(const compared *x, const cpm_metadata *old, const cpm_metadata *now)
{
    return x->how != ALWAYS && !cpm_metadata_get(old, x->key) && cpm_metadata_get(now, x->key);
}

/* "sizes, root", as far as they fit. */
static void list_unknown(const cpm_metadata *old, const cpm_metadata *now, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int k = 0; k < FACTS && used < size; k++)
        if (is_unknown(&metadata[k], old, now))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     metadata[k].name);
}

/* The next part is compared with this one. Sizes, collectives and the design of the first part may
 * have been others, and what is measured for them is in the file. */
static int learn(cpm_metadata *old, const cpm_metadata *now, cpm_error *e)
{
    int status = CPM_OK;
    for (int k = 0; k < FACTS && !status; k++)
        if (metadata[k].how == KNOWN && is_unknown(&metadata[k], old, now))
            status = cpm_metadata_set(old, e, metadata[k].key, "%s",
                                      cpm_metadata_get(now, metadata[k].key));
    return status;
}

static int note_unknown(const char *path, cpm_metadata *old, const char *unknown, cpm_error *e)
{
    char file[PATH_MAX];
    if (!*unknown)
        return CPM_OK;
    cpm_notice("%s: its header does not say: %s; cannot tell whether it was measured with those of "
               "now",
               cpm_escape(path, file, sizeof file), unknown);
    return cpm_metadata_append(old, e, CPM_METADATA_UNKNOWN, "%s", unknown);
}

/* The words of both, those of now if they are all; the caller frees them. */
static char *unite(const char *old, const char *now)
{
    char *all = NULL;
    size_t size;
    if (!first_lacking(old, now))
        return strdup(now);
    FILE *f = open_memstream(&all, &size);
    if (!f)
        return NULL;
    fputs(old, f);
    for (const char *at = now; *at && !has_word(old, "all", 3); at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (!has_word(old, at, length))
            fprintf(f, " %.*s", (int)length, at);
        at += length;
    }
    return fclose(f) == 0 ? all : NULL;
}

/* Sets it where there is more, and writes the line that replaces the one before. */
static int replace(cpm_metadata *old, const cpm_metadata *now, const char *key, bool list, FILE *f,
                   cpm_error *e)
{
    const char *there = cpm_metadata_get(old, key), *here = cpm_metadata_get(now, key);
    if (!there || !here || strcmp(there, here) == 0)
        return CPM_OK;
    char *all = list ? unite(there, here) : strdup(here);
    if (!all)
        return cpm_no_memory(e);
    if (strcmp(there, all) != 0)
        fprintf(f, "# %s: %s\n", key, all);
    int status = cpm_metadata_set(old, e, key, "%s", all);
    free(all);
    return status;
}

int cpm_resume_merge(const char *path, cpm_metadata *old, const cpm_metadata *now, FILE *f,
                     cpm_error *e)
{
    char unknown[300];
    int status = CPM_OK, before = old->count;
    list_unknown(old, now, unknown, sizeof unknown);
    for (int k = 0; k < FACTS && !status; k++)
        if (metadata[k].how >= AT_LEAST)
            status = replace(old, now, metadata[k].key, metadata[k].how != A_DESIGN, f, e);
    if (!status) /* each part has its own */
        status = cpm_metadata_append_all(old, now, "command", e);
    if (!status)
        status = cpm_metadata_append_all(old, now, "warning", e);
    if (!status)
        status = cpm_metadata_append_all(old, now, CPM_METADATA_CHECK, e);
    if (!status)
        status = learn(old, now, e);
    if (!status)
        status = note_unknown(path, old, unknown, e);
    for (int k = before; k < old->count; k++)
        fprintf(f, "# %s: %s\n", old->items[k].key, old->items[k].value);
    return status;
}
