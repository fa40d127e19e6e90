/* SPDX-License-Identifier: Apache-2.0 */
/* census - the control node announces who joined and who is lost.
 *
 * Each node reports to its parent who is online in its subtree.  The control node
 * announces joins at once, and a loss when a rank was not seen for three heartbeats: a
 * node whose parent died is back below another by then.  As events, all nodes see joins
 * and losses in one order.
 */
#ifndef SESSION_CENSUS_H
#define SESSION_CENSUS_H

#include "session/state.h"

/* Who is below has changed. */
void census_update(struct session_node *node);
/* Announce losses that are due. */
void census_run(struct session_node *node);
/* Steady; INT64_MAX: nothing. */
int64_t census_due_ns(const struct session_node *node);

#endif
