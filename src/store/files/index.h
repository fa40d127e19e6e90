/* SPDX-License-Identifier: Apache-2.0 */
/* index - what a checkpoint states of one shard: its series, and where their blocks
 * are.
 *
 *     head: metrics, files | series, series, ... | series ... | end: how many
 *
 * Each is a record of a file of records (store/log.h).  A group of series was read at
 * one moment: the shard's log up to `applied` is in it, and nothing after.
 * doc/formats/store-files.md has the bytes.
 *
 * Threads  none inside.
 */
#ifndef STORE_FILES_INDEX_H
#define STORE_FILES_INDEX_H

#include "base/strbuf.h"
#include "store/tree/tree.h"

#define INDEX_FILES_MAX 65536
#define INDEX_BLOCKS_MAX 1000000 /* of a series */

struct index_file {
    uint64_t checkpoint;
    unsigned shard;
};

struct block_location {
    uint32_t file; /* of the head's files */
    uint32_t offset;
};

struct index_series {
    uint32_t number;
    struct span path;
    uint32_t metric; /* of the head's metrics */
    int64_t step_ns;
    struct series_state state; /* without blocks */
    size_t location_count;
    struct block_location *locations;
};

/* Records to be written. */
void index_put_head(struct strbuf *out, const struct metric_table *metrics,
                    const struct index_file *files, size_t file_count);
void index_put_group(struct strbuf *out, uint64_t applied);
/* last_path is that of the series before in this group, which is empty at first. */
void index_put_series(struct strbuf *out, const struct index_series *series,
                      struct span last_path);
void index_put_end(struct strbuf *out, uint64_t series_count);

/* What is found; not 0 ends the reading with that value. */
struct index_reader {
    void *arg;
    int (*metric)(void *arg, uint32_t id, const struct metric *metric);
    int (*file)(void *arg, uint32_t id, const struct index_file *file);
    int (*series)(void *arg, uint64_t applied, const struct index_series *series);
    /* For the reading itself. */
    bool has_head, is_over;
    uint32_t metric_count, file_count;
    uint64_t series_count;
};

/* One record.  Errors: -EBADMSG, -ENOMEM, what the functions return. */
int index_read_record(struct index_reader *reader, struct span payload);

#endif
