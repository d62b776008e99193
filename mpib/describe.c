/* What a header says about the machine: library, hosts, binding, clock. */
#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "executor/agree.h"
#include "hosts/hosts.h"
#include "hosts/inside.h"
#include "measurements/timing_names.h"
#include "mpib/machine_mpi.h"

enum { WORD = 320 }; /* characters of one rank's word; a processor name fits */

/* Appends CPUs first..last as "3" or "0-3"; what does not fit is cut with "+". */
static void append_range(char word[WORD], int first, int last)
{
    size_t used = strlen(word);
    if (used > WORD - 32) {
        if (word[used - 1] != '+')
            memcpy(word + used, "+", 2);
        return;
    }
    const char *comma = used ? "," : "";
    if (first == last)
        snprintf(word + used, WORD - used, "%s%d", comma, first);
    else
        snprintf(word + used, WORD - used, "%s%d-%d", comma, first, last);
}

static void own_binding(char word[WORD])
{
    cpu_set_t set;
    memset(word, 0, WORD);
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        strcpy(word, "unknown");
        return;
    }
    for (int first = 0, last; first < CPU_SETSIZE; first = last + 1) {
        last = first;
        if (!CPU_ISSET(first, &set))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set))
            last++;
        append_range(word, first, last);
    }
}

/* One word: names are separated by spaces. */
static void own_host(char word[WORD])
{
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length = 0;
    MPI_Get_processor_name(name, &length);
    memset(word, 0, WORD);
    cpm_escape_word(name[0] ? name : "unknown", word, WORD);
}

/* Sets key to n words, separated by spaces. line is space for them. */
static int set_words(const char *key, const char *all, int n, char *line, cpm_metadata *metadata,
                     cpm_error *e)
{
    char *end = line;
    for (int i = 0; i < n; i++)
        end += sprintf(end, i ? " %.*s" : "%.*s", WORD - 1, all + (size_t)i * WORD);
    return cpm_metadata_set(metadata, e, key, "%s", line);
}

/* ---- hosts */

/* Whether a host before number h has that name; first[h] is the first process of a host. */
static bool is_taken(const char *all, const int *first, int h, const char *name)
{
    for (int k = 0; k < h; k++)
        if (strcmp(all + (size_t)first[k] * WORD, name) == 0)
            return true;
    return false;
}

/* Processes are on one host if they can share memory, so they get one name, and those that cannot
 * get another: containers may have one name for all, and a host several. first[hosts] is space. */
static void name_hosts(const cpm_hosts *hosts, int *first, char *all)
{
    for (int i = hosts->n - 1; i >= 0; i--)
        first[hosts->of[i]] = i;
    for (int h = 0; h < hosts->count; h++) {
        char *name = all + (size_t)first[h] * WORD;
        size_t length = strlen(name);
        if (is_taken(all, first, h, name) && length < WORD - 16)
            snprintf(name + length, WORD - length, "#%d", h);
    }
    for (int i = 0; i < hosts->n; i++)
        if (first[hosts->of[i]] != i)
            memcpy(all + (size_t)i * WORD, all + (size_t)first[hosts->of[i]] * WORD, WORD);
}

static int set_hosts(const cpm_hosts *hosts, char *all, char *line, cpm_metadata *metadata,
                     cpm_error *e)
{
    int *first = malloc((size_t)hosts->count * sizeof *first);
    if (!first)
        return cpm_no_memory(e);
    name_hosts(hosts, first, all);
    free(first);
    int status = set_words("hosts", all, hosts->n, line, metadata, e);
    if (!status)
        status = cpm_measurements_set_sockets(hosts, metadata, e);
    if (!status && hosts->count < hosts->n)
        status = cpm_metadata_set(metadata, e, "layout", "%d processes on %d host%s", hosts->n,
                                  hosts->count, hosts->count == 1 ? "" : "s");
    return status;
}

/* ---- library and clock */

static int set_library(cpm_metadata *metadata, cpm_error *e)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    for (char *c = version; *c; c++)
        if (isspace((unsigned char)*c))
            *c = ' ';
    return cpm_metadata_set(metadata, e, "mpi", "%s", version);
}

