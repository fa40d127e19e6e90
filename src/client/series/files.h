/* SPDX-License-Identifier: Apache-2.0 */
/* files - files of servers' measures that a command was given. */
#ifndef CLIENT_SERIES_FILES_H
#define CLIENT_SERIES_FILES_H

#include "base/strbuf.h"
#include "client/series/server.h"

struct series_files {
    struct lmt_series **series;
    size_t count;
    bool has_server;  /* one of them is a barod */
    struct zone zone; /* of LMT databases */
    char *names;      /* of the files, with a space between; NULL: none */
};

/* way: may be NULL.  Errors: -EINVAL (--zone), what opening a series says. */
int series_files_open(struct series_files *files, const char **paths, size_t count,
                      const struct series_opts *way, struct err *err);
void series_files_done(struct series_files *files);
DEFINE_AUTO_DONE(struct series_files, series_files_done);

/* Of those that know of several file systems, this one; NULL: all.
 * Errors: -ENOENT (one of them does not have it). */
int series_files_choose(const struct series_files *files, const char *fs,
                        struct err *err);

/* The window that from and to name, both or one of them NULL: as far as the files go;
 * where a barod is among them from the last hour of that.
 * Errors: -ENOENT (no file has the measure), -EINVAL (no times). */
int series_files_window(const struct series_files *files, enum lmt_measure measure,
                        const char *from, const char *to, int64_t *ret_from_s,
                        int64_t *ret_to_s, struct err *err);

#endif
