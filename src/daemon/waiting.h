/* SPDX-License-Identifier: Apache-2.0 */
/* waiting - a barod whose database is not there yet: metrics go on, rows wait.
 *
 *     start ─▶ -EAGAIN ─▶ everything listens; rows and questions of them are 503
 *                             │ the writer tries, every second, later every ten
 *                             ▼
 *                         there: memory is warmed, rows are taken
 *
 * Threads  try is called on the writer's thread, which owns the database; everything
 *          else is the program's.
 */
#ifndef DAEMON_WAITING_H
#define DAEMON_WAITING_H

#include "daemon/parts.h"

#define DAEMON_STATUS_READY "accepts data and serves queries"

struct daemon_waiting;

/* err says why the database is not there.  rooms and loop outlive it; where waiting is
 * of no use any more, loop is stopped.  Errors: -ENOMEM. */
int daemon_waiting_new(struct daemon_parts *parts, uv_loop_t *loop, struct err *err,
                       struct daemon_waiting **ret);
/* After the writer has stopped; the loop has one more turn to make. */
void daemon_waiting_free(struct daemon_waiting *waiting);

/* Try again when it is time.  False: the database is there, or always was (NULL). */
bool daemon_waiting_is_on(struct daemon_waiting *waiting);
/* After the loop: why it was stopped.  0: by others.  Errors: what records_connect
 * says, where it is nothing that passes. */
int daemon_waiting_outcome(const struct daemon_waiting *waiting, struct err *err);

/* What is asked of the last hour is answered from memory: read what was there before
 * the start.  Without it, for as long, the database answers. */
void daemon_warm(struct daemon_parts *parts);

#endif
