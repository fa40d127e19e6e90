/* SPDX-License-Identifier: Apache-2.0 */
/* job_series - counters of jobs as series, for the engine of the language.
 *
 *     selection ─▶ series_name: levels and measures that fit
 *                    ├▶ entry_series: rows of the database ─▶ jobstats_*_total
 *                    └▶ rate_series: query, memory first  ─▶ LEVEL:jobstats_*:rate
 *
 * A counter is that of the server; where a generation began 0 stands, so that rate()
 * and increase() have all of it.  What a row shows to have been unchanged is repeated
 * every minute.  After an entry's last row its series ends by the look-back, as that of
 * a target that is not scraped any more.
 * A rate is the mean of the time up to its sample: of the step of a range, of the last
 * round of an instant, of whole hours where a range is long.
 *
 * Limits   JOB_SERIES_MAX series a selector.
 * Threads  one worker's.
 */
#ifndef API_JOBSTATS_JOB_SERIES_H
#define API_JOBSTATS_JOB_SERIES_H

#include "promql/promql.h"
#include "query/query.h"

#define JOB_SERIES_MAX 10000

struct job_series {
    /* The database and what is in memory, opened when they are needed; NULL: there are
     * no counters of jobs here. */
    int (*open)(void *arg, const struct query_ctx **ret, struct err *err);
    void *open_arg;
    int (*watch)(void *arg); /* shall it go on?  Below 0: not.  NULL: always */
    void *watch_arg;
    struct budget_hold *hold; /* NULL: no limit */
    int64_t now_ms;
};

/* Whether a series of these names can fit at all: cheap. */
bool job_series_may_fit(const struct matcher *matchers, size_t count);

/* As promql_source's select.  Errors: -E2BIG (over JOB_SERIES_MAX), what open and the
 * query return, what put returns. */
int job_series_select(const struct job_series *source,
                      const struct promql_selection *selection, promql_series_fn *put,
                      void *put_arg, struct err *err);

/* Whether there are rows not older than from_ms; 0 or 1.  Errors: as open. */
int job_series_has_rows(const struct job_series *source, int64_t from_ms,
                        struct err *err);

#endif
