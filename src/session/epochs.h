/* SPDX-License-Identifier: Apache-2.0 */
/* epochs - the trigger, and what a subtree contributes to each.
 *
 *     control node   announces epoch and instant, lead before it
 *     each node      hands it on, samples at the instant, merges what its children
 *                    contribute, and sends it up when all have, or at its deadline:
 *
 *     instant                                             instant + deadline
 *        |------ leaves --|------ parents --|------ control node ------|
 */
#ifndef SESSION_EPOCHS_H
#define SESSION_EPOCHS_H

#include "session/state.h"

void epochs_trigger(struct session_node *node, const struct session_trigger *trigger);
void epochs_contribution(struct session_peer *child, struct session_contribution *c);
/* What this node contributes, as long as node_hold() holds it; else NULL. */
struct bundle *epochs_held(struct session_node *node, const struct session_instant *at);
void epochs_release(struct session_node *node, const struct session_instant *at);
/* What is reduced by the callback, until epochs_reduced(); else NULL. */
struct bundle *epochs_reducing(struct session_node *node,
                               const struct session_instant *at);
void epochs_reduced(struct session_node *node, const struct session_instant *at);
/* A child is gone, and is not waited for any more. */
void epochs_child_gone(struct session_node *node, uint32_t rank);
/* Announce, sample and close what is due. */
void epochs_run(struct session_node *node);
/* By clock_now_ns(); 0: nothing. */
int64_t epochs_due_ns(const struct session_node *node);
void epochs_done(struct session_node *node);

#endif
