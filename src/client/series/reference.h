/* SPDX-License-Identifier: Apache-2.0 */
/* reference - where the series of a job lie: column fs_series of its summary.
 *
 *     [{"files":["/lmt/2017-03-20.hdf5","/lmt/2017-03-21.hdf5"],
 *       "has":{"datatargets":["readbytes","writebytes"]}},
 *      {"files":["/lmt/old.sqlite3"],"zone":"America/Los_Angeles","offset_s":-30,
 *       "has":{...}}]
 *
 * Files of which all the rest is the same stand together.  Each is called as from
 * everywhere on that machine, or a server as it was named; of a server which file
 * system ("fs"); the zone and the offset that its times were read with, and which
 * datasets of the TOKIO layout it gives.  The window stands beside it: fs_window_start
 * and fs_window_end.
 */
#ifndef CLIENT_SERIES_REFERENCE_H
#define CLIENT_SERIES_REFERENCE_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "source/lmt/lmt.h"

#define SERIES_REFERENCE_FILES_MAX 4096

struct series_reference_file {
    const char *path;
    const char *zone; /* NULL: UTC */
    const char *fs;   /* of a server's series only this one's; NULL: all it has */
    int64_t offset_s;
    bool has[LMT_MEASURES];
};

struct series_reference {
    struct arena arena;
    struct series_reference_file *files;
    size_t count;
};

void series_reference_print(const struct series_reference_file *files, size_t count,
                            struct strbuf *out);
/* Datasets that this version does not know are passed over.  Errors: -EBADMSG (not such
 * a text), -ENOMEM. */
int series_reference_read(struct span text, struct series_reference *ret,
                          struct err *err);
void series_reference_done(struct series_reference *reference);
DEFINE_AUTO_DONE(struct series_reference, series_reference_done);

#endif
