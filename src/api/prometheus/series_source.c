/* SPDX-License-Identifier: Apache-2.0 */
/* series_source - all series that an expression can select. */
#include "api/prometheus/series_source.h"

static int select_from_both(void *arg, const struct promql_selection *selection,
                            promql_series_fn *put, void *put_arg, struct err *err)
{
    struct series_source *source = arg;
    const struct promql_source store = store_source_for_query(&source->store);
    int rc = store.select(store.arg, selection, put, put_arg, err);
    return rc ? rc : job_series_select(&source->jobs, selection, put, put_arg, err);
}

struct promql_source series_source_for_query(struct series_source *source)
{
    return (struct promql_source){ .arg = source, .select = select_from_both };
}
