/* SPDX-License-Identifier: Apache-2.0 */
/* ccms - the door of source/ccms: what cc-metric-store keeps on disk.
 *
 *     CLUSTER/HOST/1700000000.json     a checkpoint: text, with one decimal
 *     CLUSTER/HOST/1700043200.bin      a checkpoint: binary, 32 bits a value
 *     CLUSTER/HOST/current.wal         what came since
 *
 * Nothing that a file says is believed: a count claims no memory before its bytes are
 * there.  Values of 32 bits become the shortest decimal that reads back as the same 32
 * bits: what a collector sent as 1.1 is 1.1 again.
 *
 * Threads  none inside.
 */
#ifndef SOURCE_CCMS_CCMS_H
#define SOURCE_CCMS_CCMS_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

#define CCMS_LEVELS_MAX 8  /* below the host */
#define CCMS_NAME_MAX 1024 /* of a level or metric, bytes */
#define CCMS_STEP_S_MAX 86400
#define CCMS_TIME_S_MAX INT64_C(4102444800) /* the year 2100 */

struct ccms_series {
    struct span metric;
    size_t level_count;
    struct span levels[CCMS_LEVELS_MAX]; /* below the host: "hwthread7" */
    int64_t step_s;                      /* 0: a record of a log, which has one value */
    int64_t start_s;                     /* of the first value */
};

/* Values of one series, a step apart; NaN where there is none.  A long series comes in
 * several calls.  Not 0 ends the reading with that value. */
typedef int ccms_values_fn(void *arg, const struct ccms_series *series,
                           const double *values, size_t count);

struct ccms_sink {
    ccms_values_fn *fn;
    void *arg;
};

/* Whole files.  What stands before a damage has been reported.
 * Errors: -EBADMSG (err says byte and reason), -ENOMEM, what fn returns. */
int ccms_read_json(struct span text, const struct ccms_sink *sink, struct err *err);
int ccms_read_snapshot(struct span bytes, const struct ccms_sink *sink,
                       struct err *err);

struct ccms_log_end {
    uint64_t records;
    uint64_t good_bytes;
    bool is_torn; /* it ends within a record, as after a crash */
};
/* *ret is filled in any case. */
int ccms_read_log(struct span bytes, const struct ccms_sink *sink,
                  struct ccms_log_end *ret, struct err *err);

/* The double that a float of 32 bits was cut from, as far as one can tell. */
double ccms_widen(float value);

/* A level's name as type and id: "hwthread7" is hwthread, 7; what begins with none of
 * ClusterCockpit's types is parted before its first digit.  Digits alone are an id
 * without a type. */
void ccms_level_parse(struct span name, struct span *ret_type, struct span *ret_id);

#endif
