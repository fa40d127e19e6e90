/* SPDX-License-Identifier: Apache-2.0 */
/* store_section - the sections [store] and [metric NAME], and what their texts mean. */
#ifndef DAEMON_CONFIG_STORE_SECTION_H
#define DAEMON_CONFIG_STORE_SECTION_H

#include "base/config.h"
#include "query/query.h"

extern const struct config_section daemon_store_section;
extern const struct config_section daemon_metric_section;

struct daemon_store_opts {
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

/* A step as the store has it, out of a time, "none" or "found".  Errors: -EINVAL. */
int daemon_step_parse(struct span text, int64_t *ret_ns);
#define DAEMON_STEP_TEXT "neither a time such as 10s, nor found, nor none"

/* What compat means.  Errors: -EINVAL. */
int daemon_strictness(const struct daemon_store_opts *opts, enum metric_strictness *ret,
                      struct err *err);
/* What archive means.  Errors: -EINVAL. */
int daemon_store_archive(const struct daemon_store_opts *opts, bool *ret_is_deleted,
                         struct err *err);
/* The section [metric NAME]; its texts point into config.  Errors: -EINVAL. */
int daemon_metric_read(const struct config *config, const char *name,
                       struct metric *ret, struct err *err);

#endif
