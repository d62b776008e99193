/* Options by table: parsing and help are made of the same rows. */
#ifndef CPM_TOOLS_FRAME_OPTIONS_H
#define CPM_TOOLS_FRAME_OPTIONS_H

#include "tools/frame/command.h"

/* Sets c->set and the operands from the arguments behind the subcommand's name (argv[0] is that
 * name). *help: the help is asked for. CPM_EINVAL, CPM_EPARSE: wrong usage. */
int options_parse(call *c, int argc, char **argv, bool *help, cpm_error *e);
/* What was said about all outputs of this call (base/new_file.h). */
void options_apply(const call *c);
/* What options set, with the subcommand's defaults; the caller frees them, also if there are none.
 * CPM_ENOMEM. */
int settings_create(call *c, cpm_error *e);
void settings_free(call *c);

extern const option predicting_options[]; /* --threads, --budget */
extern const option format_options[];     /* --format */
extern const option force_options[];      /* --force: of commands that write files */

/* Calls each with every option of the subcommand, "--help" last. */
void options_each(const command *c, void (*each)(void *context, const option *o), void *context);

/* Prints the help of one subcommand. */
void options_help(const command *c, FILE *out);

/* ---- values */
int set_text(void *value, const char *text, cpm_error *e);
/* The same of a file that is written. */
int set_new_file(void *value, const char *text, cpm_error *e);
int set_integer(void *value, const char *text, cpm_error *e);
int set_unsigned(void *value, const char *text, cpm_error *e);
int set_number(void *value, const char *text, cpm_error *e);
/* "0.5" or "0.5s". */
int set_seconds(void *value, const char *text, cpm_error *e);
/* "0.02" or "2%". */
int set_fraction(void *value, const char *text, cpm_error *e);
/* The same between 0 and 1, both excluded. */
int set_share(void *value, const char *text, cpm_error *e);
/* A number above 1. */
int set_times(void *value, const char *text, cpm_error *e);
int set_size(void *value, const char *text, cpm_error *e);
int set_sizes(void *value, const char *text, cpm_error *e);
int set_statistic(void *value, const char *text, cpm_error *e);
int set_timing(void *value, const char *text, cpm_error *e);
int set_format(void *value, const char *text, cpm_error *e);
int set_combining(void *value, const char *text, cpm_error *e);

#endif
