/* SPDX-License-Identifier: Apache-2.0 */
/* slice - the series of a job, out of where its summary says that they lie.
 *
 *     fs_series, fs_window_start, fs_window_end ──▶ series of that window ─┬▶ CSV
 *                                                                          └▶ HDF5
 */
#ifndef CLIENT_SERIES_SLICE_H
#define CLIENT_SERIES_SLICE_H

#include "analysis/job/job.h"
#include "base/options.h"
#include "client/series/opts.h"
#include "client/series/reference.h"

struct series_slice_opts {
    struct series_opts series; /* its zone is not looked at */
    struct option_list named;  /* series that the caller named: servers get the token */
};

struct series_slice {
    int64_t from_s, to_s; /* at least two steps, so that an archive tells its step */
    struct series_reference reference;
    struct lmt_series **series;
    size_t count;
    struct lmt_series *all; /* of the window; one of the series, or all of them */
};

/* Other servers than those of way are asked without a token.  Errors: -ENODATA (the
 * summary knows of no series), -EBADMSG (it is damaged), what opening says; after a
 * failure, too, *ret is to be done with. */
int series_slice_open(const struct job_weather *weather,
                      const struct series_slice_opts *way, struct series_slice *ret,
                      struct err *err);
void series_slice_done(struct series_slice *slice);
DEFINE_AUTO_DONE(struct series_slice, series_slice_done);

/* A piece of text to write.  Errors are the caller's: the rest is not printed. */
typedef int series_write_fn(void *arg, struct span piece);

/* Lines "time,measure,unit,component,value", measure by measure in the order of time;
 * value is empty where nothing was measured.  Errors: as reading, and of write. */
int series_slice_print(const struct series_slice *slice, series_write_fn *write,
                       void *arg, struct err *err);
/* A file of HDF5 in the TOKIO layout.  Errors: as lmt_archive(). */
int series_slice_archive(const struct series_slice *slice, const char *path,
                         struct err *err);

#endif
