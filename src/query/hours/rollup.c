/* SPDX-License-Identifier: Apache-2.0 */
/* rollup - increments added up by the hour, so that long ranges need no rows. */
#include "query/hours/rollup.h"

#include "base/span.h"

#include "query/counters/counters.h"

/* Flags that no result shows, and that change nothing in what an increment adds. */
#define FLAGS_UNTOLD INCREMENT_RESET

struct sum {
    struct rollup_cell cell;
    char server[CHAIN_SERVER_BYTES_MAX];
    bool is_usual; /* since and t are of what is usually requested */
};

struct making {
    int64_t from_ms, to_ms;
    rollup_cell_fn *fn;
    void *arg;
    int64_t sid, hour_ms;
    uint32_t part;
    struct sum sums[ROLLUP_SERVERS_MAX];
    size_t sum_count;
    struct chain chain;
};

static bool has_amount(const struct increment *inc)
{
    for (uint64_t ops = inc->has_samples; ops; ops &= ops - 1)
        if (inc->samples[__builtin_ctzll(ops)])
            return true;
    for (uint64_t ops = inc->has_sum; ops; ops &= ops - 1)
        if (inc->sum[__builtin_ctzll(ops)])
            return true;
    return false;
}

/* Does it have any of what "op=all" names?  A job's page is as long as that. */
static bool is_usual(const struct increment *inc)
{
    const uint64_t bytes = UINT64_C(1) << OP_READ_BYTES | UINT64_C(1) << OP_WRITE_BYTES;
    for (uint64_t ops = inc->has_samples & ~bytes; ops; ops &= ops - 1)
        if (inc->samples[__builtin_ctzll(ops)])
            return true;
    for (uint64_t ops = inc->has_sum & bytes; ops; ops &= ops - 1)
        if (inc->sum[__builtin_ctzll(ops)])
            return true;
    return false;
}

static int emit(struct making *m, struct rollup_cell *cell)
{
    cell->hour_ms = m->hour_ms;
    cell->sid = m->sid;
    cell->part = m->part++;
    return m->fn(m->arg, cell);
}

/* The sums of the hour and series that end here. */
static int flush(struct making *m)
{
    int rc = 0;
    for (size_t i = 0; i < m->sum_count && rc >= 0; i++)
        rc = emit(m, &m->sums[i].cell);
    m->sum_count = 0;
    m->part = 0;
    return rc < 0 ? rc : 0;
}

static void cell_of(const struct increment *inc, struct span server,
                    struct rollup_cell *ret)
{
    *ret = (struct rollup_cell){ .server = server,
                                 .since_ms = inc->since_ms,
                                 .t_ms = inc->t_ms,
                                 .flags = inc->flags & ~(unsigned)FLAGS_UNTOLD,
                                 .count = 1,
                                 .missing_samples = inc->missing_samples,
                                 .missing_sum = inc->missing_sum };
    if (inc->flags & INCREMENT_UNKNOWN) /* to be found by how far back it may reach */
        ret->since_ms = inc->t_ms - INCREMENT_UNKNOWN_MS;
    for (int op = 0; op < OP_COUNT; op++) {
        if (inc->has_samples >> op & 1)
            ret->samples[op] = inc->samples[op];
        if (inc->has_sum >> op & 1)
            ret->sum[op] = inc->sum[op];
    }
}

static int emit_alone(struct making *m, const struct increment *inc, struct span server)
{
    struct rollup_cell cell;
    cell_of(inc, server, &cell);
    return emit(m, &cell);
}

/* NULL: no place for one more server. */
static struct sum *sum_of(struct making *m, struct span server)
{
    for (size_t i = 0; i < m->sum_count; i++)
        if (span_eq(m->sums[i].cell.server, server))
            return &m->sums[i];
    if (m->sum_count == ROLLUP_SERVERS_MAX || server.size > CHAIN_SERVER_BYTES_MAX)
        return NULL;
    struct sum *sum = &m->sums[m->sum_count++];
    memset(&sum->cell, 0, sizeof sum->cell);
    sum->is_usual = false;
    if (server.size)
        memcpy(sum->server, server.data, server.size);
    sum->cell.server = (struct span){ sum->server, server.size };
    return sum;
}

