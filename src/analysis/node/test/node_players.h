/* SPDX-License-Identifier: Apache-2.0 */
/* node_players - nodes whose metrics are drawn from known distributions. */
#ifndef ANALYSIS_NODE_TEST_NODE_PLAYERS_H
#define ANALYSIS_NODE_TEST_NODE_PLAYERS_H

#include "analysis/node/node.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>

#define PLAYED_FROM_NS (INT64_C(1700000000) * NS_PER_S)
#define PLAYED_WINDOW_NS (300 * NS_PER_S)

static inline double drawn_uniform(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double drawn_normal(uint64_t *state)
{
    double u = drawn_uniform(state), v = drawn_uniform(state);
    return sqrt(-2 * log(u)) * cos(2 * 3.141592653589793 * v);
}

enum shape {
    SHAPE_STEADY,      /* each node has its own level, and little noise */
    SHAPE_NOISY,       /* noise alone */
    SHAPE_LONG_TAILED, /* rates: lognormal levels */
    SHAPE_EXPONENTIAL,
    SHAPE_UNIFORM,   /* shares between 0 and 1 */
    SHAPE_QUANTISED, /* whole degrees */
    SHAPE_COUNTS,    /* whole numbers, mostly 0 */
    SHAPE_CONSTANT,  /* all the same */
    SHAPE_TWO_KINDS, /* a third is busy, the rest is not */
    SHAPE_COUNT,
};

struct played {
    size_t hosts, windows;
    struct node_host *host;
    struct node_series *series;
    double *values;
};

static inline void played_init(struct played *p, size_t hosts, size_t windows)
{
    *p = (struct played){ .hosts = hosts, .windows = windows };
    p->host = calloc(hosts, sizeof *p->host);
    p->series = calloc(hosts, sizeof *p->series);
    p->values = calloc(hosts * windows, sizeof *p->values);
    for (size_t i = 0; i < hosts; i++)
        p->host[i] = (struct node_host){ "alex/a", 0, 0, true };
}

static inline void played_done(struct played *p)
{
    free(p->host);
    free(p->series);
    free(p->values);
}

static inline double level_drawn(enum shape shape, uint64_t *seed)
{
    switch (shape) {
    case SHAPE_STEADY:
        return 100 + 3 * drawn_normal(seed);
    case SHAPE_LONG_TAILED:
        return exp(10 + 1.5 * drawn_normal(seed));
    case SHAPE_EXPONENTIAL:
        return -1000 * log(drawn_uniform(seed));
    case SHAPE_UNIFORM:
        return drawn_uniform(seed);
    case SHAPE_QUANTISED:
        return round(40 + 1.2 * drawn_normal(seed));
    case SHAPE_COUNTS:
        return drawn_uniform(seed) < 0.2 ? ceil(-2 * log(drawn_uniform(seed))) : 0;
    case SHAPE_TWO_KINDS:
        return drawn_uniform(seed) < 0.33 ? 90 + 2 * drawn_normal(seed) : 0.5;
    default:
        return 100;
    }
}

static inline double value_drawn(enum shape shape, double level, uint64_t *seed)
{
    switch (shape) {
    case SHAPE_STEADY:
    case SHAPE_NOISY:
    case SHAPE_TWO_KINDS:
        return level * (1 + 0.02 * drawn_normal(seed));
    case SHAPE_LONG_TAILED:
        return level * exp(0.3 * drawn_normal(seed));
    case SHAPE_EXPONENTIAL:
        return level * (0.8 + 0.4 * drawn_uniform(seed));
    default:
        return level;
    }
}

static inline void played_fill(struct played *p, enum shape shape, uint64_t *seed)
{
    bool is_whole = shape == SHAPE_QUANTISED || shape == SHAPE_COUNTS;
    int64_t to_ns = PLAYED_FROM_NS + (int64_t)p->windows * PLAYED_WINDOW_NS;
    for (size_t i = 0; i < p->hosts; i++) {
        double level = level_drawn(shape, seed);
        for (size_t w = 0; w < p->windows; w++)
            p->values[i * p->windows + w] = value_drawn(shape, level, seed);
        p->series[i] = (struct node_series){ true,
                                             is_whole,
                                             5 * p->windows,
                                             PLAYED_FROM_NS,
                                             to_ns - 60 * NS_PER_S,
                                             level,
                                             level + (shape != SHAPE_CONSTANT) };
    }
}

static inline struct node_check_opts played_opts(const struct played *p,
                                                 size_t metric_count)
{
    return (struct node_check_opts){ .from_ns = PLAYED_FROM_NS,
                                     .window_ns = PLAYED_WINDOW_NS,
                                     .window_count = p->windows,
                                     .hosts = p->host,
                                     .host_count = p->hosts,
                                     .metric_count = metric_count };
}

#endif
