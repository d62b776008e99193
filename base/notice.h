/* What is worth a word while a function goes on, and no failure: that a file was kept, that a pipe
 * has no reader yet. Who owns standard error says it; in programs that only link CPM nobody does.
 */
#ifndef CPM_BASE_NOTICE_H
#define CPM_BASE_NOTICE_H

/* From here on say gets each of them, a line without its end; NULL: nobody. Called once, while the
 * process has one thread. */
void cpm_notice_to(void (*say)(const char *text));

__attribute__((format(printf, 1, 2))) void cpm_notice(const char *form, ...);

#endif
