/* SPDX-License-Identifier: Apache-2.0 */
/* sink - why samples could not be taken, in words. */
#include "ingest/sink.h"

#include "base/number.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const struct {
    int rc;
    size_t offset;
    const char *key, *text;
} reasons[] = {
    { -ENOSPC, offsetof(struct sink_refusals, store_full), "store_full",
      "of new series: the store has as many series or metrics as it may hold "
      "(store.series_max)" },
    { -EDQUOT, offsetof(struct sink_refusals, share), "share",
      "of new series or metrics beyond this sender's share (series_share, "
      "exporter_share, host_series_max, metrics_share and host_metrics_max in "
      "[write])" },
    { -EPERM, offsetof(struct sink_refusals, name), "name",
      "of new metrics that allow and deny in [write] exclude" },
    { -EAGAIN, offsetof(struct sink_refusals, rate), "rate",
      "of new metrics beyond write.metrics_per_hour" },
};

bool sink_count_refusal(struct sink_refusals *refused, int rc)
{
    for (size_t i = 0; i < COUNT_OF(reasons); i++) {
        if (reasons[i].rc != rc)
            continue;
        (*(uint64_t *)(void *)((char *)refused + reasons[i].offset))++;
        return true;
    }
    return false;
}

uint64_t sink_refused(const struct sink_refusals *refused)
{
    return refused->store_full + refused->share + refused->rate + refused->name;
}

bool sink_refusal_at(const struct sink_refusals *refused, size_t index,
                     struct sink_refusal *ret)
{
    if (index >= COUNT_OF(reasons))
        return false;
    ret->key = reasons[index].key;
    ret->text = reasons[index].text;
    memcpy(&ret->count, (const char *)refused + reasons[index].offset,
           sizeof ret->count);
    return true;
}

void sink_refusals_print(const struct sink_refusals *refused, struct strbuf *out)
{
    struct sink_refusal refusal;
    const char *separator = "";
    for (size_t i = 0; sink_refusal_at(refused, i, &refusal); i++) {
        if (refusal.count == 0)
            continue;
        strbuf_addf(out, "%s%llu samples %s", separator,
                    (unsigned long long)refusal.count, refusal.text);
        separator = ", ";
    }
}
