/* SPDX-License-Identifier: Apache-2.0 */
/* store - the metric store that [store] and [metric NAME] describe. */
#ifndef DAEMON_STORE_H
#define DAEMON_STORE_H

#include "daemon/config/config.h"
#include "daemon/jobs/jobs.h"
#include "store/store.h"

/* Open the store and declare its metrics; what it has to report goes to the log.  *ret
 * stays NULL where the configuration has neither section.  running outlives the store
 * and has the hosts that are exempt from the retention; NULL: none are. Errors:
 * -EINVAL, those of metric_store_open(). */
int daemon_store_open(const struct config *config, const struct daemon_store_opts *opts,
                      struct running_hosts *running, struct metric_store **ret,
                      struct err *err);
/* What opening would report, without touching the directory: *ret is a store in memory.
 * Errors: the same, and that the directory cannot be written. */
int daemon_store_check(const struct config *config,
                       const struct daemon_store_opts *opts, struct metric_store **ret,
                       struct err *err);

#endif
