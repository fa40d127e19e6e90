/* SPDX-License-Identifier: Apache-2.0 */
/* barod_memory - [barod] memory_max divided among all that takes memory.
 *
 *     process      code, threads, the database's own caches: PROCESS_BYTES
 *     connections  64 KiB each, and as much for a small response
 *     requests     [net] body_budget        responses  [net] response_budget
 *     questions    [barod] question_budget  queue      [barod] queue_bytes_max
 *     live         [barod] live_bytes_max   series     [records] series_cache
 *     store        [store] memory_max, or what the others leave
 */
#ifndef CMD_BAROD_MEMORY_H
#define CMD_BAROD_MEMORY_H

#include "base/budget.h"
#include "cmd/barod_config.h"

enum barod_store_use {
    BAROD_WITHOUT_STORE,
    BAROD_WITH_STORE,
};

/* Divide, give net its accounts, and set opts->store.memory_bytes_max where the
 * configuration does not.  cgroup_limit is cgroup_memory_limit(), cgroup_path its file.
 * Errors: -EINVAL (the parts do not fit memory_max, or memory_max not the limit). */
int barod_memory_divide(struct barod_opts *opts, enum barod_store_use use,
                        uint64_t cgroup_limit, const char *cgroup_path,
                        struct budget *budget, struct err *err);

#endif
