/* SPDX-License-Identifier: Apache-2.0 */
/* space_route - GET /v1/space: how full file systems are, and when they will be full;
 * GET /v1/failovers: which of their targets moved to another server; GET /v1/health:
 * what was read of them. */
#include "api/space_route.h"

#include "api/params.h"
#include "api/reading/reading.h"
#include "api/time_range.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "report/report.h"

#define FS_BYTES_MAX 256
#define LAST_DEFAULT_NS (14 * DAY_NS)
#define DAY_NS (86400 * NS_PER_S)
#define LAST_NS_MIN (600 * NS_PER_S)
#define STEPS_DEFAULT 240
#define STEP_NS_MIN (60 * NS_PER_S)
#define LIMIT_MAX 100000
#define OWNERS_DEFAULT 50
#define HEALTH_AGE_NS (3600 * NS_PER_S) /* a reading holds for so long */

/* Texts are the query's own: the request's end with its handler. */
struct space_query {
    char fs[FS_BYTES_MAX + 1];
    bool is_by_target;
    const char
        *owner; /* "user", "group" or "project"; NULL: of file systems or targets */
    struct time_range range;
    uint64_t limit;
};

static int query_by(struct space_query *q, struct span value)
{
    static const char *const owners[] = { "user", "group", "project" };
    q->is_by_target = span_is(value, "target");
    q->owner = NULL;
    for (size_t i = 0; i < COUNT_OF(owners); i++)
        if (span_is(value, owners[i]))
            q->owner = owners[i];
    return q->owner || q->is_by_target || span_is(value, "fs") ? 0 : -EINVAL;
}

static int query_param(struct space_query *q, struct span name, struct span value)
{
    int is_range = time_range_param(&q->range, name, value);
    if (is_range != 0)
        return is_range;
    if (span_is(name, "fs"))
        return api_params_text(value, q->fs, sizeof q->fs);
    if (span_is(name, "by"))
        return query_by(q, value);
    int rc = number_parse_u64(value, &q->limit);
    return rc == 0 && (q->limit < 1 || q->limit > LIMIT_MAX) ? -EINVAL : rc;
}

static int query_finish(struct space_query *q, struct err *err)
{
    int rc = time_range_finish(&q->range, err);
    if (rc < 0)
        return rc;
    if (q->range.to_ns - q->range.from_ns < LAST_NS_MIN)
        return err_set(err, EINVAL, "last: the range is shorter than 10m");
    return 0;
}

int space_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct space_query *q = calloc(1, sizeof *q);
    struct span name, value;
    if (!q)
        return -ENOMEM;
    *q =
        (struct space_query){ .fs = "*", .range = time_range_of_last(LAST_DEFAULT_NS) };
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        if (!span_is(name, "format") && query_param(q, name, value) < 0)
            return api_params_refuse_value(PARAM_SPACE, name, value, err);
    int rc = query_finish(q, err);
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Steps are whole minutes. */
static int64_t step_of(int64_t length_ns)
{
    int64_t step_ns = (length_ns + STEPS_DEFAULT - 1) / STEPS_DEFAULT;
    return (step_ns + STEP_NS_MIN - 1) / STEP_NS_MIN * STEP_NS_MIN;
}

/* ---- by user, group or project ---- */

static int64_t history_least(const struct space_query *q)
{
    return least(DAY_NS, (q->range.to_ns - q->range.from_ns) / 2);
}

/* A silent target counts in no sum after a day. */
static int64_t stale_of(int64_t step_ns)
{
    return 2 * step_ns > DAY_NS ? 2 * step_ns : DAY_NS;
}

static int owner_trends(const struct space_query *q,
                        const struct space_targets_opts *opts,
                        struct space_owner *owner, double *values)
{
    int rc = 0;
    for (int what = 0; rc == 0 && what < SPACE_WHAT_COUNT; what++) {
        rc = space_holdings_history(opts, q->owner, owner, (enum space_what)what,
                                    values);
        if (rc == 0)
            rc = space_owner_trend(owner, (enum space_what)what, values,
                                   opts->value_count, opts->step_ns, history_least(q));
    }
    return rc;
}

static int owners_write(const struct space_query *q, const struct api_readers *readers,
                        const struct space_owners *owners, struct api_result *ret)
{
    AUTO(table_done) struct table table;
    const struct owner_table_opts opts = { owners, q->owner,
                                           q->limit ? q->limit : OWNERS_DEFAULT };
    table_init(&table);
    int rc = owner_table_make(&opts, &table);
    if (rc == 0 && readers->ctx)
        user_names_add(readers->ctx->history, q->range.to_ns / NS_PER_MS, &table);
    if (rc == 0)
        rc = budget_hold_add(ret->hold, table_bytes(&table));
    if (rc < 0)
        return rc;
    api_table_print(readers, &table, ret->body);
    return strbuf_error(ret->body);
}

