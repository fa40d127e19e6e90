/* SPDX-License-Identifier: Apache-2.0 */
/* space_route - GET /v1/space: how full file systems are, and when they will be full;
 * GET /v1/failovers: which of their targets moved to another server; GET /v1/health:
 * what was read of them; private to api.
 *
 *     store ─▶ space_targets, space_holdings ─▶ analysis/space ─▶ report/space
 *          target_moves
 *     records ─▶ target_health
 */
#ifndef API_SPACE_ROUTE_H
#define API_SPACE_ROUTE_H

#include "api/api_private.h"

/* As api_route has them. */
int space_read(struct net_request *request, void **ret_query, struct err *err);
int space_fetch(const struct api_readers *readers, const void *query,
                struct api_result *ret, struct err *err);

struct table;

struct space_range {
    const char *fs;
    int64_t from_ns, to_ns;
};

/* The rows of targets of a file system over a range, for other routes.
 * Errors: -ENOENT (there is no metric store), -ENOMEM, what reading returns. */
int space_of_targets(const struct api_readers *readers, struct budget_hold *hold,
                     const struct space_range *range, struct table *ret,
                     struct err *err);

/* As api_route has them. */
int failovers_read(struct net_request *request, void **ret_query, struct err *err);
int failovers_fetch(const struct api_readers *readers, const void *query,
                    struct api_result *ret, struct err *err);

int health_read(struct net_request *request, void **ret_query, struct err *err);
int health_fetch(const struct api_readers *readers, const void *query,
                 struct api_result *ret, struct err *err);

struct failover_range {
    const char *fs; /* a pattern */
    int64_t from_ns, to_ns;
};

/* The same rows for other routes; ret is initialised and empty.
 * Errors: -ENOENT (there is no metric store), what reading returns. */
int failovers_of_targets(const struct api_readers *readers, struct budget_hold *hold,
                         const struct failover_range *range, struct table *ret,
                         struct err *err);

/* Readings of targets, those that differ, likewise.
 * Errors: -ENOENT (there is none), what reading returns. */
int health_of_targets(const struct api_readers *readers, struct budget_hold *hold,
                      const struct failover_range *range, struct table *ret,
                      struct err *err);

#endif
