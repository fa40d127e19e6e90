/* SPDX-License-Identifier: Apache-2.0 */
/* series_format - what each format of a series does; for this room alone. */
#ifndef SOURCE_LMT_SERIES_FORMAT_H
#define SOURCE_LMT_SERIES_FORMAT_H

#include "source/lmt/series.h"

struct lmt_format {
    const char *name;
    void (*close)(void *state);
    int (*times)(void *state, enum lmt_measure measure, int64_t *ret_from_s,
                 int64_t *ret_to_s, struct err *err);
    int64_t (*step)(void *state, enum lmt_measure measure); /* 0: none */
    int (*read)(void *state, enum lmt_measure measure, struct lmt_grid *grid,
                struct err *err);
};

int lmt_hdf5_open(const char *path, const struct lmt_opts *opts, void **ret_state,
                  const struct lmt_format **ret_format, struct err *err);
int lmt_database_open(const char *path, const struct lmt_opts *opts, void **ret_state,
                      const struct lmt_format **ret_format, struct err *err);

/* The step that most neighbours have; 0: fewer than two times.  times is put in order.
 */
int64_t lmt_step_of(int64_t *times, size_t count);

#endif
