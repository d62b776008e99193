/* What reading and writing lessons share. */
#ifndef CPM_HISTORY_TUNING_HISTORY_FORM_H
#define CPM_HISTORY_TUNING_HISTORY_FORM_H

#include "history/tuning_history.h"

/* How each file begins that was written here: the beginning of a file that was cut is known by it,
 * here and in base/file_kind.c. */
static const char lessons_head[] =
    "{\n  \"format\": \"cpm table\",\n  \"version\": 1,\n  \"lessons\": [";

#endif
