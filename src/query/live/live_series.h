/* SPDX-License-Identifier: Apache-2.0 */
/* live_series - one series in memory: its last row and its increments, packed.
 *
 *     data: [increment][increment] ... [increment]     oldest first
 *           ^head                                 ^size
 *     increment: size (2 bytes), t_ms (8), then as numbers of seven bits a byte:
 *                t - since, flags, masks of operations that are not zero, server, their
 *                values; the size again, so that the newest are found without the
 *                others; about 60 bytes of a busy entry
 *
 * Private to live.c and its test.  Threads: the shard's lock.
 */
#ifndef QUERY_LIVE_LIVE_SERIES_H
#define QUERY_LIVE_LIVE_SERIES_H

#include "query/counters/counters.h"

_Static_assert(OP_COUNT <= 32, "live masks have 32 bits");

/* What the next row is compared with. */
struct live_last {
    int64_t t_ms, snapshot_ns, start_ns;
    uint32_t has_samples, has_sum;
    uint32_t server;
    uint64_t values[]; /* samples, then sums, of the set bits */
};

struct live_series {
    struct series series; /* its texts are in one block: texts */
    char *texts;
    size_t text_bytes;
    struct live_last *last; /* NULL: no row yet */
    uint8_t *data;
    size_t head, size, capacity;
    uint32_t samples_seen, sums_seen; /* bit OP_x: not zero in any increment */
    int64_t base_ms;  /* the earliest row that was seen, or is forgotten since */
    bool is_marked;   /* must be read from the database */
    uint64_t version; /* grows with each row */
    /* Which of all rows that were accepted were the last, and the one before it where
     * an hour ended last (live_newest). */
    uint64_t last_row, hour_row;
};

/* Errors: -ENOMEM. */
int live_series_init(struct live_series *s, const struct series *series);
void live_series_done(struct live_series *s);
size_t live_series_bytes(const struct live_series *s);

/* The last row as a jobrow, without its server's text. */
void live_series_last(const struct live_series *s, struct jobrow *ret);
int live_series_set_last(struct live_series *s, const struct jobrow *row,
                         uint32_t server);

/* Add the newest increment; one that says nothing is not kept. */
int live_series_push(struct live_series *s, const struct increment *inc,
                     uint32_t server);
/* Forget increments that end at or before t_ms. */
void live_series_prune(struct live_series *s, int64_t t_ms);

/* Where the first increment is that ends after from_ms: read from the end that is
 * nearer to it in time. */
size_t live_series_after(const struct live_series *s, int64_t from_ms);
/* The increments in order from cursor->at on; false at the end.  In has_samples and
 * has_sum are only operations that are wanted and not zero; other values are not
 * unpacked. */
struct live_wanted {
    uint32_t samples, sums; /* bit OP_x */
};
bool live_series_has(const struct live_series *s, const struct live_wanted *wanted);

/* What stands before an increment's values is mostly what stood before those of the
 * last one: then it is compared, not read. */
struct live_cursor {
    size_t at;
    uint64_t head[2], mask[2]; /* its bytes, as they lie; mask 0: none is known */
    size_t head_bytes;
    uint64_t length, flags, samples, sums, server;
};
bool live_series_next(const struct live_series *s, const struct live_wanted *wanted,
                      struct live_cursor *cursor, struct increment *ret,
                      uint32_t *ret_server);

#endif
