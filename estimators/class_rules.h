/* A text that says which class each host or process belongs to. */
#ifndef CPM_ESTIMATORS_CLASS_RULES_H
#define CPM_ESTIMATORS_CLASS_RULES_H

#include "models/classes.h"

typedef struct cpm_class_rules cpm_class_rules;

/* Reads a file of lines "HOST CLASS" or "RANKS CLASS" (doc/estimation.md). HOST is a name or a
 * pattern of the shell (node0*); RANKS is a number or a range (0-15). # begins a comment. CPM_EIO,
 * CPM_EPARSE: "FILE:LINE: what". */
int cpm_class_rules_read(const char *path, cpm_class_rules **out, cpm_error *e);
/* The rules as words of one line, "HOST CLASS RANKS CLASS ...", and back; errors begin
 * with name and the rule's number. The caller frees both. CPM_ENOMEM, CPM_EPARSE. */
int cpm_class_rules_line(const cpm_class_rules *r, char **out, cpm_error *e);
int cpm_class_rules_of_line(const char *line, const char *name, cpm_class_rules **out,
                            cpm_error *e);
void cpm_class_rules_free(cpm_class_rules *r);

/* The classes of n processes on hosts, names separated by spaces, NULL if they are not known.
 * Classes are in the order of the file. CPM_EDATA, with file and line: a rule that is for nobody,
 * or for a process that has another class; a process without a class. CPM_ENOMEM. */
int cpm_class_rules_apply(const cpm_class_rules *r, int n, const char *hosts, cpm_classes *out,
                          cpm_error *e);

#endif
