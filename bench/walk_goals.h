/* What the rows of bench_walk have found, beside what they are to reach. */
#ifndef CPM_BENCH_WALK_GOALS_H
#define CPM_BENCH_WALK_GOALS_H

enum { BENCH_MOST_PLAIN = 16, BENCH_DECISIONS = 3 };

/* Seconds are of one processor. 0: not measured. */
typedef struct {
    double least_times[2];          /* as fast as SMPI: unlike hosts; 16 processes on each */
    double ring_64, ring_1024;      /* seconds of alltoall:ring */
    double simple_256;              /* seconds of alltoall:simple */
    double off;                     /* largest share that tolerance moves alltoall:simple by */
    double plain[BENCH_MOST_PLAIN]; /* messages a second of all-to-alls */
    int plain_count;
    double alike_65536;                     /* seconds of alltoall:ring on like hosts */
    double many_100000;                     /* seconds of bcast, allreduce and allgather together */
    double decision[BENCH_DECISIONS];       /* seconds: lmo2, 64, 256 and 1,024 processes; */
    double plain_decision[BENCH_DECISIONS]; /* the same by lmo */
    double megabytes;                       /* of the largest process */
} bench_found;

/* Shared by all processes that are forked later. */
bench_found *bench_share(void);

/* Notes the memory of this process. */
void bench_note_memory(bench_found *f);

void bench_print_goals(bench_found *f);

#endif
