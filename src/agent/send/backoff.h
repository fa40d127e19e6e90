/* SPDX-License-Identifier: Apache-2.0 */
/* backoff - the pause before the next attempt to reach a server.
 *
 *     1 s, 2 s, 4 s ... max_ns; of each between half and all of it, so that agents that
 *     lost one server do not come back as one
 */
#ifndef AGENT_SEND_BACKOFF_H
#define AGENT_SEND_BACKOFF_H

#include <stdint.h>

struct backoff {
    int64_t max_ns;
    int64_t pause_ns; /* the last one; 0: none yet */
};

/* The next pause.  random: any number, of which the pause's part depends.
 * retry_after_s: the Retry-After of the server, -1 none; it is obeyed up to an hour. */
int64_t backoff_next(struct backoff *backoff, uint32_t random, int64_t retry_after_s);
/* An attempt succeeded: begin anew. */
void backoff_reset(struct backoff *backoff);

#endif
