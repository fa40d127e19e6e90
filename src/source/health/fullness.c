/* SPDX-License-Identifier: Apache-2.0 */
/* fullness - how full the targets of one file system are. */
#include "source/health/fullness.h"

#include "base/span.h"

static void count_target(struct health_fullness *f, const struct health_target *t)
{
    double pct = 100.0 * (double)t->used_kib / (double)t->total_kib;
    if (f->count == 0 || pct > f->max_pct) {
        f->max_pct = pct;
        f->fullest = t;
    }
    if (f->count == 0 || pct < f->min_pct) {
        f->min_pct = pct;
        f->emptiest = t;
    }
    if (f->count == 0 || t->space_t_ns < f->t_ns)
        f->t_ns = t->space_t_ns;
    f->count++;
    f->mean_used_kib += (double)t->used_kib;
    f->mean_pct += pct;
}

int health_fullness(const struct health_sample *sample, struct span fs,
                    enum target_kind kind, struct health_fullness *ret)
{
    struct health_fullness f = { 0 };
    for (size_t i = 0; i < sample->count; i++) {
        const struct health_target *t = &sample->targets[i];
        if (t->parts.kind != kind || !span_eq(t->parts.fs, fs))
            continue;
        if (t->has & HEALTH_SPACE_INACTIVE)
            f.inactive_count++;
        else if ((t->has & HEALTH_SPACE) && t->total_kib > 0)
            count_target(&f, t);
    }
    if (f.count == 0)
        return -ENOENT;
    f.mean_used_kib /= (double)f.count;
    f.mean_pct /= (double)f.count;
    *ret = f;
    return 0;
}
