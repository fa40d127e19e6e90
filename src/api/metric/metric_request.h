/* SPDX-License-Identifier: Apache-2.0 */
/* metric_request - the bodies that cc-metric-store's clients send, understood.
 *
 * Members that are not known are passed over, as the peer does, but for the health
 * check's; a member of another type refuses the body.
 *
 * Memory   spans point into the request, which owns their bytes.
 */
#ifndef API_METRIC_REQUEST_H
#define API_METRIC_REQUEST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/system/budget.h"
#include "query/query.h"

struct metric_query {
    struct span metric;
    struct metric_selection selection; /* cluster is the request's */
    int64_t resolution_s;
    double scale; /* 0: none */
};

struct metric_request {
    struct span cluster;
    int64_t from_s, to_s;
    bool has_stats, has_data, has_padding;
    struct metric_query *queries;
    size_t query_count;
    struct metric_names for_all; /* metrics asked of every host */
    struct span *spans;          /* of all lists */
    struct arena arena;
};

/* After a parse that failed: the words of the peer's decoder, where the body is empty
 * or ends too early.  Else err stays. */
void metric_request_peer_words(struct span body, struct err *err);

/* hold: what lists and queries take is charged to it; NULL: no limit.
 * Errors: -EBADMSG (not JSON, or not this), -EAGAIN (over hold's limit), -ENOMEM. */
int metric_request_parse(struct span body, struct budget_hold *hold,
                         struct metric_request *ret, struct err *err);
void metric_request_done(struct metric_request *request);
DEFINE_AUTO_DONE(struct metric_request, metric_request_done);

struct health_request {
    struct span cluster;
    struct metric_names nodes, metrics;
    struct span *spans;
    struct arena arena;
};

int health_request_parse(struct span body, struct budget_hold *hold,
                         struct health_request *ret, struct err *err);
void health_request_done(struct health_request *request);
DEFINE_AUTO_DONE(struct health_request, health_request_done);

/* A list of selectors, each a list of names: ["alex","a0903","hwthread7"]. */
struct free_request {
    struct metric_names *selectors;
    size_t selector_count;
    struct span *spans;
    struct arena arena;
};

int free_request_parse(struct span body, struct free_request *ret, struct err *err);
void free_request_done(struct free_request *request);
DEFINE_AUTO_DONE(struct free_request, free_request_done);

#endif
