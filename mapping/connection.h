/* What a message between two processes costs, and what it shares with others. */
#ifndef CPM_MAPPING_CONNECTION_H
#define CPM_MAPPING_CONNECTION_H

#include "models/model.h"

enum { CONNECTION_USES = 8 }; /* that a message shares */

typedef struct {
    double send, latency, flow, recv; /* seconds */
    bool synchronous;
    int uses;
    int resource[CONNECTION_USES];
    double seconds[CONNECTION_USES]; /* of the resource, for the whole message */
} connection;

connection connection_of(const cpm_model *m, int from, int to, size_t bytes);

#endif
