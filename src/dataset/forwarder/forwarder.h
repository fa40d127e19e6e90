/* SPDX-License-Identifier: Apache-2.0 */
/* forwarder - the door of dataset/forwarder: datasets served from a repository, or
 * forwarded from upstreams through a cache.
 *
 * Threads  forwarder_run() is one loop and a few workers; forwarder_stats_fetch()
 * waits.
 */
#ifndef DATASET_FORWARDER_FORWARDER_H
#define DATASET_FORWARDER_FORWARDER_H

#include "base/strbuf.h"
#include "base/table/table.h"
#include "dataset/forwarder/chunk/chunk_source.h"
#include "dataset/forwarder/chunk/chunk_target.h"
#include "dataset/forwarder/config.h"
#include "dataset/forwarder/doctor.h"
#include "dataset/forwarder/parts.h"
#include "dataset/forwarder/report.h"

/* Until SIGTERM or SIGINT; SIGUSR1 reports the counters.  Errors: those of what it
 * opens, with a line. */
int forwarder_run(const struct forwarder_opts *opts,
                  const struct forwarder_report *report, struct err *err);
/* What another room serves out of the same loop: it may find datasets and chunks as the
 * doors do.  start() is called before the loop runs, stop() when it is to end. */
struct forwarder_extra {
    int (*start)(void *arg, const struct forwarder_parts *parts, struct err *err);
    void (*stop)(void *arg);
    void *arg;
};
int forwarder_run_with(const struct forwarder_opts *opts,
                       const struct forwarder_extra *extra,
                       const struct forwarder_report *report, struct err *err);
/* Opens what it would open but for the sockets, and closes it. */
int forwarder_check(const struct forwarder_opts *opts, struct err *err);
/* The same, where no socket is needed. */
int forwarder_check_with(const struct forwarder_opts *opts, struct err *err);

/* The counters of the forwarder at "unix:PATH" or "HOST:PORT", a line each: name,
 * blank, value.  Errors: those of connect, -ETIMEDOUT (not within wait_s), -EBADMSG,
 * with a line. */
int forwarder_stats_fetch(const char *address, unsigned wait_s, struct strbuf *out,
                          struct err *err);
/* The same as a table: counter, value. */
int forwarder_stats_table(const char *address, struct table *out, struct err *err);

#endif
