/* SPDX-License-Identifier: Apache-2.0 */
/* audit_log - the lines "audit:" of the log: how many of each kind are written. */
#include "daemon/audit_log.h"

#include "base/strbuf.h"

/* NULL: each is logged. */
static struct log_limit *limit_of(struct audit_log *log, const struct net_audit *audit)
{
    if (audit->is_bounded)
        return NULL;
    if (audit->is_outage)
        return &log->outage;
    if (audit->status == 429)
        return &log->slowed;
    return audit->status == 401 || audit->status == 403 ? &log->refused : NULL;
}

void audit_log_write(struct audit_log *log, const struct net_audit *audit)
{
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    struct log_limit *limit = limit_of(log, audit);
    net_audit_print(audit, &line);
    if (limit)
        log_limited(limit, LOG_LEVEL_NOTICE, "audit: %s", strbuf_text(&line));
    else
        log_notice("audit: %s", strbuf_text(&line));
}
