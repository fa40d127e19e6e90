/* SPDX-License-Identifier: Apache-2.0 */
/* phase_acts - what nodes did in a phase, as far as their metrics show it. */
#include "analysis/footprint/phase_acts.h"

#include "analysis/footprint/job_footprint.h"
#include "analysis/footprint/rate_unit.h"

#include <math.h>

#define COMPUTING_SHARE 0.5 /* of the most operations of any phase */
#define COMPUTING_FLOPS_MIN 1e8
#define COMPUTING_BUSY_PERCENT 50.0
#define COMPUTING_GPU_PERCENT 20.0
#define MOVING_SHARE 0.5 /* of the most bytes of any phase */
#define MOVING_RATIO 2.0 /* times the least */
#define MOVING_BYTES_MIN 1e6
/* Of a run of one phase, which has nothing to be held against. */
#define MOVING_ALONE_TIMES 10.0
#define IDLE_PERCENT 2.0
#define IDLE_GPU_PERCENT 5.0
#define IDLE_SHARE 0.02

static const struct {
    const char *text, *name;
} act_texts[PHASE_ACT_COUNT] = {
    { "computes", "computes" },
    { "computes on GPUs", "computes-on-gpus" },
    { "moves data over the network", "uses-network" },
    { "reads", "reads" },
    { "writes", "writes" },
    { "reads or writes files", "reads-or-writes" },
    { "idle", "idle" },
};

static size_t act_at(enum phase_act act)
{
    size_t at = 0;
    while (at + 1 < PHASE_ACT_COUNT && act != 1U << at)
        at++;
    return at;
}

const char *phase_act_text(enum phase_act act)
{
    return act_texts[act_at(act)].text;
}

const char *phase_act_name(enum phase_act act)
{
    return act_texts[act_at(act)].name;
}

double phase_act_threshold(enum phase_kind kind, const char *unit, bool is_counter)
{
    double scale = 0;
    if (kind == PHASE_KIND_FLOPS)
        return rate_unit_scale(RATE_FLOPS, unit, is_counter, &scale) < 0
                   ? NAN
                   : COMPUTING_FLOPS_MIN / scale;
    if (kind < PHASE_KIND_NETWORK_BOTH || kind > PHASE_KIND_READ_AND_WRITE)
        return 0;
    return rate_unit_scale(RATE_BYTES, unit, is_counter, &scale) < 0
               ? NAN
               : MOVING_BYTES_MIN / scale;
}

/* What the metric of a kind has; false: there is none, or no number of it. */
struct act_metric {
    double median;
    const struct phase_range *range;
};

struct acts_search {
    const struct phase_metric *metrics;
    const double *medians;
    const struct phase_range *ranges;
    size_t metric_count, phases;
};

static bool act_metric_find(const struct acts_search *s, enum phase_kind kind,
                            struct act_metric *ret)
{
    for (size_t i = 0; i < s->metric_count; i++) {
        if (s->metrics[i].kind != kind || isnan(s->medians[i]))
            continue;
        *ret = (struct act_metric){ s->medians[i], &s->ranges[i] };
        return true;
    }
    return false;
}

static bool is_moving(const struct acts_search *s, enum phase_kind kind)
{
    struct act_metric m;
    if (!act_metric_find(s, kind, &m) || !(m.median >= m.range->threshold))
        return false;
    if (s->phases == 1)
        return kind >= PHASE_KIND_READ &&
               m.median >= MOVING_ALONE_TIMES * m.range->threshold;
    return m.median >= MOVING_SHARE * m.range->high &&
           m.median >= MOVING_RATIO * m.range->low;
}

/* A load that is none, or processors that do nothing; of neither known: no. */
static bool is_resting(const struct acts_search *s)
{
    struct act_metric m;
    if (act_metric_find(s, PHASE_KIND_LOAD, &m))
        return m.median < FOOTPRINT_IDLE_LOAD;
    return act_metric_find(s, PHASE_KIND_CPU_BUSY, &m) && m.median < IDLE_PERCENT;
}

static bool has_flops(const struct acts_search *s, double share)
{
    struct act_metric m;
    return act_metric_find(s, PHASE_KIND_FLOPS, &m) && m.median >= m.range->threshold &&
           m.median >= share * m.range->high;
}

static bool is_computing(const struct acts_search *s)
{
    struct act_metric m;
    if (is_resting(s))
        return false;
    if (act_metric_find(s, PHASE_KIND_FLOPS, &m))
        return has_flops(s, COMPUTING_SHARE);
    return act_metric_find(s, PHASE_KIND_CPU_BUSY, &m) &&
           m.median >= COMPUTING_BUSY_PERCENT;
}

unsigned phase_acts_of(const struct phase_metric *metrics, const double *medians,
                       const struct phase_range *ranges, size_t metric_count,
                       size_t phases)
{
    static const struct {
        enum phase_kind kind;
        enum phase_act act;
    } moves[] = {
        { PHASE_KIND_NETWORK_BOTH, PHASE_USES_NETWORK },
        { PHASE_KIND_NETWORK_IN, PHASE_USES_NETWORK },
        { PHASE_KIND_NETWORK_OUT, PHASE_USES_NETWORK },
        { PHASE_KIND_READ, PHASE_READS },
        { PHASE_KIND_WRITE, PHASE_WRITES },
        { PHASE_KIND_READ_AND_WRITE, PHASE_READS_OR_WRITES },
    };
    const struct acts_search s = { metrics, medians, ranges, metric_count, phases };
    struct act_metric gpu;
    bool has_gpu = act_metric_find(&s, PHASE_KIND_GPU_BUSY, &gpu);
    unsigned acts = is_computing(&s) ? PHASE_COMPUTES : 0;
    if (has_gpu && gpu.median >= COMPUTING_GPU_PERCENT)
        acts |= PHASE_COMPUTES_ON_GPUS;
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        if (is_moving(&s, moves[i].kind))
            acts |= moves[i].act;
    bool is_gpu_used = has_gpu && gpu.median >= IDLE_GPU_PERCENT;
    if (!acts && !is_gpu_used && is_resting(&s) && !has_flops(&s, IDLE_SHARE))
        acts = PHASE_IDLE;
    return acts;
}
