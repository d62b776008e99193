/* Only process 0 knows the file: it tells all others what it says of this job's library, and hears
 * from each at the end what was learnt where that one was rank 0. */
#include "tuned/adapt/learn.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "history/tuning_history.h"
#include "tuned/adapt/adapt.h"
#include "tuned/adapt/memory.h"
#include "tuned/attribute.h"
#include "tuned/environment.h"
#include "tuned/library_version.h"
#include "tuned/members.h"

enum { TAG = 1 };

static MPI_Comm inside = MPI_COMM_NULL;
static bool writes; /* process 0: the file may be written */
static char *path;  /* process 0: of the file, wherever the program goes */

/* ---- what the file says: process 0 ---- */

static void say(const char *text, const char *then)
{
    fprintf(stderr, "cpm: %s; %s\n", text, then);
}

static void say_of_file(const char *what, const char *then)
{
    cpm_error e = {0};
    cpm_fail(&e, CPM_EIO, "%s: %s", path, what);
    say(e.text, then);
}

/* Told before a long job, not after it. */
static void check_folder(void)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (folder && access(folder, W_OK | X_OK) != 0) {
        char what[160];
        snprintf(what, sizeof what, "its folder cannot be written to: %s", strerror(errno));
        say_of_file(what, "what is learnt will be lost");
    }
    free(folder);
}

static void read_file(cpm_tuning_history *all)
{
    cpm_error e = {0};
    int status = cpm_tuning_history_read(path, all, &e);
    writes = status == CPM_OK || status == CPM_EPARSE;
    if (status == CPM_EPARSE)
        say(e.text, "it is damaged: what can be read of it is used and kept");
    else if (status)
        say(e.text, "nothing is learnt from it, and it is left as it is");
    else
        check_folder();
}

/* Names of hosts, each as a key. */
static void enter_names(const char *names, int n, cpm_hash *out)
{
    for (int r = 0; r < n; r++) {
        char word[4 * MPI_MAX_PROCESSOR_NAME];
        cpm_escape_word(names + (size_t)r * MPI_MAX_PROCESSOR_NAME, word, sizeof word);
        uint64_t key = cpm_hash_text(word);
        if (!cpm_hash_find(out, key))
            cpm_hash_add(out, key);
    }
}

/* Whether those that a lesson names are there. */
static bool has_all(const cpm_hash *names, const char *hosts)
{
    char word[4 * MPI_MAX_PROCESSOR_NAME];
    for (; *hosts; hosts += strcspn(hosts, " "), hosts += strspn(hosts, " ")) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(hosts, " *"), hosts);
        if (strncmp(word, "...", 3) == 0 || strncmp(word, "layout=", 7) == 0)
            return true;
        if (!cpm_hash_find(names, cpm_hash_text(word)))
            return false;
    }
    return true;
}

static bool is_of_use(const cpm_tuning_record *l, const cpm_hash *names)
{
    return strcmp(l->at.library, tuned_library_version()) == 0 &&
           strcmp(l->at.version, tuned_memory_version()) == 0 && has_all(names, l->at.hosts);
}

/* Those of this job; the others stay in the file. */
static void choose(const cpm_tuning_history *all, const cpm_hash *names, cpm_tuning_history *out)
{
    int others = 0;
    for (int k = 0; k < all->count; k++)
        if (!is_of_use(&all->at[k], names))
            others++;
        else
            cpm_tuning_history_add(out, &all->at[k], NULL);
    if (!others)
        return;
    char what[128];
    snprintf(what, sizeof what,
             "%d of its %d lessons are of other hosts, MPI libraries or versions of CPM", others,
             all->count);
    say_of_file(what, "they are kept, but not used");
}

static bool promises(const cpm_tuning_history *all, const char *hosts)
{
    for (int k = 0; k < all->count; k++)
        if (strcmp(all->at[k].at.hosts, hosts) == 0 && cpm_lesson_best(&all->at[k]))
            return true;
    return false;
}

/* Whether it is an algorithm of the operation; what a map adds to a name is behind a blank. */
static bool is_known(const cpm_operation *o, const char *name)
{
    char algorithm[CPM_LESSON_NAME];
    cpm_collective c;
    snprintf(algorithm, sizeof algorithm, "%.*s", (int)strcspn(name, " "), name);
    return cpm_collective_parse_algorithm(o, algorithm, &c, NULL) == CPM_OK;
}

/* Of figures that can be of no use the first is named. */
static void say_unknown(const cpm_tuning_history *of_use)
{
    const char *name = NULL, *operation = NULL;
    int unknown = 0;
    for (int k = 0; k < of_use->count; k++)
        for (int i = 0; i < of_use->at[k].count; i++) {
            const cpm_tuning_record *l = &of_use->at[k];
            if (is_known(l->operation, l->figure[i].name))
                continue;
            if (unknown++ == 0) {
                name = l->figure[i].name;
                operation = l->operation->name;
            }
        }
    if (!unknown)
        return;
    char shown[4 * CPM_LESSON_NAME], what[sizeof shown + 128];
    cpm_escape_word(name, shown, sizeof shown);
    snprintf(what, sizeof what, "unknown algorithm '%s' of %s", shown, operation);
    if (unknown > 1)
        snprintf(what + strlen(what), 64, ", and %d more", unknown - 1);
    say_of_file(what, "what is unknown is kept, but not used");
}

