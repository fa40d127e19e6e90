/* SPDX-License-Identifier: Apache-2.0 */
/* evaluation - one query while it runs: its limits, its memory, its error.
 *
 * Threads  none inside: a query belongs to one thread.
 */
#ifndef PROMQL_EVALUATION_H
#define PROMQL_EVALUATION_H

#include "base/arena.h"
#include "promql/source.h"
#include "promql/step.h"

struct promql_request {
    struct span text;
    int64_t start_ms, end_ms;
    int64_t step_ms;     /* 0: an instant query at start_ms, which end_ms is, too */
    int64_t lookback_ms; /* 0: five minutes */
    int64_t subquery_step_ms; /* 0: one minute */
    size_t samples_max;       /* read and computed; 0: 50 million, as Prometheus has */
    size_t memory_bytes_max;  /* 0: 1 GiB */
    /* 0: go on; -ECANCELED, -ETIMEDOUT: end the query.  May be NULL. */
    int (*is_canceled)(void *arg);
    void *cancel_arg;
};

struct evaluation {
    const struct promql_request *request;
    const struct promql_source *source;
    struct arena arena; /* labels and texts, until the query ends */
    size_t row_bytes;   /* of all sets of rows */
    size_t samples;     /* read and computed so far */
    size_t spent; /* of what windows read again, since it was seen whether to end */
    struct err *err;
};

/* Count samples against the limit, and see whether the query is to end.
 * Errors: -E2BIG, what is_canceled returned. */
int evaluation_charge(struct evaluation *ev, size_t samples);

/* Likewise for samples that were counted when they were read, and are read again: no
 * limit, but many of them take long.  Errors: what is_canceled returned. */
int evaluation_spend(struct evaluation *ev, size_t samples);

/* Memory of rows. Errors: -E2BIG. */
int evaluation_charge_bytes(struct evaluation *ev, size_t bytes);

/* -ENOMEM or -E2BIG, with a line for a person. */
int evaluation_no_memory(struct evaluation *ev);

#endif
