/* Edit distance, by rows of the usual table. */
#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = CPM_NEAREST_LONGEST };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* The cell for the first i and j letters, from those around it; row[0] is that of i letters, row[1]
 * and row[2] those of one and two fewer. */
static int cell(const char *a, const char *b, int i, int j, int row[3][LONGEST + 1])
{
    bool same = a[i - 1] == b[j - 1];
    int best = least(least(row[1][j], row[0][j - 1]) + 1, row[1][j - 1] + !same);
    bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
    return swapped ? least(best, row[2][j - 2] + 1) : best;
}

static int distance(const char *a, const char *b)
{
    int row[3][LONGEST + 1] = {{0}}, m = (int)strlen(a), n = (int)strlen(b);
    for (int i = 0; i <= m; i++) {
        memcpy(row[2], row[1], sizeof row[2]);
        memcpy(row[1], row[0], sizeof row[1]);
        row[0][0] = i;
        for (int j = 1; j <= n; j++)
            row[0][j] = i == 0 ? j : cell(a, b, i, j, row);
    }
    return row[0][n];
}

void cpm_nearest_try(cpm_nearest *n, const char *word)
{
    size_t length = strlen(n->typed);
    if (length < 2 || length > LONGEST || strlen(word) > LONGEST)
        return;
    int found = distance(n->typed, word);
    if (found > (int)(length + 1) / 3 || (n->word[0] && found >= n->distance))
        return;
    strcpy(n->word, word);
    n->distance = found;
}

const char *cpm_nearest_ask(const cpm_nearest *n, char *text, size_t size)
{
    snprintf(text, size, n->word[0] ? "; did you mean '%s'?" : "%s", n->word);
    return text;
}
