/* SPDX-License-Identifier: Apache-2.0 */
/* rows - what the tests of this room share: entries made on the spot, rows gathered. */
#ifndef OBSERVE_TEST_ROWS_H
#define OBSERVE_TEST_ROWS_H

#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "observe/observe.h"

#include <stdio.h>

#define T0 INT64_C(1669010520000) /* ms: a whole two minutes */
#define MIN2 INT64_C(120000)
#define S_NS(t_ms) ((t_ms)*NS_PER_MS)

struct got_row {
    char id[64];
    struct observation seen;
    uint64_t bytes;
};

struct rows {
    struct got_row rows[64];
    size_t count;
    int fail; /* what the callback returns */
};

static inline int rows_add(void *arg, const struct entry *entry,
                           const struct observation *seen)
{
    struct rows *rows = arg;
    assert_true(rows->count < COUNT_OF(rows->rows));
    struct got_row *row = &rows->rows[rows->count++];
    (void)snprintf(row->id, sizeof row->id, SPAN_FMT, SPAN_ARG(entry->id));
    row->seen = *seen;
    row->bytes = 0;
    for (size_t i = 0; i < entry->op_count && !seen->is_zero; i++)
        if (span_is(entry->ops[i].name, "write_bytes"))
            row->bytes = entry->ops[i].sum;
    return rows->fail;
}

static inline struct entry entry_of(const char *id, int64_t start_ns, uint64_t samples,
                                    uint64_t bytes)
{
    struct entry entry = {
        .target = SPAN("scratch-OST0001"),
        .kind = TARGET_OST,
        .id = span_of(id),
        .snapshot_ns = S_NS(T0),
        .start_ns = start_ns,
        .elapsed_ns = T_NONE,
        .op_count = 1,
    };
    entry.ops[0] = (struct op_stat){
        .name = SPAN("write_bytes"),
        .unit_text = SPAN("bytes"),
        .unit = OP_UNIT_BYTES,
        .has = OP_HAS_SAMPLES | OP_HAS_SUM,
        .samples = samples,
        .sum = bytes,
    };
    return entry;
}

/* One that moved long ago: seen again as it was, it proves that its target is mounted
 * as it was. */
static inline struct entry idle_entry(void)
{
    struct entry entry = entry_of("idle", T_NONE, 1, 1);
    entry.snapshot_ns = S_NS(T0 - 3600000);
    return entry;
}

static inline struct observe *observe_of(int64_t interval_ms)
{
    struct observe_opts opts = { .interval_ms = interval_ms,
                                 .generations_max = 100000 };
    struct observe *observe = NULL;
    assert_int_equal(observe_new(&opts, &observe), 0);
    return observe;
}

static inline struct observe_target *list_one(struct observe *observe, int64_t t_ms)
{
    struct observe_listed listed = { SPAN("scratch-OST0001"), TARGET_OST };
    assert_int_equal(observe_list(observe, t_ms, &listed, 1), 0);
    return observe_target_find(observe, listed.name);
}

/* One round with the entries given, each up to NULL id. */
static inline void round_of(struct observe_target *target, int64_t t_ms,
                            const struct entry *entries, size_t count,
                            struct rows *rows)
{
    rows->count = 0;
    assert_int_equal(observe_round_begin(target, t_ms, rows_add, rows), 0);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(observe_entry(target, &entries[i]), 0);
    assert_int_equal(observe_round_end(target), 0);
}

static inline void round_of_one(struct observe_target *target, int64_t t_ms,
                                struct entry entry, struct rows *rows)
{
    round_of(target, t_ms, &entry, 1, rows);
}

#define assert_row(row, t, since, previous, is_reset, zero)    \
    do {                                                       \
        assert_int_equal((row)->seen.t_ms, (t));               \
        assert_int_equal((row)->seen.since_ms, (since));       \
        assert_int_equal((row)->seen.previous_ms, (previous)); \
        assert_int_equal((row)->seen.reset, (is_reset));       \
        assert_int_equal((row)->seen.is_zero, (zero));         \
    } while (0)

#endif
