/* SPDX-License-Identifier: Apache-2.0 */
/* target_levels - where the metric store has the targets of file systems.
 *
 *     lustre/oss01/ost:scratch-OST0001    cluster lustre, fs scratch, an OST
 *
 * A target that was served by two servers is there twice.
 * Threads  one worker's, within its visit.
 */
#ifndef API_READING_TARGET_LEVELS_H
#define API_READING_TARGET_LEVELS_H

#include "api/reading/metric_visit.h"
#include "base/span_type.h"

/* Texts are valid as long as the store. */
struct target_level {
    struct span cluster, fs, name;
    bool is_mdt;
    const struct level *level;
};

typedef int target_level_fn(void *arg, const struct target_level *at);

struct target_levels_opts {
    struct metric_store *store;
    int (*watch)(void *arg); /* shall the reading go on?  Below 0: not.  NULL: always */
    void *watch_arg;
    const char *fs; /* a pattern */
    target_level_fn *fn;
    void *arg;
};

/* Call fn for each of them, server by server.  Errors: what fn and watch return. */
int target_levels_visit(const struct target_levels_opts *opts,
                        struct metric_visit *visit);

#endif
