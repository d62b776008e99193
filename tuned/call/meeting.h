/* Where the program's calls decide, and none of them blocks: what the ranks otherwise agree on in
 * blocking calls (adapt/epoch.h, exchange.h, offer.h) they do step by step while the program goes
 * on. All begin at the same call; from which one on what they agreed on holds is found as it is for
 * decisions (onset.h). Before, calls are run as they were. Only where the communicator is open, or
 * prepared (adapt/open.h): then it is opened, if something is worth trying. A thread of CPM's
 * (background.h) touches nothing by which the program's thread decides.
 *
 * A blocking collective waits until a meeting that is under way has ended: there all may wait. */
#ifndef CPM_TUNED_CALL_MEETING_H
#define CPM_TUNED_CALL_MEETING_H

#include "tuned/adapt/adapt.h"

/* Before a nonblocking call of which all ranks know the size. Whether something holds from it on
 * that did not. */
bool tuned_meeting_call(tuned_state *t);

/* Behind it: whether a meeting is to begin; and it begins, when blocking calls that were passed on
 * are reckoned. Until it has ended no call is passed on. */
bool tuned_meeting_is_due(tuned_state *t);
void tuned_meeting_begin(tuned_state *t);

/* Before a blocking call that is counted. Whether something holds from it on that did not. */
bool tuned_meeting_settle(tuned_state *t);

#endif
