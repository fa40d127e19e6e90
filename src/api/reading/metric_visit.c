/* SPDX-License-Identifier: Apache-2.0 */
/* metric_visit - a long reading of the metric store, which lets others go on. */
#include "api/reading/metric_visit.h"

void metric_visit_begin(struct metric_visit *visit, struct metric_store *store)
{
    *visit =
        (struct metric_visit){ .store = store, .reader = metric_store_enter(store) };
}

void metric_visit_step(struct metric_visit *visit)
{
    if (++visit->steps % METRIC_VISIT_STEPS != 0)
        return;
    metric_store_leave(visit->store, visit->reader);
    visit->reader = metric_store_enter(visit->store);
}

void metric_visit_end(struct metric_visit *visit)
{
    metric_store_leave(visit->store, visit->reader);
}
