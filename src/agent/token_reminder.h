/* SPDX-License-Identifier: Apache-2.0 */
/* token_reminder - the end of the agent's own token, and the one that replaces it.
 *
 * Reported at the start and each day that it ends within 30 days, and when another one
 * was put in its place.  The senders read the file on their own, before each request.
 * Threads  the loop's, which it does not keep from ending.
 */
#ifndef AGENT_TOKEN_REMINDER_H
#define AGENT_TOKEN_REMINDER_H

#include "agent/report.h"
#include "net/net.h"

#include <uv.h>

struct token_reminder {
    uv_timer_t timer;
    const struct agent_report *report;
    struct token_file *file; /* NULL: there is none */
    struct token token;
    int64_t expires_s; /* 0: no token, or another program's */
    int64_t reminded_ns;
};

/* path NULL or empty, or a file that cannot be read: nothing is reported.  The reminder
 * must outlive the loop. */
void token_reminder_start(struct token_reminder *reminder, const char *path,
                          uv_loop_t *loop, const struct agent_report *report);

#endif
