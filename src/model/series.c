/* SPDX-License-Identifier: Apache-2.0 */
/* series - what is known about one entry's time series: the metadata row. */
#include "model/series.h"

#include <errno.h>

int series_id(const struct uuid *ns, struct span target, struct span entry_id,
              struct uuid *ret)
{
    char head[TARGET_BYTES_MAX + 1];
    if (target.size > TARGET_BYTES_MAX)
        return -EINVAL;
    if (target.size)
        memcpy(head, target.data, target.size);
    head[target.size] = ':';
    return uuid_v5(ns, (struct span){ head, target.size + 1 }, entry_id, ret);
}
