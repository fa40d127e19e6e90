/* SPDX-License-Identifier: Apache-2.0 */
/* events - published anywhere, numbered by the control node, delivered everywhere.
 *
 *     origin ── publish ──▶ ... ──▶ control node: (incarnation, sequence)
 *     every node ◀── event ── ... ◀──┘
 *
 * An origin stores what it published until it sees it come back with a number, and
 * sends it again meanwhile; the control node numbers the publications of an origin one
 * after another, each once.  A node stores the last events for its children: one that
 * comes back resumes after the last that it has seen, or receives the gap.
 */
#ifndef SESSION_EVENTS_H
#define SESSION_EVENTS_H

#include "session/state.h"

/* Errors: as node_publish().  The names of the session itself ("session.") are for the
 * control node, by events_announce(). */
int events_publish(struct session_node *node, uint32_t uid, struct span name,
                   struct span payload);
int events_announce(struct session_node *node, struct span name, struct span payload);
/* From a child, on its way up. */
void events_published(struct session_peer *child, const struct session_event *event,
                      struct span body);
/* Whether the control node signed it; a parent that alters events is left.
 * Errors: -EBADMSG. */
int events_check_numbered(struct session_peer *parent,
                          const struct session_event *event, struct span body);
/* From the parent. */
void events_received(struct session_node *node, const struct session_event *event,
                     struct span body);
void events_gap(struct session_node *node, const struct session_gap *gap);
/* What a child has seen. */
void events_resume(struct session_peer *child, uint64_t incarnation, uint64_t sequence);
/* This node was welcomed where the last event is this one. */
void events_joined(struct session_node *node, uint64_t incarnation, uint64_t sequence);

/* Send children what they have not seen, and the parent what has no number yet. */
void events_push(struct session_node *node);
void events_resend(struct session_node *node);
void events_done(struct session_node *node);

#endif
