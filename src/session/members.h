/* SPDX-License-Identifier: Apache-2.0 */
/* members - who is below a node, and who is online in the session. */
#ifndef SESSION_MEMBERS_H
#define SESSION_MEMBERS_H

#include "session/state.h"

/* Put together who is below, and report it to the parent where it changed; whether it
 * did.  The first change at once, what follows it together. */
bool members_update(struct session_node *node);
void members_report(struct session_node *node);
/* "session.join" and "session.lost". */
void members_apply(struct session_node *node, const struct session_event *event);
/* Whether all of ranks are below top. */
bool members_are_below(const struct session_node *node, const struct rank_set *ranks,
                       uint32_t top);

/* Append "4" or "4-7", after a comma where there is something before it. */
void members_print_range(struct strbuf *out, struct rank_range range);
/* Of "0-3,7".  Errors: -EBADMSG, -ENOMEM. */
int members_parse(struct span text, uint32_t size, struct rank_set *ret);

#endif
