/* SPDX-License-Identifier: Apache-2.0 */
/* metric_api - what every query of the metric store needs; private to api. */
#ifndef API_METRIC_API_H
#define API_METRIC_API_H

#include "base/system/budget.h"
#include "net/net.h"
#include "query/query.h"
#include "store/store.h"

#include <stdatomic.h>

struct live;
struct cell_cache;
struct metric_call;
struct rows_readers;
struct workers;

struct metric_api {
    struct metric_store *store;
    struct records *records;  /* which jobs ran where, and what they did */
    struct live *live;        /* NULL: all of that is read from the database */
    struct cell_cache *cells; /* hours of it in memory; NULL: none */
    enum metric_strictness strictness;
    struct workers *workers;
    int64_t timeout_ns;              /* of a query; 0: none */
    struct budget_account *queries;  /* NULL: no limit */
    const _Atomic bool *is_stopping; /* what is under way becomes 503 */
    _Atomic uint64_t *stopped_count; /* queries that were cut off */
    struct metric_call *call;        /* a handler's own query */
    struct rows_readers *readers;    /* the worker's that runs it; NULL: no memory */
};

#endif
