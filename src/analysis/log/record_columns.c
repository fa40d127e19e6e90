/* SPDX-License-Identifier: Apache-2.0 */
/* record_columns - where the counters that a profile is made of are. */
#include "analysis/log/record_columns.h"

int record_column_find(const struct darshan_module *module, const char *name)
{
    char whole[64];
    (void)snprintf(whole, sizeof whole, "%s_%s", module->prefix, name);
    return name[0] == 'F' && name[1] == '_' ? darshan_f_counter_find(module, whole)
                                            : darshan_counter_find(module, whole);
}

struct record_columns record_columns_of(const struct darshan_module *module)
{
    return (struct record_columns){
        .bytes_read = record_column_find(module, "BYTES_READ"),
        .bytes_written = record_column_find(module, "BYTES_WRITTEN"),
        .reads = record_column_find(module, "READS"),
        .writes = record_column_find(module, "WRITES"),
        .seq_reads = record_column_find(module, "SEQ_READS"),
        .seq_writes = record_column_find(module, "SEQ_WRITES"),
        .size_reads = record_column_find(module, "SIZE_READ_0_100"),
        .not_aligned = record_column_find(module, "FILE_NOT_ALIGNED"),
        .coll_writes = record_column_find(module, "COLL_WRITES"),
        .read_time = record_column_find(module, "F_READ_TIME"),
        .write_time = record_column_find(module, "F_WRITE_TIME"),
        .meta_time = record_column_find(module, "F_META_TIME"),
        .slowest_time = record_column_find(module, "F_SLOWEST_RANK_TIME"),
        .slowest_rank = record_column_find(module, "SLOWEST_RANK"),
        .slowest_bytes = record_column_find(module, "SLOWEST_RANK_BYTES"),
    };
}

bool record_is_negative(const struct darshan_record *r,
                        const struct record_columns *columns)
{
    return r->counters[columns->bytes_read] < -1 ||
           r->counters[columns->bytes_written] < -1 ||
           !(r->f_counters[columns->read_time] >= -1) ||
           !(r->f_counters[columns->write_time] >= -1) ||
           !(r->f_counters[columns->meta_time] >= -1);
}
