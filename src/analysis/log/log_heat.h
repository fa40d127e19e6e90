/* SPDX-License-Identifier: Apache-2.0 */
/* log_heat - the bytes that a run moved over time: by process, by node, by target.
 *
 *     HEATMAP ──────────────────────▶ processes
 *     DXT_POSIX, else DXT_MPIIO ─┬──▶ processes, where there is no heat map
 *                                ├──▶ nodes
 *     LUSTRE ─▶ stripes of files ┴──▶ targets, of DXT_POSIX
 *
 * A value is the bytes a second, read and written, in one of LOG_HEAT_COLUMNS equal
 * parts of the run.  What a log has of times outside of the run counts at its ends.
 *
 * Memory   a kilobyte a row, of LOG_HEAT_ROWS_MAX a map; layouts of
 *          LOG_HEAT_FILES_MAX files.  Threads  none.
 */
#ifndef ANALYSIS_LOG_LOG_HEAT_H
#define ANALYSIS_LOG_LOG_HEAT_H

#include "base/arena.h"
#include "base/hashmap.h"
#include "source/darshan/darshan.h"

#define LOG_HEAT_COLUMNS 120
#define LOG_HEAT_ROWS_MAX ((size_t)4096)
#define LOG_HEAT_FILES_MAX ((size_t)1 << 16)

enum log_heat_kind {
    LOG_HEAT_PROCESSES,
    LOG_HEAT_NODES,
    LOG_HEAT_TARGETS,
    LOG_HEAT_KINDS,
};

struct log_heat_row {
    int64_t number;   /* of the process (-1: all together), or of the target */
    const char *name; /* "17", "c01", "OST0003" */
    double *values;   /* LOG_HEAT_COLUMNS */
};

struct log_heat_map {
    const char *source; /* "HEATMAP"; NULL: the log has none */
    struct log_heat_row *rows;
    size_t count, capacity;
    size_t left_out;        /* rows beyond the limit */
    struct hashmap indices; /* name -> 1 + index */
};

struct log_heat {
    struct arena arena;
    int64_t from_s, to_s; /* Unix time */
    struct log_heat_map maps[LOG_HEAT_KINDS];
};

/* Errors: -ENOMEM; *ret is to be done with in any case. */
int log_heat_read(struct darshan_log *log, struct log_heat *ret);
void log_heat_done(struct log_heat *heat);
DEFINE_AUTO_DONE(struct log_heat, log_heat_done);

#endif
