/* SPDX-License-Identifier: Apache-2.0 */
/* service - the agent as a whole: its parts, the loop that they share, its signals.
 *
 *     rounds ──▶ commit ──▶ sender          totals ──▶ ring
 *
 * SIGTERM and SIGINT end it, SIGUSR1 reports its counters, SIGHUP reports that it
 * changes nothing.
 * Threads  the caller's is the loop's; the sender and the ring have one each.
 */
#ifndef AGENT_SERVICE_H
#define AGENT_SERVICE_H

#include "agent/config.h"
#include "agent/report.h"
#include "base/strbuf.h"

enum service_mode {
    SERVICE_FOREVER,
    SERVICE_ONCE, /* each target once, and what there is sent */
};

struct agent_service;

/* opts, folds and report must outlive the service, which lives as long as the process:
 * reads that hang, and a request under way at the end, still point to it.  Errors:
 * -ENOMEM, of the state, the spool, the server's address, the token. */
int agent_service_new(const struct agent_opts *opts, const struct agent_folds *folds,
                      const struct agent_report *report, struct agent_service **ret,
                      struct err *err);
/* Run until a signal, or with SERVICE_ONCE until each target was read and sent.
 * Errors: -EIO (SERVICE_ONCE: a read failed or could not be stored), -EAGAIN (something
 * could not be sent), what starting returns. */
int agent_service_run(struct agent_service *service, enum service_mode mode,
                      struct err *err);
/* All counters, in the text form of Prometheus, appended to out. */
void agent_service_counters(struct agent_service *service, struct strbuf *out);

#endif
