/* SPDX-License-Identifier: Apache-2.0 */
/* health_changes - of the readings of targets those that differ.
 *
 *     readings, by target, then by time ─▶ the last at or before the beginning,
 *                                          each that differs from the one before, with
 *                                          that one, and the last of all ─▶ table
 *
 * Space and server are followed apart: one command reports the one, another the other.
 * Of a target whose servers agents name by their hosts, the addresses that clients name
 * them by are left out.  Space differs from 1 % of the target on.  So a window of any
 * length has few rows.
 *
 * Threads  one worker's.
 */
#ifndef API_READING_HEALTH_CHANGES_H
#define API_READING_HEALTH_CHANGES_H

#include "base/err.h"
#include "base/table/table.h"
#include "model/model.h"

struct health_changes;

/* table has the columns already and outlives it.  is_all: every reading after from_ns
 * is a row.  Errors: -ENOMEM. */
int health_changes_new(int64_t from_ns, bool is_all, struct table *table,
                       struct health_changes **ret);
void health_changes_free(struct health_changes *changes);
DEFINE_AUTO(struct health_changes, health_changes_free);

/* Errors: -ENOMEM. */
int health_changes_add(struct health_changes *changes,
                       const struct target_reading *reading);
/* After the last reading. */
int health_changes_end(struct health_changes *changes);

#endif
