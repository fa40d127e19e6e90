/* SPDX-License-Identifier: Apache-2.0 */
/* series_format - what each format of a series does; for this room alone. */
#ifndef SOURCE_LMT_SERIES_FORMAT_H
#define SOURCE_LMT_SERIES_FORMAT_H

#include "source/lmt/series.h"

/* All measures of a window, slice by slice in the order of time. */
struct lmt_scan {
    int64_t from_s, to_s;
    void *arg;
    /* Once for each measure before its first slice: its shape; values are NULL. */
    int (*shape)(void *arg, enum lmt_measure measure, const struct lmt_grid *whole,
                 struct err *err);
    /* Rows from first on, as many as slice has.  It may change the values. */
    int (*put)(void *arg, enum lmt_measure measure, size_t first,
               struct lmt_grid *slice, struct err *err);
};

struct lmt_format {
    const char *name;
    void (*close)(void *state);
    int (*times)(void *state, enum lmt_measure measure, int64_t *ret_from_s,
                 int64_t *ret_to_s, struct err *err);
    int64_t (*step)(void *state, enum lmt_measure measure); /* 0: none */
    int (*read)(void *state, enum lmt_measure measure, struct lmt_grid *grid,
                struct err *err);
    /* NULL: only read() can.  -EAGAIN: this file's rows are not in the order of time,
     * read() it; what was put by then is void. */
    int (*scan)(void *state, const struct lmt_scan *scan, struct err *err);
    /* NULL: it is of one file system, or does not know of which. */
    int (*choose)(void *state, const char *fs, struct err *err);
};

/* At once by the format's own way, where it has one and the file allows it (-EAGAIN: it
 * does not, after some was put); else each measure as a whole.
 * Errors: as lmt_series_read() but -ENOENT. */
enum lmt_scan_way { LMT_SCAN_AT_ONCE, LMT_SCAN_BY_MEASURE };
int lmt_series_scan(struct lmt_series *series, enum lmt_scan_way way,
                    const struct lmt_scan *scan, struct err *err);

int lmt_hdf5_open(const char *path, const struct lmt_opts *opts, void **ret_state,
                  const struct lmt_format **ret_format, struct err *err);
int lmt_database_open(const char *path, const struct lmt_opts *opts, void **ret_state,
                      const struct lmt_format **ret_format, struct err *err);

/* A series of a format that has read all it needs; name is static. */
int lmt_series_new(const struct lmt_format *format, const char *name, void *state,
                   struct lmt_series **ret, struct err *err);

#endif
