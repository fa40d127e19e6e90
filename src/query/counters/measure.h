/* SPDX-License-Identifier: Apache-2.0 */
/* measure - what is added up: one counter, or a few that people think of as one.
 *
 *     write_bytes, read_bytes     the bytes            write_bytes_count  the requests
 *     open, close, ... punch      the requests         open_usecs         their time
 *     metadata                    all requests to MDTs (samedir_rename and
 *                                 crossdir_rename are counted in rename already)
 *     iops                        read and write requests to OSTs and MDTs
 */
#ifndef QUERY_COUNTERS_MEASURE_H
#define QUERY_COUNTERS_MEASURE_H

#include "base/err.h"
#include "model/model.h"

#define MEASURES_MAX 40

struct measure {
    char name[32];
    const char *unit; /* "bytes", "usecs" or "count" (of requests) */
    uint64_t samples; /* bit OP_x: its samples are added */
    uint64_t sums;    /* bit OP_x: its sum is added */
    unsigned kinds;   /* bit TARGET_x: on which targets */
};

/* Errors: -EINVAL with the names there are. */
int measure_parse(struct span name, struct measure *ret, struct err *err);

/* The op-th operation as it is usually requested: bytes or requests. */
void measure_of_op(enum op op, struct measure *ret);

/* "bytes/s", "1/s", "usecs/s". */
const char *measure_rate_unit(const struct measure *measure);

#endif