static int set_timing(const mpi_machine *m, cpm_metadata *metadata, cpm_error *e)
{
    char batch[CPM_BATCH_NAME];
    cpm_batch_name(m->batch, batch);
    return cpm_metadata_set(metadata, e, "timing", "%s",
                            m->timing == MPIB_TIMING_BATCH ? batch : mpib_timing_named(m->timing));
}

static int set_clock(const mpi_machine *m, cpm_metadata *metadata, cpm_error *e)
{
    int status = cpm_metadata_set(metadata, e, "clock_resolution", "%.9g", m->clock.resolution);
    if (status == CPM_OK)
        status = set_timing(m, metadata, e);
    if (status == CPM_OK && m->timing == MPIB_TIMING_GLOBAL)
        status = cpm_metadata_set(metadata, e, "clock_error", "%.9g", m->sync_error);
    return status;
}

static int set_own(const mpi_machine *m, cpm_metadata *metadata, cpm_error *e)
{
    int status = cpm_metadata_set(metadata, e, "machine", "mpi");
    if (status == CPM_OK)
        status = set_library(metadata, e);
    if (status == CPM_OK)
        status = set_clock(m, metadata, e);
    if (status == CPM_OK)
        status = cpm_metadata_set(metadata, e, "buffers", "%s", mpib_buffers_named(m->buffers));
    return status;
}

/* What the processes of a host share besides its memory. Simulated hosts are not this one. */
static int set_inside(const mpib_inside *inside, cpm_metadata *metadata, cpm_error *e)
{
#ifdef CPM_SMPI
    (void)inside, (void)metadata, (void)e;
    return CPM_OK;
#else
    return cpm_metadata_set(metadata, e, "inside", "sockets %d, last-level caches %d",
                            inside->sockets, inside->caches);
#endif
}

/* all NULL on ranks other than 0. */
static int describe_all(const mpi_machine *m, const cpm_hosts *hosts, const mpib_inside *inside,
                        char *all, char *line, cpm_metadata *metadata, cpm_error *e)
{
    char host[WORD], binding[WORD];
    own_host(host);
    own_binding(binding);
    int status = m->base.rank == 0 ? set_own(m, metadata, e) : CPM_OK;
    PMPI_Gather(host, WORD, MPI_CHAR, all, WORD, MPI_CHAR, 0, m->control);
    if (m->base.rank == 0 && !status)
        status = set_hosts(hosts, all, line, metadata, e);
    PMPI_Gather(binding, WORD, MPI_CHAR, all, WORD, MPI_CHAR, 0, m->control);
    if (m->base.rank == 0 && !status)
        status = set_words("binding", all, m->base.n, line, metadata, e);
    if (m->base.rank == 0 && !status)
        status = set_inside(inside, metadata, e);
    return status;
}

static int describe_with(mpi_machine *m, const cpm_hosts *hosts, const mpib_inside *inside,
                         cpm_metadata *metadata, cpm_error *e)
{
    size_t space = m->base.rank == 0 ? (size_t)m->base.n * WORD : 1;
    char *all = malloc(space), *line = malloc(space);
    int status = all && line ? CPM_OK : cpm_no_memory(e);
    status = mpib_agree(m->control, status, e);
    if (status == CPM_OK && m->timing == MPIB_TIMING_GLOBAL)
        status = mpib_agree(m->control, mpib_machine_refresh(m, e), e);
    if (status == CPM_OK)
        status = mpib_agree(m->control, describe_all(m, hosts, inside, all, line, metadata, e), e);
    free(all);
    free(line);
    return status;
}

int mpib_machine_describe(cpm_machine *machine, cpm_metadata *metadata, cpm_error *e)
{
    mpi_machine *m = (mpi_machine *)machine;
    cpm_hosts hosts = {0};
    mpib_inside inside = {0};
    int status = mpib_hosts(m->control, &hosts, e);
    if (status == CPM_OK)
        status = mpib_inside_find(m->control, &hosts, &inside, e);
    if (status == CPM_OK)
        status = describe_with(m, &hosts, &inside, metadata, e);
    cpm_hosts_clear(&hosts);
    return status;
}
