/* STAR-MPI's lists, as rows of names. */
#include "adapt/star_groups.h"

#include <stdint.h>
#include <string.h>

enum { MOST_NAMES = 9 };

typedef struct {
    const char *operation;
    int group;
    size_t most; /* bytes of a block */
    const char *names[MOST_NAMES];
} star_row;

/* clang-format off */
static const star_row star[] = {
    {"alltoall",  1, SIZE_MAX, {"spreading-simple"}},
    {"alltoall",  2, 256,      {"recursive-doubling", "2d", "3d", "bruck"}},
    {"alltoall",  3, SIZE_MAX, {"ring", "pair"}},
    {"alltoall",  4, SIZE_MAX, {"ring-light", "pair-light"}},
    {"alltoall",  5, SIZE_MAX, {"ring-barrier", "pair-barrier"}},
    {"alltoall",  6, SIZE_MAX, {"topology", "topology-barrier"}},
    {"allgather", 1, SIZE_MAX, {"simple"}},
    {"allgather", 2, SIZE_MAX, {"recursive-doubling", "2d", "3d", "bruck"}},
    {"allgather", 3, SIZE_MAX, {"ring", "pair"}},
    {"allgather", 4, SIZE_MAX, {"ring-light", "pair-light"}},
    {"allgather", 5, SIZE_MAX, {"ring-barrier", "pair-barrier"}},
    {"allgather", 6, SIZE_MAX, {"tslr"}},
    {"allreduce", 1, SIZE_MAX, {"allgather-bruck", "allgather-2d", "allgather-3d",
                                "allgather-doubling", "allgather-ring"}},
    {"allreduce", 2, SIZE_MAX, {"rab1-simple", "rab1-2d", "rab1-3d", "rab1-doubling", "rab1-bruck",
                                "rab1-ring", "rab1-ring-light", "rab1-ring-barrier", "rab1-tslr"}},
    {"allreduce", 3, SIZE_MAX, {"rab2-ring", "rab2-ring-light", "rab2-ring-barrier",
                                "rab2-ring-tslr", "rab2-ring-light-tslr",
                                "rab2-ring-barrier-tslr"}},
};
/* clang-format on */

enum { STAR_ROWS = sizeof star / sizeof *star, OF_LEVELS = 7, CALM = 8 };

/* The groups of those that are not in the paper, by what they spare. */
typedef struct {
    const char *operation; /* NULL: any other */
    int group[3];
} others_row;

static const others_row others[] = {
    {"alltoall", {2, 3, 5}}, {"alltoallv", {2, 3, 5}}, {"allgather", {2, 3, 5}}, {NULL, {1, 2, 3}}};

static const star_row *row_of(const cpm_algorithm *a)
{
    for (int k = 0; k < STAR_ROWS; k++)
        for (int i = 0; i < MOST_NAMES && star[k].names[i]; i++)
            if (strcmp(star[k].operation, a->operation) == 0 &&
                strcmp(star[k].names[i], a->name) == 0)
                return &star[k];
    return NULL;
}

int cpm_star_group(const cpm_algorithm *a)
{
    const star_row *row = row_of(a);
    if (row)
        return row->group;
    if (a->properties & CPM_NEEDS_HOSTS)
        return OF_LEVELS;
    if (a->properties & CPM_CALMS)
        return CALM;
    const others_row *o = others;
    while (o->operation && strcmp(o->operation, a->operation) != 0)
        o++;
    return o->group[a->group];
}

bool cpm_star_has(const cpm_algorithm *a, size_t bytes)
{
    const star_row *row = row_of(a);
    return row && bytes <= row->most;
}

bool cpm_star_knows(const char *operation)
{
    for (int k = 0; k < STAR_ROWS; k++)
        if (strcmp(star[k].operation, operation) == 0)
            return true;
    return false;
}
