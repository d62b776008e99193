/* What a process and its host have used of processors. */
#ifndef CPM_HOSTS_USAGE_H
#define CPM_HOSTS_USAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Of this process and its host since they began; 0 where the system does not tell. */
typedef struct {
    double when; /* seconds since some moment */
    double busy; /* seconds that the host's processors worked, or were taken from it */
    double own;  /* of these, for this process */
    long moves;  /* of this process, to another processor */
} mpib_usage;

mpib_usage mpib_usage_now(void);

#ifdef __cplusplus
}
#endif

#endif
