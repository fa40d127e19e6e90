/* SPDX-License-Identifier: Apache-2.0 */
/* plan - how much each probe of a call writes, and whether it can end in time. */
#include "probe/plan.h"

#include "base/number.h"
#include "base/timetext.h"

#include <stdio.h>

#define NS_PER_HOUR (INT64_C(3600) * NS_PER_S)
#define ID_TIME_CHARS 20 /* of "2026-11-21T01:02:03Z" */

uint64_t plan_items(const struct plan *plan, const struct shape *shape)
{
    uint64_t bytes =
        shape_rank_bytes(shape, SHAPE_WRITE, shape->items) * plan->processes;
    if (plan->peak_bytes_per_s > 0.0)
        bytes = (uint64_t)(plan->peak_bytes_per_s *
                           ((double)plan->measure_ns / (double)NS_PER_S));
    if (plan->size_bytes)
        bytes = plan->size_bytes;
    return shape_items(shape, plan->processes, bytes);
}

int plan_check(const struct plan *plan, const struct shape *shape, uint64_t items,
               int64_t now_ns, struct err *err)
{
    if (!plan->deadline_ns || plan->peak_bytes_per_s <= 0.0)
        return 0;
    double bytes = (double)(shape_rank_bytes(shape, SHAPE_WRITE, items) +
                            shape_rank_bytes(shape, SHAPE_READ, items)) *
                   plan->processes;
    double needed_s = bytes / plan->peak_bytes_per_s;
    double left_s = (double)(plan->deadline_ns - now_ns) / (double)NS_PER_S;
    if (needed_s <= left_s)
        return 0;
    return err_set(
        err, ETIME,
        "%s is not begun: at the peak of '%s' it needs %.1f s, and %.1f s of "
        "the core-hours are left; lower --size or raise --core-hours",
        shape->name, plan->file_system, needed_s, left_s > 0.0 ? left_s : 0.0);
}

int64_t plan_deadline_ns(int64_t begin_ns, double core_hours, unsigned processes)
{
    if (core_hours <= 0.0)
        return 0;
    return begin_ns + (int64_t)(core_hours * (double)NS_PER_HOUR / (double)processes);
}

double plan_core_hours(int64_t duration_ns, unsigned processes)
{
    return (double)duration_ns * processes / (double)NS_PER_HOUR;
}

void plan_probe_id(char id[static PLAN_ID_BYTES], int64_t t_ns, long pid,
                   const struct shape *shape)
{
    char text[TIMETEXT_SIZE];
    size_t n = 0;
    (void)timetext_print(text, t_ns / NS_PER_S * NS_PER_S);
    for (const char *p = text; *p && n < ID_TIME_CHARS; p++)
        if (*p != '-' && *p != ':')
            id[n++] = *p;
    (void)snprintf(id + n, PLAN_ID_BYTES - n, "-%ld-%s", pid, shape->name);
}

int plan_choose(int name_count, char *const *names, const struct shape **ret,
                size_t *ret_count, struct err *err)
{
    size_t count = 0;
    for (size_t i = 0; name_count == 0 && i < shape_count; i++)
        ret[count++] = shapes[i];
    for (int i = 0; i < name_count; i++) {
        const struct shape *shape = shape_find(names[i]);
        if (!shape)
            return err_set(err, EINVAL, "there is no probe '%s': see --list", names[i]);
        if (count == shape_count)
            return err_set(err, EINVAL, "at most %zu probes at once", shape_count);
        ret[count++] = shape;
    }
    *ret_count = count;
    return 0;
}
