/* SPDX-License-Identifier: Apache-2.0 */
/* mmperfmon - the tables of `mmperfmon query`.
 *
 *     Legend:
 *      1:     nsd1.site|GPFSNSDDisk|lun00|gpfs_nsdds_bytes_read
 *      2:     nsd1.site|GPFSNSDDisk|lun01|gpfs_nsdds_bytes_read
 *
 *     Row           Timestamp gpfs_nsdds_bytes_read gpfs_nsdds_bytes_read
 *       1 2019-05-15-12:01:00                     0                249600
 *
 * Wide tables come in pieces with headers of their own, the columns of which go on
 * where the last piece ended.
 *
 * A row's time is the end of the interval that it tells of, in the zone of the node.
 */
#ifndef SOURCE_GPFS_MMPERFMON_H
#define SOURCE_GPFS_MMPERFMON_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>

#define MMPERFMON_COLUMNS_MAX ((size_t)65536)

struct mmperfmon_cell {
    struct span host;
    struct span sensor; /* "GPFSNSDDisk", "CPU" */
    struct span device; /* "lun00", "scratch", "lo"; empty: the sensor has one only */
    struct span metric; /* "gpfs_nsdds_bytes_read" */
    struct span time;   /* "2019-05-15-12:01:00" */
    double value;       /* kB, MB and so on are multiplied out, by 1000 */
};

struct mmperfmon_opts {
    /* Takes a cell; less than 0 ends the reading. */
    int (*on_cell)(void *arg, const struct mmperfmon_cell *cell);
    /* Hears of a line that cannot be read; may be NULL; reason is static. */
    void (*on_fault)(void *arg, uint64_t line, struct span text, const char *reason);
    void *arg;
};

bool mmperfmon_is(struct span text);

/* Every cell that has a value, row by row.  A line that cannot be read costs that line;
 * a header that does not fit costs its rows.  A last line without its line end is cut.
 * Errors: -ENOMEM, what on_cell returns. */
int mmperfmon_read(struct span text, const struct mmperfmon_opts *opts);

#endif
