/* SPDX-License-Identifier: Apache-2.0 */
/* event_log - the last events of a session, for clients of REST.
 *
 * Bound  EVENT_LOG_MAX events and EVENT_LOG_BYTES_MAX bytes; the oldest goes first.
 * Threads  none inside.
 */
#ifndef API_SESSION_EVENT_LOG_H
#define API_SESSION_EVENT_LOG_H

#include "base/table/table.h"
#include "session/session.h"

#define EVENT_LOG_MAX 4096
#define EVENT_LOG_BYTES_MAX (4u << 20)

/* "3.17": incarnation and sequence; events are in the order of these. */
struct event_id {
    uint64_t incarnation, sequence;
};

struct logged_event;

struct event_log {
    struct logged_event *ring[EVENT_LOG_MAX]; /* from first on, count of them */
    size_t first, count, bytes;
    struct event_id last; /* that was seen; zeros: none */
    struct event_id lost; /* the newest that is not here any more, or never came */
};

void event_log_done(struct event_log *log);
/* Errors: -ENOMEM: it counts as lost. */
int event_log_add(struct event_log *log, const struct session_event *event);
/* These never came. */
void event_log_gap(struct event_log *log, const struct session_gap *gap);

/* Errors: -EINVAL. */
int event_id_parse(struct span text, struct event_id *ret);
bool event_id_is_after(struct event_id id, struct event_id other);
/* Is there one after this id? */
bool event_log_has(const struct event_log *log, struct event_id after);
/* Is one of this name with this payload among them? */
bool event_log_has_like(const struct event_log *log, struct span name,
                        struct span payload);
/* The oldest events after this id, at most limit, as a table with its columns; a note
 * where some between were lost or more follow; where nothing follows what was lost, a
 * row "session.gap" with its id.  after zeros: the newest. */
void event_log_table(const struct event_log *log, struct event_id after, size_t limit,
                     const struct hostset *hosts, struct table *ret);

#endif