/* The text that all are told; NULL: there is nothing to tell. */
static char *look_into(const tuned_members *world)
{
    cpm_tuning_history all = {0}, of_use = {0};
    cpm_hash names = {0};
    char *hosts = tuned_memory_text_of(world->names, world->n);
    enter_names(world->names, world->n, &names);
    read_file(&all);
    choose(&all, &names, &of_use);
    say_unknown(&of_use);
    if (hosts) {
        tuned_memory_note(MPI_COMM_WORLD, hosts);
        tuned_memory_promise_world(promises(&of_use, hosts));
    }
    char *text = of_use.count ? cpm_tuning_history_text(&of_use) : NULL;
    free(hosts);
    cpm_hash_free(&names);
    cpm_tuning_history_clear(&all);
    cpm_tuning_history_clear(&of_use);
    return text;
}

/* ---- telling: all ---- */

/* A process without memory for it remembers nothing. */
static void tell(char *text)
{
    int told[2] = {text ? (int)strnlen(text, INT_MAX - 1) : 0, tuned_memory_promises_world()}, rank;
    PMPI_Comm_rank(inside, &rank);
    PMPI_Bcast(told, 2, MPI_INT, 0, inside);
    tuned_memory_promise_world(told[1]);
    if (!told[0])
        return;
    if (rank)
        text = malloc((size_t)told[0] + 1);
    int good = text != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, inside);
    if (good) {
        PMPI_Bcast(text, told[0], MPI_CHAR, 0, inside);
        text[told[0]] = '\0';
        tuned_memory_load(text, (size_t)told[0]);
    } else
        free(text);
}

/* ---- the end ---- */

/* Process 0, with room for what any other says: own is its own. */
static void collect(const char *own, char *room, int most, int n, cpm_tuning_history *all)
{
    if (own)
        cpm_tuning_history_unpack(own, strlen(own), "", all, NULL);
    for (int r = 1, bytes; r < n; r++) {
        MPI_Status status;
        PMPI_Recv(room, most, MPI_CHAR, r, TAG, inside, &status);
        PMPI_Get_count(&status, MPI_CHAR, &bytes);
        room[bytes] = '\0';
        cpm_tuning_history_unpack(room, (size_t)bytes, "", all, NULL);
    }
}

static void write_file(const cpm_tuning_history *learnt)
{
    cpm_error e = {0};
    if (writes && learnt->count && cpm_tuning_history_write(path, learnt, &e) != CPM_OK)
        say(e.text, "what was learnt is lost");
}

static void hear_all(const char *own, char *room, int most)
{
    cpm_tuning_history learnt = {0};
    int n;
    PMPI_Comm_size(inside, &n);
    collect(own, room, most, n, &learnt);
    write_file(&learnt);
    cpm_tuning_history_clear(&learnt);
}

/* All tell process 0 what they have learnt, if anybody has, and it has memory to hear that. */
static void end_together(const char *own)
{
    int rank, mine = own ? (int)strnlen(own, INT_MAX) : 0, most = 0;
    PMPI_Comm_rank(inside, &rank);
    PMPI_Reduce(&mine, &most, 1, MPI_INT, MPI_MAX, 0, inside);
    char *room = most ? malloc((size_t)most + 1) : NULL;
    int good = room != NULL;
    PMPI_Bcast(&good, 1, MPI_INT, 0, inside);
    if (good && rank == 0)
        hear_all(own, room, most);
    else if (good)
        PMPI_Send(own, mine, MPI_CHAR, 0, TAG, inside);
    free(room);
}

void tuned_learn_end(void)
{
    if (inside == MPI_COMM_NULL)
        return;
    tuned_adapt_remember();
    char *own = tuned_memory_learnt();
    end_together(own);
    free(own);
    PMPI_Comm_free(&inside);
}

static int at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    tuned_learn_end();
    return MPI_SUCCESS;
}

/* ---- the beginning ---- */

static bool find_path(cpm_error *e)
{
    const char *said = tuned_environment_get()->learn;
    char *folder = *said == '/' ? strdup("") : getcwd(NULL, 0);
    if (!folder || asprintf(&path, "%s%s%s", folder, *folder ? "/" : "", said) < 0)
        path = NULL;
    free(folder);
    if (!path)
        cpm_fail(e, CPM_EIO, "CPM_LEARN: %s: its folder is not known", said);
    return path;
}

void tuned_learn_begin(void)
{
    cpm_error e = {0};
    tuned_members world = {0};
    if (!tuned_environment_get()->learn)
        return;
    PMPI_Comm_dup(MPI_COMM_WORLD, &inside);
    tuned_members_find(inside, false, &world, &e);
    tell(world.names && find_path(&e) ? look_into(&world) : NULL);
    if (e.code)
        say(e.text, "nothing is learnt");
    tuned_members_clear(&world);
    tuned_attribute_at_end(at_end);
}
