/* How simultaneous messages divide the link ends that they share: max-min fair, weighted, with caps
 * (Bertsekas and Gallager, Data Networks, 6.5.2). */
#ifndef CPM_SCHEDULE_SHARING_H
#define CPM_SCHEDULE_SHARING_H

/* A message whose bytes are under way. */
typedef struct {
    int from, to;
    double cap;     /* seconds per byte when it is alone, above 0 */
    double out, in; /* seconds per byte of the sender's outgoing and the receiver's incoming link
                       end, 0: that end is not shared */
    double weight;  /* its share of a full link end is in proportion to it, above 0 */
    double left;    /* seconds it would still take alone */
    double rate;    /* share of its own speed that it gets, above 0 and at most 1 */
    int message;    /* of the caller */
} cpm_active;

/* A link end while rates are found. */
typedef struct {
    double left;   /* bytes per second that are not given away */
    double weight; /* of the flows whose rate is not known yet */
} cpm_link_end;

/* Sets the rate of every flow. ends[2n] is space for outgoing, then incoming ends. Returns how
 * often it looked at a flow. */
double cpm_share(cpm_active *flow, int count, int n, cpm_link_end *ends);

#endif
