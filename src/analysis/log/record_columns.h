/* SPDX-License-Identifier: Apache-2.0 */
/* record_columns - where the counters that a profile is made of are in a module's
 * records. */
#ifndef ANALYSIS_LOG_RECORD_COLUMNS_H
#define ANALYSIS_LOG_RECORD_COLUMNS_H

#include "source/darshan/darshan.h"

/* -1: the module has none. */
struct record_columns {
    int bytes_read, bytes_written, reads, writes, seq_reads, seq_writes;
    int size_reads, not_aligned, coll_writes;
    int read_time, write_time, meta_time, slowest_time, slowest_rank, slowest_bytes;
};

struct record_columns record_columns_of(const struct darshan_module *module);
/* Where the counter with this name behind the module's prefix is; -1. */
int record_column_find(const struct darshan_module *module, const char *name);

/* 0: the module or the log has none. */
static inline double record_value(const struct darshan_record *r, int column)
{
    return column >= 0 && r->counters[column] > 0 ? (double)r->counters[column] : 0;
}

static inline double record_time(const struct darshan_record *r, int column)
{
    return column >= 0 ? r->f_counters[column] : 0;
}

/* Its bytes or times are below what can be: -1 is a counter that is not known. */
bool record_is_negative(const struct darshan_record *r,
                        const struct record_columns *columns);

#endif