/* Histories are read of those that are shown. */
static int owners_fetch(const struct space_query *q,
                        const struct space_targets_opts *opts,
                        const struct api_readers *readers, struct api_result *ret,
                        struct err *err)
{
    AUTO(space_holdings_done) struct space_holdings holdings = { 0 };
    AUTO(space_owners_done) struct space_owners owners = { 0 };
    AUTO_FREE double *values = calloc(opts->value_count, sizeof *values);
    size_t shown = q->limit ? q->limit : OWNERS_DEFAULT;
    int rc = values ? space_holdings_read(opts, q->owner, stale_of(opts->step_ns),
                                          &holdings, err)
                    : -ENOMEM;
    if (rc == 0)
        rc = space_owners_find(holdings.items, holdings.count, &owners);
    for (size_t i = 0; rc == 0 && i < owners.count && i < shown; i++)
        rc = owner_trends(q, opts, &owners.items[i], values);
    return rc == 0 ? owners_write(q, readers, &owners, ret) : rc;
}

/* ---- by file system or target ---- */

static int space_rows_make(const struct space_query *q,
                           const struct space_targets *targets, int64_t step_ns,
                           size_t count, struct budget_hold *hold, struct table *ret)
{
    AUTO(space_results_done) struct space_results results = { 0 };
    const struct space_check_opts check = {
        .targets = targets->items,
        .target_count = targets->count,
        .count = count,
        .from_ns = q->range.from_ns,
        .step_ns = step_ns,
        .history_ns_min = history_least(q),
        .stale_ns = stale_of(step_ns),
    };
    const struct space_table_opts opts = { &results, &check, q->is_by_target,
                                           q->limit };
    int rc = space_check(&check, &results);
    if (rc == 0)
        rc = space_table_make(&opts, ret);
    return rc == 0 ? budget_hold_add(hold, table_bytes(ret)) : rc;
}

static struct space_targets_opts targets_opts_of(const struct api_readers *readers,
                                                 const struct space_query *q,
                                                 struct budget_hold *hold)
{
    int64_t step_ns = step_of(q->range.to_ns - q->range.from_ns);
    size_t count =
        (size_t)((q->range.to_ns - q->range.from_ns + step_ns - 1) / step_ns);
    return (struct space_targets_opts){ .store = readers->api->opts.store,
                                        .watch = readers->watch,
                                        .watch_arg = readers->watch_arg,
                                        .fs = q->fs,
                                        .from_ns = q->range.from_ns,
                                        .step_ns = step_ns,
                                        .value_count = count,
                                        .hold = hold };
}

static int space_rows_read(const struct space_targets_opts *opts,
                           const struct space_query *q, struct table *ret,
                           struct err *err)
{
    AUTO(space_targets_done) struct space_targets targets = { 0 };
    int rc = space_targets_read(opts, &targets, err);
    return rc == 0 ? space_rows_make(q, &targets, opts->step_ns, opts->value_count,
                                     opts->hold, ret)
                   : rc;
}

int space_of_targets(const struct api_readers *readers, struct budget_hold *hold,
                     const struct space_range *range, struct table *ret,
                     struct err *err)
{
    AUTO_FREE struct space_query *q = calloc(1, sizeof *q);
    if (!q)
        return -ENOMEM;
    *q = (struct space_query){ .is_by_target = true,
                               .range = { .from_ns = range->from_ns,
                                          .to_ns = range->to_ns } };
    if (api_params_text(span_of(range->fs), q->fs, sizeof q->fs) < 0 ||
        range->to_ns - range->from_ns < LAST_NS_MIN)
        return err_set(err, ENOENT, "no file system, or a range shorter than 10m");
    const struct space_targets_opts opts = targets_opts_of(readers, q, hold);
    if (!opts.store)
        return err_set(err, ENOENT, "this barod has no metric store");
    return space_rows_read(&opts, q, ret, err);
}

int space_fetch(const struct api_readers *readers, const void *query,
                struct api_result *ret, struct err *err)
{
    const struct space_query *q = query;
    AUTO(table_done) struct table table;
    table_init(&table);
    const struct space_targets_opts opts = targets_opts_of(readers, q, ret->hold);
    if (!opts.store)
        return err_set(err, ENOENT, "this barod has no metric store");
    if (q->owner)
        return owners_fetch(q, &opts, readers, ret, err);
    int rc = space_rows_read(&opts, q, &table, err);
    if (rc < 0)
        return rc;
    api_table_print(readers, &table, ret->body);
    return strbuf_error(ret->body);
}

/* ---- which moved to another server ---- */

/* Texts are the query's own: the request's end with its handler. */
struct failover_query {
    char fs[FS_BYTES_MAX + 1];
    struct time_range range;
};

static int failover_param(struct failover_query *q, struct span name, struct span value)
{
    int is_range = time_range_param(&q->range, name, value);
    return is_range != 0 ? is_range : api_params_text(value, q->fs, sizeof q->fs);
}

