/* SPDX-License-Identifier: Apache-2.0 */
/* import_target - where imported samples go: a store's directory, or a barod.
 *
 *     checkpoint_import ─▶ put(series, values) ... end(counts) ─┬▶ directory_target
 *                                                               └▶ server_target
 */
#ifndef MIGRATE_IMPORT_TARGET_H
#define MIGRATE_IMPORT_TARGET_H

#include "base/err.h"
#include "base/span_type.h"

#include <stddef.h>
#include <stdint.h>

struct import_series {
    struct span path; /* of the component, escaped */
    struct span metric;
    int64_t step_ns; /* 0: not known */
    int64_t start_ns;
};

struct import_target_counts {
    uint64_t samples;
    uint64_t refused; /* samples by a directory; requests with bad lines by a barod */
    uint64_t overwritten;    /* two samples of one slot; a directory counts them */
    uint64_t skipped_series; /* the target cannot express their names */
};

struct import_target {
    /* Values a step apart; NaN is none.  Errors: -errno of the target, with a line. */
    int (*put)(void *state, const struct import_series *series, const double *values,
               size_t count, struct err *err);
    /* Store what is still waiting, and free the state, also after an error; *counts is
     * filled in any case.  Errors: likewise. */
    int (*end)(void *state, struct import_target_counts *counts, struct err *err);
    void *state;
};

#endif
