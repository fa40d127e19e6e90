/* SPDX-License-Identifier: Apache-2.0 */
/* aggregate - one metric over a part of the tree, slot by slot. */
#include "store/tree/aggregate.h"

#include <errno.h>
#include <math.h>

struct walk {
    const struct level_tree *tree;
    struct aggregate *out;
    uint32_t metric;
    aggregate_series_fn *read;
    void *read_arg;
    /* The slot that the series being read is in, with its last number there: it is
     * added when the next slot begins. */
    size_t slot;
    double value;
    bool has_value;
};

static void add_slot(struct walk *walk)
{
    if (!walk->has_value)
        return;
    struct aggregate *out = walk->out;
    out->values[walk->slot] = out->contributors[walk->slot]
                                  ? out->values[walk->slot] + walk->value
                                  : walk->value;
    out->contributors[walk->slot]++;
    walk->has_value = false;
}

static int take_samples(void *arg, const int64_t *times, const double *values,
                        size_t count)
{
    struct walk *walk = arg;
    for (size_t i = 0; i < count; i++) {
        size_t slot = (size_t)((times[i] - walk->out->from_ns) / walk->out->step_ns);
        if (isnan(values[i]))
            continue;
        if (slot != walk->slot)
            add_slot(walk);
        walk->slot = slot;
        walk->value = values[i];
        walk->has_value = true;
    }
    return 0;
}

static int add_level(struct walk *walk, const struct level *level)
{
    const struct level_series *s = level_series_find(walk->tree, level, walk->metric);
    int rc = 0;
    if (s) {
        struct aggregate *out = walk->out;
        int64_t to_ns = out->from_ns + (int64_t)out->slot_count * out->step_ns;
        out->series_count++;
        rc = walk->read(walk->read_arg, s, out->from_ns, to_ns, take_samples, walk);
        add_slot(walk);
        return rc;
    }
    const struct level *child =
        atomic_load_explicit(&level->child, memory_order_acquire);
    for (; rc == 0 && child; child = child->next)
        rc = add_level(walk, child); /* as deep as LEVEL_DEPTH_MAX */
    return rc;
}

void aggregate_begin(struct aggregate *aggregate)
{
    aggregate->series_count = 0;
    for (size_t i = 0; i < aggregate->slot_count; i++) {
        aggregate->values[i] = bits_double(MISSING_BITS);
        aggregate->contributors[i] = 0;
    }
}

static int read_memory(void *arg, const struct level_series *series, int64_t from_ns,
                       int64_t to_ns, series_samples_fn *fn, void *fn_arg)
{
    (void)arg;
    return series_read(&series->series, from_ns, to_ns, fn, fn_arg);
}

int aggregate_add(const struct level_tree *tree, const struct level *level,
                  uint32_t metric, aggregate_series_fn *read, void *read_arg,
                  struct aggregate *aggregate)
{
    struct walk walk = {
        .tree = tree,
        .out = aggregate,
        .metric = metric,
        .read = read ? read : read_memory,
        .read_arg = read_arg,
    };
    return add_level(&walk, level);
}

int aggregate_end(enum aggregation how, struct aggregate *aggregate)
{
    if (aggregate->series_count == 0)
        return -ENOENT;
    if (how == AGGREGATE_NONE && aggregate->series_count > 1)
        return -EINVAL;
    for (size_t i = 0; how == AGGREGATE_AVG && i < aggregate->slot_count; i++) {
        if (aggregate->contributors[i])
            aggregate->values[i] /= aggregate->contributors[i];
    }
    return 0;
}

int aggregate_read(const struct level_tree *tree, const struct level *level,
                   uint32_t metric, enum aggregation how, struct aggregate *aggregate)
{
    aggregate_begin(aggregate);
    int rc = aggregate_add(tree, level, metric, NULL, NULL, aggregate);
    return rc < 0 ? rc : aggregate_end(how, aggregate);
}
