/* SPDX-License-Identifier: Apache-2.0 */
/* site_event - what the agent has for a session, as events of that session: by its name
 * each is marked as not its own.
 *
 *     "event 7.3 T 0 kernel.mce PAYLOAD" ─▶ site.kernel.mce {"number":"7.3",...}
 *     "health STATEMENT"                 ─▶ site.health     the statement
 *     "lost 3", "gap 7 4 9", "rest 7 4"  ─▶ site.lost, site.gap, site.rest
 *     a report of a session in this one  ─▶ child.NAME      {"session":...}
 *
 * Threads  any.
 */
#ifndef JOBSESSION_SITE_SITE_EVENT_H
#define JOBSESSION_SITE_SITE_EVENT_H

#include "base/strbuf.h"
#include "model/model.h"

#include <stdbool.h>

#define SITE_EVENT_PREFIX "site."
#define SITE_EVENT_HEALTH "site.health"
#define CHILD_EVENT_PREFIX "child."

/* Whether an event of this name came from elsewhere: it is no session's own, and goes
 * nowhere from there. */
bool site_event_is_foreign(struct span name);

/* Of a line of the agent's; a payload that would be too long is cut.
 * Errors: -EBADMSG, -ENOMEM. */
int site_event_print(struct span line, struct strbuf *name, struct strbuf *payload);
/* Of a report: an event, or the session itself ("child.session"). */
int child_event_print(const struct session_report *report, struct strbuf *name,
                      struct strbuf *payload);
/* Of the agent's "lost 3", without its verb: so many reports of whichever session:
 * "child.lost". */
int child_lost_print(struct span count, struct strbuf *name, struct strbuf *payload);
/* Numbers of a session's events that did not come: "child.gap". */
int child_gap_print(struct span session, uint64_t first, uint64_t last,
                    struct strbuf *name, struct strbuf *payload);

#endif
