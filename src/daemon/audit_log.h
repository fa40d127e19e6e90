/* SPDX-License-Identifier: Apache-2.0 */
/* audit_log - the lines "audit:" of the log: how many of each kind are written.
 *
 * What was done is always logged; what was refused only so often, since every client
 * that is known can cause it.  While something is away each request ends the same way:
 * a line a minute.  The next line that is written has how many were not.
 *
 * Threads  any.
 */
#ifndef DAEMON_AUDIT_LOG_H
#define DAEMON_AUDIT_LOG_H

#include "base/log.h"
#include "net/net.h"

/* Each of its own, so that none hides another. */
struct audit_log {
    struct log_limit refused; /* 401, 403 */
    struct log_limit slowed;  /* 429 */
    struct log_limit outage;
};

#define AUDIT_LOG_INIT                                                   \
    {                                                                    \
        .refused = LOG_LIMIT_INIT, .slowed = LOG_LIMIT_INIT, .outage = { \
            .burst = 1,                                                  \
            .window_s = 60                                               \
        }                                                                \
    }

void audit_log_write(struct audit_log *log, const struct net_audit *audit);

#endif
