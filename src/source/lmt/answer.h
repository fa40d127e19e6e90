/* SPDX-License-Identifier: Apache-2.0 */
/* answer - what barod answers about metrics (/v1/query), value by value.
 *
 *     {"results":[{"component":"scratch/oss01/ost:scratch-OST0000",
 *                  "metric":"lustre_read_bytes", "from":"...", "step":5,
 *                  "values":[1000,null,1400]}, ...]}
 *
 * A series without a step has "times" before its values.  The text is not trusted.
 *
 * Times  milliseconds since 1970.
 */
#ifndef SOURCE_LMT_ANSWER_H
#define SOURCE_LMT_ANSWER_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

#define LMT_ANSWER_TIMES_MAX ((size_t)1 << 22)

struct lmt_answer_series {
    struct span component, metric;
    int64_t from_ms;  /* of its first value; INT64_MIN: not said */
    int64_t step_ms;  /* 0: it has times of its own */
    uint64_t numbers; /* how many there are, where statistics were asked for */
};

struct lmt_answer_opts {
    void *arg;
    /* A series, before its values; false: these are not wanted.  NULL: none are. */
    bool (*series)(void *arg, const struct lmt_answer_series *series);
    /* Each that is a number, in order. */
    void (*value)(void *arg, int64_t t_ms, double value);
    /* A series is over.  NULL: nobody wants to know. */
    void (*end)(void *arg, const struct lmt_answer_series *series);
    /* A series could not be answered; text says why.  NULL: likewise. */
    void (*fault)(void *arg, const struct lmt_answer_series *series, struct span text);
};

/* Errors: -EBADMSG (it is none, or damaged), -EFBIG, -ENOMEM. */
int lmt_answer_read(struct span text, const struct lmt_answer_opts *opts,
                    struct err *err);

#endif
