/* A file of rules, a decision table, or the rules of Open MPI or MPICH: told by what it begins
 * with, and read as rules. */
#include "libraries/rules_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_kind.h"
#include "base/text_file.h"
#include "libraries/mpich_file.h"
#include "libraries/mpich_rules.h"
#include "libraries/openmpi_rule.h"
#include "tables/ruleset_lines.h"

static int unpack_table(const char *text, const char *where, char **rules, cpm_error *e)
{
    cpm_table *t = NULL;
    int status = cpm_table_unpack(text, strlen(text), where, &t, e);
    if (!status)
        status = cpm_rules_of_table(t, rules, e);
    cpm_table_free(t);
    return status;
}

/* Open MPI itself asks for the second one only. */
static bool is_openmpi_json(const char *text)
{
    return strstr(text, "\"rule_file_version\"") ||
           (strstr(text, "\"collectives\"") && !strstr(text, "\"format\""));
}

/* What a file begins with: remarks may come before. */
static const char *first_of(const char *text)
{
    while (isspace((unsigned char)*text) || *text == '#')
        text += *text == '#' ? strcspn(text, "\n") : 1;
    return text;
}

/* Files of other kinds have lines of words, too. */
static int check_kind(const char *text, const char *where, cpm_error *e)
{
    cpm_file_kind kind = cpm_file_kind_of_text(text, strlen(text));
    return kind == CPM_FILE_UNKNOWN || kind == CPM_FILE_RULES || kind == CPM_FILE_OPENMPI
               ? CPM_OK
               : cpm_fail(e, CPM_EPARSE, "%s:1: not rules: it holds %s", where,
                          cpm_file_kind_named(kind));
}

int cpm_ruleset_unpack(const char *text, const char *where, cpm_ruleset **out, char **notes,
                       cpm_error *e)
{
    const char *first = first_of(text);
    char *rules = NULL;
    int status = *first == '{' ? CPM_OK : check_kind(text, where, e);
    if (status)
        return status;
    if (*first == '{' && is_openmpi_json(first))
        status = cpm_rules_of_openmpi_json(text, where, &rules, notes, e);
    else if (*first == '{' && cpm_mpich_file_is(first))
        status = cpm_rules_of_mpich(text, where, &rules, notes, e);
    else if (*first == '{')
        status = unpack_table(text, where, &rules, e);
    else if (isdigit((unsigned char)*first) || strncmp(first, "rule-file-version", 17) == 0)
        status = cpm_rules_of_openmpi(text, where, &rules, notes, e);
    if (!status)
        status = cpm_ruleset_parse(rules ? rules : text, where, out, e);
    free(rules);
    return status;
}

int cpm_ruleset_read(const char *path, cpm_ruleset **out, char **notes, cpm_error *e)
{
    char *text = NULL;
    size_t size = 0;
    int status = cpm_text_read(path, &text, &size, e);
    if (!status && strlen(text) < size)
        status = cpm_fail(e, CPM_EPARSE, "%s:1: not text: there is a zero byte", path);
    if (!status)
        status = cpm_ruleset_unpack(text, path, out, notes, e);
    free(text);
    return status;
}