int failovers_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct failover_query *q = calloc(1, sizeof *q);
    struct span name, value;
    if (!q)
        return -ENOMEM;
    *q = (struct failover_query){ .fs = "*", .range = time_range_of_last(DAY_NS) };
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        if (!span_is(name, "format") && failover_param(q, name, value) < 0)
            return api_params_refuse_value(PARAM_FAILOVERS, name, value, err);
    int rc = time_range_finish(&q->range, err);
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

int failovers_of_targets(const struct api_readers *readers, struct budget_hold *hold,
                         const struct failover_range *range, struct table *ret,
                         struct err *err)
{
    const struct target_moves_opts opts = { .store = readers->api->opts.store,
                                            .watch = readers->watch,
                                            .watch_arg = readers->watch_arg,
                                            .fs = range->fs,
                                            .from_ns = range->from_ns,
                                            .to_ns = range->to_ns,
                                            .hold = hold };
    if (!opts.store)
        return err_set(err, ENOENT, "this barod has no metric store");
    int rc = target_moves_read(&opts, ret, err);
    return rc == 0 ? budget_hold_add(hold, table_bytes(ret)) : rc;
}

int failovers_fetch(const struct api_readers *readers, const void *query,
                    struct api_result *ret, struct err *err)
{
    const struct failover_query *q = query;
    const struct failover_range range = { q->fs, q->range.from_ns, q->range.to_ns };
    AUTO(table_done) struct table table;
    table_init(&table);
    int rc = failovers_of_targets(readers, ret->hold, &range, &table, err);
    if (rc < 0)
        return rc;
    api_table_print(readers, &table, ret->body);
    return strbuf_error(ret->body);
}

/* ---- what was read of them ---- */

/* Texts are the query's own: the request's end with its handler. */
struct health_query {
    char fs[FS_BYTES_MAX + 1], cluster[FS_BYTES_MAX + 1];
    struct time_range range;
    int64_t at_ns;
    bool is_all;
};

static int health_param(struct health_query *q, struct span name, struct span value)
{
    int is_range = time_range_param(&q->range, name, value);
    if (is_range != 0)
        return is_range;
    if (span_is(name, "at"))
        return timetext_parse_user(value, clock_now_ns(), &q->at_ns);
    if (span_is(name, "fs"))
        return api_params_text(value, q->fs, sizeof q->fs);
    if (span_is(name, "cluster"))
        return api_params_text(value, q->cluster, sizeof q->cluster);
    q->is_all = span_is(value, "true");
    return q->is_all || span_is(value, "false") ? 0 : -EINVAL;
}

int health_read(struct net_request *request, void **ret_query, struct err *err)
{
    AUTO_FREE struct health_query *q = calloc(1, sizeof *q);
    struct span name, value;
    if (!q)
        return -ENOMEM;
    *q = (struct health_query){ .fs = "*",
                                .range = time_range_of_last(DAY_NS),
                                .at_ns = INT64_MIN };
    for (size_t i = 0; net_request_query_at(request, i, &name, &value); i++)
        if (health_param(q, name, value) < 0)
            return api_params_refuse_value(PARAM_HEALTH, name, value, err);
    if (q->at_ns != INT64_MIN) {
        q->range.from_ns = q->at_ns;
        q->range.to_ns = q->at_ns + 1;
    }
    int rc = time_range_finish(&q->range, err);
    if (rc == 0)
        *ret_query = TAKE(q);
    return rc;
}

static int health_rows_read(const struct api_readers *readers,
                            const struct health_query *q, struct budget_hold *hold,
                            struct table *ret, struct err *err)
{
    const struct target_health_opts opts = { .rows = readers->rows,
                                             .watch = readers->watch,
                                             .watch_arg = readers->watch_arg,
                                             .fs = q->fs,
                                             .cluster =
                                                 q->cluster[0] ? q->cluster : NULL,
                                             .from_ns = q->range.from_ns,
                                             .to_ns = q->range.to_ns,
                                             .age_max_ns = HEALTH_AGE_NS,
                                             .is_all = q->is_all,
                                             .hold = hold };
    int rc = target_health_read(&opts, ret, err);
    return rc == 0 ? budget_hold_add(hold, table_bytes(ret)) : rc;
}

int health_of_targets(const struct api_readers *readers, struct budget_hold *hold,
                      const struct failover_range *range, struct table *ret,
                      struct err *err)
{
    struct health_query q = { .range = { .from_ns = range->from_ns,
                                         .to_ns = range->to_ns } };
    if (api_params_text(span_of(range->fs), q.fs, sizeof q.fs) < 0)
        return err_set(err, ENOENT, "no file system");
    return health_rows_read(readers, &q, hold, ret, err);
}

int health_fetch(const struct api_readers *readers, const void *query,
                 struct api_result *ret, struct err *err)
{
    const struct health_query *q = query;
    AUTO(table_done) struct table table;
    table_init(&table);
    int rc = health_rows_read(readers, q, ret->hold, &table, err);
    if (rc < 0)
        return rc;
    table_to_json(&table, ret->body);
    return strbuf_error(ret->body);
}
