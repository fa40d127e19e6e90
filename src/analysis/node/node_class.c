/* SPDX-License-Identifier: Apache-2.0 */
/* node_class - classes of comparable nodes: of one cluster, with the same metrics. */
#include "analysis/node/node_class.h"

#include "analysis/node/node_peers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COMMON_SHARE_MIN 0.75

struct node_class {
    const struct node_metric_set *set;
    size_t count;
    size_t joined; /* the class it is part of: its own index, or another's */
};

struct sorting {
    const struct node_metric_set *sets;
    size_t width;
};

static int sets_compare(const struct node_metric_set *x,
                        const struct node_metric_set *y, size_t width)
{
    if (x->cluster != y->cluster)
        return x->cluster < y->cluster ? -1 : 1;
    return width > 0 ? memcmp(x->bits, y->bits, width * sizeof *x->bits) : 0;
}

static int by_set(const void *a, const void *b, void *arg)
{
    const struct sorting *s = arg;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = sets_compare(&s->sets[x], &s->sets[y], s->width);
    return order ? order : (x > y) - (x < y);
}

/* The metrics that both have, of those that either has. */
static double common_share(const uint64_t *x, const uint64_t *y, size_t width)
{
    unsigned both = 0, either = 0;
    for (size_t i = 0; i < width; i++) {
        both += (unsigned)__builtin_popcountll(x[i] & y[i]);
        either += (unsigned)__builtin_popcountll(x[i] | y[i]);
    }
    return either == 0 ? 1 : (double)both / (double)either;
}

static void small_join(struct node_class *classes, size_t count, size_t width)
{
    for (size_t i = 0; i < count; i++) {
        double best = COMMON_SHARE_MIN;
        for (size_t k = 0; classes[i].count <= NODE_OTHERS_MIN && k < count; k++) {
            if (classes[k].count <= NODE_OTHERS_MIN ||
                classes[k].set->cluster != classes[i].set->cluster)
                continue;
            double share =
                common_share(classes[i].set->bits, classes[k].set->bits, width);
            if (share < best)
                continue;
            best = share;
            classes[i].joined = k;
        }
    }
}

/* Their first nodes decide in which order classes are numbered. */
static void classes_number(const struct node_class *classes, size_t count,
                           size_t *numbers, size_t *hosts, size_t host_count)
{
    size_t next = 0;
    for (size_t i = 0; i < count; i++)
        numbers[i] = SIZE_MAX;
    for (size_t i = 0; i < host_count; i++) {
        size_t class = classes[hosts[i]].joined;
        if (numbers[class] == SIZE_MAX)
            numbers[class] = next++;
        hosts[i] = numbers[class];
    }
}

int node_class_assign(const struct node_metric_set *sets, size_t count, size_t width,
                      size_t *ret_classes)
{
    if (count == 0)
        return 0;
    struct sorting sorting = { sets, width };
    size_t class_count = 0;
    AUTO_FREE size_t *order = calloc(count, sizeof *order);
    AUTO_FREE struct node_class *classes = calloc(count, sizeof *classes);
    if (!order || !classes)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, by_set, &sorting);
    for (size_t i = 0; i < count; i++) {
        const struct node_metric_set *set = &sets[order[i]];
        if (i == 0 || sets_compare(set, classes[class_count - 1].set, width) != 0) {
            classes[class_count] = (struct node_class){ set, 0, class_count };
            class_count++;
        }
        classes[class_count - 1].count++;
        ret_classes[order[i]] = class_count - 1;
    }
    small_join(classes, class_count, width);
    classes_number(classes, class_count, order, ret_classes, count);
    return 0;
}
