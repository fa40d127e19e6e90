/* SPDX-License-Identifier: Apache-2.0 */
/* memory - [barod] memory_max divided among all that takes memory.
 *
 *     process      code, threads, the database's own caches: PROCESS_BYTES
 *     connections  64 KiB each, and as much for a small response
 *     requests     [net] body_budget        responses  [net] response_budget
 *     questions    [barod] query_budget  queue      [barod] queue_bytes_max
 *     caches       [barod] live_bytes_max and [records] series_cache
 *     store        [store] memory_max, or what the others leave
 *
 * What the administrator has configured stays; the other parts are lowered where they
 * do not fit memory_max or what the control group allows (doc/decisions/0326).
 */
#ifndef DAEMON_MEMORY_H
#define DAEMON_MEMORY_H

#include "base/system/budget.h"
#include "daemon/config/config.h"

enum daemon_store_use {
    DAEMON_WITHOUT_STORE,
    DAEMON_WITH_STORE,
};

/* What the process may have. */
struct daemon_memory_limit {
    uint64_t bytes;   /* CGROUP_UNLIMITED: no limit */
    const char *path; /* of the file that says so */
};

/* Divide, give net its accounts, and set every limit in opts that the configuration
 * does not name.  warning receives a line about those that were lowered; empty: none
 * was. Errors: -EINVAL (what is configured does not fit memory_max, or that not the
 * limit). */
int daemon_memory_divide(struct daemon_opts *opts, const struct config *config,
                         enum daemon_store_use use,
                         const struct daemon_memory_limit *limit, struct budget *budget,
                         struct strbuf *warning, struct err *err);

/* A line of --check: how much it is, and which limit it was judged by. */
void daemon_memory_print(const struct budget *budget,
                         const struct daemon_memory_limit *limit, struct strbuf *out);
/* It may become more than the machine has. */
void daemon_memory_warn_ram(uint64_t total_bytes, uint64_t ram_bytes);

#endif
