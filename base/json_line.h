/* The line of a value in a JSON text, for messages about values that parse but are wrong. */
#ifndef CPM_BASE_JSON_LINE_H
#define CPM_BASE_JSON_LINE_H

/* One step from a value to one inside: the member called key, or with key NULL element index. */
typedef struct {
    const char *key;
    int index;
} cpm_json_step;

/* The line, counted from 1, of the value that steps lead to from the outermost one; if it is not
 * there, of the innermost value on the way. text is valid JSON. */
int cpm_json_line(const char *text, const cpm_json_step *path, int steps);

#endif
