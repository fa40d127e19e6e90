/* SPDX-License-Identifier: Apache-2.0 */
/* resources - statements about resources from all ways in to the records, and from
 * there into memory.
 *
 * Threads  the writer's, but load at the start.
 */
#ifndef DAEMON_HEALTH_RESOURCES_H
#define DAEMON_HEALTH_RESOURCES_H

#include "daemon/parts.h"

/* What is stored is loaded where it is not, or where the database is another one. */
void resources_load(struct daemon_parts *parts);
/* parts, as struct submission_sink has it. */
int resources_put(void *arg, const struct resource_statement *statements, size_t count,
                  struct submission_result *ret, struct err *err);
/* What readings of targets, which are stored, state about the targets. */
void resources_of_readings(struct daemon_parts *parts,
                           const struct target_reading *readings, size_t count);

#endif
