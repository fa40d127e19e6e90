/* SPDX-License-Identifier: Apache-2.0 */
/* prometheus - responses of /api/v1, as Prometheus 2.42 has it; the room's door.
 *
 *     URL, form ─▶ question ─┬▶ promql ◀───── series_source ◀─┬ store_source: samples
 *                            └▶ label_list ◀───────┘          └ api/jobstats: counters
 *
 * For Grafana without a plugin, promtool and scripts that know Prometheus:
 * https://prometheus.io/docs/prometheus/2.42/querying/api/ .  Rules, alerts, exemplars
 * and targets do not exist here: their lists are empty.
 * Threads  one worker's per request.
 */
#ifndef API_PROMETHEUS_PROMETHEUS_H
#define API_PROMETHEUS_PROMETHEUS_H

#include "api/prometheus/question.h"
#include "api/prometheus/series_source.h"

enum prometheus_endpoint {
    PROMETHEUS_QUERY,
    PROMETHEUS_QUERY_RANGE,
    PROMETHEUS_LABELS,
    PROMETHEUS_LABEL_VALUES,
    PROMETHEUS_SERIES,
    PROMETHEUS_METADATA,
    PROMETHEUS_FORMAT_QUERY,
    PROMETHEUS_BUILD_INFO,
    PROMETHEUS_NO_RULES,
    PROMETHEUS_NO_ALERTS,
    PROMETHEUS_NO_EXEMPLARS,
    PROMETHEUS_NO_TARGETS,
    _PROMETHEUS_COUNT,
};

struct prometheus_request {
    enum prometheus_endpoint endpoint;
    struct span label; /* of PROMETHEUS_LABEL_VALUES */
    struct question question;
    struct series_source source;
    int64_t now_ms;
};

/* Append the body, of a result or of an error; returns the status of HTTP.
 * 400: the question; 422: it cannot be computed, or is too much; 429: the sender has
 * its share of memory; 503: canceled, too long, or busy; 500: reading failed. */
unsigned prometheus_respond(struct prometheus_request *request, struct strbuf *out);
/* The same for an error that comes before. */
unsigned prometheus_error(int rc, const char *text, struct strbuf *out);

#endif