/* Counters of a hostile sender may be near 2^64 again and again. */
static bool fits(const struct sum *sum, const struct increment *inc)
{
    uint64_t unused;
    for (uint64_t ops = inc->has_samples; ops; ops &= ops - 1) {
        int op = __builtin_ctzll(ops);
        if (__builtin_add_overflow(sum->cell.samples[op], inc->samples[op], &unused))
            return false;
    }
    for (uint64_t ops = inc->has_sum; ops; ops &= ops - 1) {
        int op = __builtin_ctzll(ops);
        if (__builtin_add_overflow(sum->cell.sum[op], inc->sum[op], &unused))
            return false;
    }
    return true;
}

static void sum_times(struct sum *sum, const struct increment *inc)
{
    bool usual = is_usual(inc);
    if (sum->cell.count && sum->is_usual && !usual)
        return;
    bool is_first = sum->cell.count == 0 || (usual && !sum->is_usual);
    if (is_first || inc->since_ms < sum->cell.since_ms)
        sum->cell.since_ms = inc->since_ms;
    if (is_first || inc->t_ms > sum->cell.t_ms)
        sum->cell.t_ms = inc->t_ms;
    sum->is_usual = usual;
}

static int add(struct making *m, const struct increment *inc, struct span server)
{
    bool is_present = (inc->flags & ~(unsigned)FLAGS_UNTOLD) != 0;
    if (!is_present && !has_amount(inc))
        return 0;
    /* One that begins just on the edge says that observation reaches back to it. */
    bool is_inside = inc->since_ms > m->hour_ms;
    struct sum *sum = is_present || !is_inside ? NULL : sum_of(m, server);
    if (!sum || !fits(sum, inc))
        return emit_alone(m, inc, server);
    sum_times(sum, inc);
    sum->cell.count++;
    for (uint64_t ops = inc->has_samples; ops; ops &= ops - 1) {
        int op = __builtin_ctzll(ops);
        sum->cell.samples[op] += inc->samples[op];
    }
    for (uint64_t ops = inc->has_sum; ops; ops &= ops - 1) {
        int op = __builtin_ctzll(ops);
        sum->cell.sum[op] += inc->sum[op];
    }
    return 0;
}

static int make_row(void *arg, int64_t sid, const struct jobrow *row)
{
    struct making *m = arg;
    int64_t hour_ms = rollup_hour_of(row->t_ms);
    if (sid != m->sid || hour_ms != m->hour_ms) {
        int rc = flush(m);
        if (rc < 0)
            return rc;
        if (sid != m->sid)
            chain_clear(&m->chain);
        m->sid = sid;
        m->hour_ms = hour_ms;
    }
    chain_enter(&m->chain, row);
    int rc = 0;
    if (hour_ms >= m->from_ms && hour_ms < m->to_ms) {
        struct increment inc;
        increment_between(chain_before(&m->chain, row), row, &inc);
        rc = add(m, &inc, row->server);
    }
    chain_add(&m->chain, row);
    return rc;
}

int rollup_make(const struct history *history, enum target_kind kind, int64_t from_ms,
                int64_t to_ms, rollup_cell_fn *fn, void *arg, struct err *err)
{
    AUTO_FREE struct making *m = calloc(1, sizeof *m);
    if (!m)
        return -ENOMEM;
    m->from_ms = from_ms;
    m->to_ms = to_ms;
    m->fn = fn;
    m->arg = arg;
    m->sid = -1;
    struct row_range range = { .kind = kind,
                               .from_ms = chain_from_ms(from_ms),
                               .to_ms = to_ms,
                               .with_before = true };
    int rc = history->read_rows(history->arg, &range, make_row, m, err);
    return rc < 0 ? rc : flush(m);
}

void rollup_increment(const struct rollup_cell *cell, struct increment *ret)
{
    *ret = (struct increment){ .since_ms = cell->since_ms,
                               .t_ms = cell->t_ms,
                               .flags = cell->flags,
                               .has_samples = UINT64_MAX >> (64 - OP_COUNT),
                               .has_sum = UINT64_MAX >> (64 - OP_COUNT),
                               .missing_samples = cell->missing_samples,
                               .missing_sum = cell->missing_sum };
    if (cell->flags & INCREMENT_UNKNOWN)
        ret->since_ms = cell->t_ms;
    memcpy(ret->samples, cell->samples, sizeof ret->samples);
    memcpy(ret->sum, cell->sum, sizeof ret->sum);
}
