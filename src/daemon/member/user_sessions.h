/* SPDX-License-Identifier: Apache-2.0 */
/* user_sessions - what sessions of users report, into the records; what they think of
 * nodes becomes the users' opinion of them.
 *
 *     POST /v1/sessions ─▶ records: each once ─▶ event "health"? ─▶ statement user:UID
 *
 * Both change nothing when they are submitted again: where the second fails the sender
 * sends all again.
 * Threads  the writer's.
 */
#ifndef DAEMON_MEMBER_USER_SESSIONS_H
#define DAEMON_MEMBER_USER_SESSIONS_H

#include "daemon/parts.h"

/* parts, as struct submission_sink has it. */
int user_sessions_put(void *arg, const struct session_report *reports, size_t count,
                      struct submission_result *ret, struct err *err);

#endif
