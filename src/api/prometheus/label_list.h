/* SPDX-License-Identifier: Apache-2.0 */
/* label_list - which labels, values of a label, and series there are.
 *
 *     /api/v1/labels                  names      ["__name__","cluster",...]
 *     /api/v1/label/hostname/values   values     ["a0903",...]
 *     /api/v1/series?match[]=...      series     [{"__name__":"cpu_load",...},...]
 *
 * Of series whose newest sample in memory is older than the wanted time nothing is
 * listed.  Of counters of jobs is listed what moved within the time, the last day where
 * none is given; without selectors their names, and the values that groups have.
 * Memory   what is listed, each once; charged to the source's hold.
 */
#ifndef API_PROMETHEUS_LABEL_LIST_H
#define API_PROMETHEUS_LABEL_LIST_H

#include "api/prometheus/series_source.h"

enum label_list_what { LIST_NAMES, LIST_VALUES, LIST_SERIES };

/* One match[]. */
struct label_selector {
    const struct matcher *matchers;
    size_t count;
};

struct label_list_request {
    struct series_source *source;
    enum label_list_what what;
    struct span label;                      /* LIST_VALUES */
    const struct label_selector *selectors; /* none: every series */
    size_t selector_count;
    int64_t from_ms; /* INT64_MIN: at any time */
    int64_t to_ms;   /* of counters of jobs; INT64_MAX: now */
};

/* A JSON array, sorted.  Errors: those of series_walk_run(), job_series_select() and of
 * the hold, -ENOMEM. */
int label_list_write(const struct label_list_request *wanted, struct strbuf *out,
                     struct err *err);

#endif
