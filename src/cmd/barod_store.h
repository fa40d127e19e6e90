/* SPDX-License-Identifier: Apache-2.0 */
/* barod_store - the sections [store] and [metric NAME], and the store they make. */
#ifndef CMD_BAROD_STORE_H
#define CMD_BAROD_STORE_H

#include "base/config.h"
#include "query/query.h"

extern const struct config_section barod_store_section;
extern const struct config_section barod_metric_section;

struct barod_store_opts {
    const char *directory, *compat, *archive;
    int64_t retention_ns;
    uint64_t memory_bytes_max;
    uint64_t series_max;
    uint64_t shards;
    int64_t sync_ns;
    int64_t checkpoint_ns;
    uint64_t checkpoint_log_bytes;
    int64_t archive_ns;
    int64_t own_ns; /* 0: never */
};

/* A step as it is kept, out of a time, "none" or "found".  Errors: -EINVAL. */
int barod_parse_step(struct span text, int64_t *ret_ns);
#define BAROD_STEP_IS_NONE "neither a time such as 10s, nor found, nor none"

/* Errors: -EINVAL. */
int barod_strictness(const struct barod_store_opts *opts, enum metric_strictness *ret,
                     struct err *err);

/* Open the store and declare its metrics.  *ret stays NULL where the configuration has
 * neither section.  Errors: -EINVAL, what opening says. */
int barod_store_open(const struct config *config, const struct barod_store_opts *opts,
                     struct metric_store **ret, struct err *err);
/* What opening would say, without touching what is kept: *ret is a store in memory.
 * Errors: the same, and that the directory cannot be written. */
int barod_store_check(const struct config *config, const struct barod_store_opts *opts,
                      struct metric_store **ret, struct err *err);

#endif
