/* SPDX-License-Identifier: Apache-2.0 */
/* metric_selector - the components that a request names: which there are, and what it
 * names that is not there.
 *
 *     alex/r30c[09-24]  ──▶  levels of r30c09, r30c10
 *                       └─▶  missing: host r30c[11-24]; there are r30c[01-10]
 *
 * A pattern (model/component_pattern.h) of one level means clusters, or hosts of any
 * cluster where no cluster has such a name.  Missing is what matches nothing: a name of
 * a list, the hosts of a set.  What is written with * and matches something misses
 * nothing.
 *
 * Threads  between metric_store_enter() and metric_store_leave().
 */
#ifndef QUERY_METRIC_METRIC_SELECTOR_H
#define QUERY_METRIC_METRIC_SELECTOR_H

#include "base/arena.h"
#include "base/err.h"
#include "query/metric/metric_select.h"

#define METRIC_MISSING_MAX 32

struct metric_missing_item {
    const char *component; /* as the request has it */
    const char *level;     /* "cluster", "host", "part" */
    const char *name;      /* as a set: "r30c[11-24]" */
    const char *near;      /* what is there with the most similar names; may be "" */
};

struct metric_missing {
    struct metric_missing_item items[METRIC_MISSING_MAX]; /* the first ones */
    size_t count;
    struct arena arena; /* the texts */
};

void metric_missing_init(struct metric_missing *missing);
void metric_missing_done(struct metric_missing *missing);
DEFINE_AUTO_DONE(struct metric_missing, metric_missing_done);

/* Append "alex/r30c[09-24]: there is no host r30c[11-24]; there are r30c[01-10]". */
void metric_missing_print(const struct metric_missing_item *item, struct strbuf *out);

/* Fill *ret with the levels that any of the patterns matches, each once, in the order
 * of their paths, and *missing, initialised and empty, with what is not there. Errors:
 * -EINVAL (a pattern is none), -ENOENT (no pattern matches anything; err names what is
 * not there, as missing does), -ENOMEM. */
int metric_selector_find(const struct metric_store *store, const struct span *patterns,
                         size_t pattern_count, struct metric_levels *ret,
                         struct metric_missing *missing, struct err *err);

#endif
