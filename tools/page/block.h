/* The data of a page: blocks that its script (page.js.in) shows one below the other. A block is an
 * object whose member "is" says what it is; texts in it are as base/escape.h shows them.
 *
 *     text       "text", "class": "good", "bad", "note", "missing" or none
 *     heading    "text"
 *     verdicts   "items": [class, title, text]
 *     cards      "items": [value, meaning]
 *     list       "items": texts
 *     table      "caption", "head", "rows": texts; "folded": what unfolds it
 *     command    "makes", "text": a command line
 *     comparison "head", "rows": as of the file of cpm compare or validate; "curves"
 *     hosts      a parameter of each process, host, switch or link (section_parameters.c)
 *     map        the same of pairs
 *     decisions  algorithms over size and layout (section_decisions.c)
 *     tree       "title", "n", "edges": [from, to, round, blocks] (section_decisions.c)
 *     lines      "title", "series": times over the message size (section_model.c)
 *     trend      models over time (section_history.c)
 *
 * Who runs out of memory here goes on; page_write says it. */
#ifndef CPM_TOOLS_PAGE_BLOCK_H
#define CPM_TOOLS_PAGE_BLOCK_H

#include <jansson.h>
#include <stdbool.h>

#include "tools/frame/table.h"

/* Where blocks are added; NULL lists and objects were refused memory. */
typedef struct {
    json_t *list;
    bool *failed; /* set where there is no memory */
} block_list;

/* Appends a block and returns it, the list's own. */
json_t *block_add(const block_list *to, const char *is);

/* A member of a block; value is the block's from now on. */
void block_set(const block_list *to, json_t *block, const char *key, json_t *value);
void block_set_text(const block_list *to, json_t *block, const char *key, const char *text);

/* An element of a list. */
void block_append(const block_list *to, json_t *list, json_t *value);

/* An empty list as a member or element; it is theirs. */
json_t *block_set_list(const block_list *to, json_t *block, const char *key);
json_t *block_append_list(const block_list *to, json_t *list);

/* Texts as they are shown, and what printf would write. */
json_t *block_text_of(const char *text);
json_t *block_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A number of so many digits; null if it is none. */
json_t *block_number(double value, int digits);

/* ---- blocks */

void block_text(const block_list *to, const char *class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void block_heading(const block_list *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An empty list; its items: one, and each line of text (NULL: none). */
json_t *block_items(const block_list *to);
void block_item(const block_list *to, json_t *items, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void block_lines(const block_list *to, json_t *items, const char *text);

/* A table whose first row is its head; frees its cells. folded: what unfolds it; NULL: it is seen.
 */
void block_table(const block_list *to, table *t, const char *caption, const char *folded);

/* The cells of a table as head and rows of a block, row after row; frees them. */
void block_set_table(const block_list *to, json_t *block, table *t);

/* Words of a command, quoted as a shell wants them but for the first ("cpm plot"), behind what it
 * makes; words end with NULL. */
void block_command(const block_list *to, const char *makes, const char *const *words);

#endif
