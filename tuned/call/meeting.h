/* Where the program's calls decide, and none of them blocks: what the ranks otherwise agree on in
 * blocking calls (adapt/epoch.h, exchange.h, offer.h) they do step by step while the program goes
 * on. All begin at the same call; from which one on what they agreed on holds is found as it is for
 * decisions (onset.h). Before, calls are run as they were. Only where the communicator is open, and
 * no thread of CPM's goes on with calls: it may not touch what the program's thread decides by.
 *
 * A blocking collective waits until a meeting that is under way has ended: there all may wait. */
#ifndef CPM_TUNED_CALL_MEETING_H
#define CPM_TUNED_CALL_MEETING_H

#include "tuned/adapt/adapt.h"

/* Before a nonblocking call of which all ranks know the size. */
void tuned_meeting_call(tuned_state *t);

/* Behind it: a meeting begins if one is due. Whether one is under way: then no call is passed on.
 */
bool tuned_meeting_goes_on(tuned_state *t);

/* Before a blocking call that is counted, and before the communicator ends. */
void tuned_meeting_settle(tuned_state *t);

#endif
