/* SPDX-License-Identifier: Apache-2.0 */
/* history - fills a database with the rows of a busy site, through the records' door.
 *
 *     bench_history --rows 2000000 --concurrent 20000 --life 30 --path FILE
 *
 * Every interval `concurrent` series get a row; each series lives for `life` intervals
 * and is followed by a new one, so that series come at a constant rate for as long as
 * it runs: rows / life of them in all.  The last interval ends now.  Prints a line of a
 * table whenever the number of series has reached another 10,000, 100,000 or 1,000,000
 * (ten lines at most of each): what a row cost since the line before.  Progress is told
 * on standard error.
 */
#include "cost.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/options.h"
#include "base/span.h"
#include "records/records.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRESS_NS (30 * NS_PER_S)

struct args {
    const char *path, *connection;
    uint64_t rows, concurrent, life, targets, batch, cache;
    int64_t interval_ns;
    bool all_statistics, samples;
};

struct fill {
    const struct args *args;
    struct records *records;
    struct uuid agent;
    int64_t backend; /* PostgreSQL's process for us */
    uint64_t sequence;
    int64_t first_ms;
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static struct span arena_text(struct arena *arena, const char *text)
{
    struct span s = span_of(text);
    s.data = arena_dup(arena, s);
    return s;
}

/* What stands beside the columns in the form of 2.15: min, max and sumsq of each. */
static void add_more(struct jobbatch *batch, struct jobrow *row, uint64_t n)
{
    char text[512];
    (void)snprintf(text, sizeof text,
                   "{\"read_bytes\":[4096,1048576,%" PRIu64 "],"
                   "\"write_bytes\":[4096,16777216,%" PRIu64 "],"
                   "\"read\":[7,4211,%" PRIu64 "],\"write\":[11,93113,%" PRIu64 "],"
                   "\"getattr\":[3,99,%" PRIu64 "],\"setattr\":[4,310,%" PRIu64 "],"
                   "\"punch\":[9,411,%" PRIu64 "],\"sync\":[12,2222,%" PRIu64 "]}",
                   n * 99991, n * 31337777, n * 512, n * 1024, n * 77, n * 78, n * 79,
                   n * 80);
    row->more = arena_text(&batch->arena, text);
}

/* As 2.12 prints them, only the bytes have a sum. */
static void add_counters(struct jobrow *row, uint64_t n, bool samples)
{
    static const enum op counted[] = {
        OP_READ_BYTES, OP_WRITE_BYTES, OP_READ,     OP_WRITE,    OP_GETATTR,
        OP_SETATTR,    OP_PUNCH,       OP_SYNC,     OP_DESTROY,  OP_CREATE,
        OP_STATFS,     OP_GET_INFO,    OP_SET_INFO, OP_QUOTACTL,
    };
    for (size_t i = 0; i < COUNT_OF(counted); i++) {
        row->has_samples |= UINT64_C(1) << counted[i];
        if (!samples || i < 2)
            row->has_sum |= UINT64_C(1) << counted[i];
        row->samples[counted[i]] = n * (17 + i);
        row->sum[counted[i]] = n * (17 + i) * 4096 * (1 + i % 3);
    }
}

/* Row `slot` of interval `tick`. */
static int add_row(const struct fill *fill, struct jobbatch *batch, uint64_t tick,
                   uint64_t slot)
{
    const struct args *a = fill->args;
    struct jobrow *row = jobbatch_add_row(batch);
    if (!row)
        return -ENOMEM;
    /* Lives of different slots end at different times. */
    uint64_t at = tick + mix(slot) % a->life;
    uint64_t age = at % a->life, series = at / a->life * a->concurrent + slot;
    uint64_t job = series / 32, n = age + 1;
    char text[96];
    (void)snprintf(text, sizeof text, "scratch-OST%04x", (unsigned)(slot % a->targets));
    row->target = arena_text(&batch->arena, text);
    row->kind = TARGET_OST;
    (void)snprintf(text, sizeof text,
                   "%" PRIu64 ":%" PRIu64 ":r%02" PRIu64 "c%02" PRIu64, 11000000 + job,
                   17600000 + mix(job) % 150, slot / 48 % 42 + 1, slot % 48 + 1);
    row->entry_id = arena_text(&batch->arena, text);
    row->id_exact = true;
    row->fs = SPAN("scratch");
    row->server = SPAN("oss01");
    int64_t interval_ms = a->interval_ns / NS_PER_MS;
    row->t_ms = fill->first_ms + (int64_t)tick * interval_ms;
    row->since_ms = row->t_ms - interval_ms;
    row->previous_ms = age ? row->since_ms : T_NONE;
    row->reset = age ? RESET_NO : RESET_YES;
    row->snapshot_ns = row->t_ms * NS_PER_MS - 7 * NS_PER_S;
    row->start_ns =
        (row->t_ms - (int64_t)age * interval_ms) * NS_PER_MS - 99 * NS_PER_S;
    add_counters(row, n, a->samples);
    if (a->all_statistics)
        add_more(batch, row, n);
    return 0;
}

static int put_rows(struct fill *fill, uint64_t first, uint64_t count, struct err *err)
{
    const struct args *a = fill->args;
    AUTO(jobbatch_done) struct jobbatch batch;
    jobbatch_init(&batch, 0);
    batch.has_id = true;
    batch.agent = fill->agent;
    batch.sequence = ++fill->sequence;
    batch.server = SPAN("oss01");
    for (uint64_t i = first; i < first + count; i++) {
        int rc = add_row(fill, &batch, i / a->concurrent, i % a->concurrent);
        if (rc < 0)
            return rc;
    }
    struct records_response answer = { 0 };
    int rc =
        records_put(fill->records, &batch, clock_now_ms(), &answer, NULL, NULL, err);
    if (rc == 0 && answer.accepted != count)
        rc = err_set(err, EIO, "of %" PRIu64 " rows %" PRIu64 " were taken", count,
                     answer.accepted);
    return rc;
}

/* What stands on a line of the table, counted from the beginning. */
struct point {
    uint64_t rows;
    int64_t wall_ns;
    struct cost own, backend;
};

static struct point point_now(const struct fill *fill, uint64_t rows)
{
    return (struct point){ .rows = rows,
                           .wall_ns = clock_monotonic_ns(),
                           .own = cost_of(getpid()),
                           .backend = cost_of(fill->backend) };
}

static uint64_t database_bytes(const struct args *a)
{
    struct stat st = { 0 };
    if (a->connection)
        return cost_database_bytes(a->connection);
    return stat(a->path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static uint64_t series_of(const struct args *a, uint64_t rows)
{
    uint64_t ticks = rows / a->concurrent;
    return rows < a->concurrent ? rows
                                : a->concurrent + ticks * a->concurrent / a->life;
}

/* The next number of series that is worth a line. */
static uint64_t next_line(uint64_t series)
{
    uint64_t step = 10000;
    while (step < 1000000 && series >= step * 10)
        step *= 10;
    return (series / step + 1) * step;
}

static void line_print(const struct args *a, const struct point *from,
                       const struct point *to)
{
    double rows = (double)(to->rows - from->rows);
    double own_us = (to->own.cpu_s - from->own.cpu_s) * 1e6 / rows;
    double backend_us = (to->backend.cpu_s - from->backend.cpu_s) * 1e6 / rows;
    uint64_t read = to->own.read_bytes - from->own.read_bytes + to->backend.read_bytes -
                    from->backend.read_bytes;
    uint64_t written = to->own.written_bytes - from->own.written_bytes +
                       to->backend.written_bytes - from->backend.written_bytes;
    printf("| %" PRIu64 " | %" PRIu64 " | %.0f | %.1f | %.1f | %.1f | %.0f | %.0f | "
           "%.0f | %.0f |\n",
           series_of(a, to->rows), to->rows,
           rows * 1e9 / (double)(to->wall_ns - from->wall_ns), own_us, backend_us,
           own_us + backend_us, (double)read / rows, (double)written / rows,
           (double)database_bytes(a) / 1e6, (double)to->own.peak_kb / 1000);
    (void)fflush(stdout);
}

static void progress(const struct args *a, const struct point *start, uint64_t done,
                     int64_t *last_ns)
{
    int64_t now_ns = clock_monotonic_ns();
    if (now_ns - *last_ns < PROGRESS_NS)
        return;
    *last_ns = now_ns;
    double passed_s = (double)(now_ns - start->wall_ns) / 1e9;
    fprintf(stderr, "bench_history: %.1f of %.1f M rows, %.0f s, about %.0f s to go\n",
            (double)done / 1e6, (double)a->rows / 1e6, passed_s,
            passed_s * (double)(a->rows - done) / (double)done);
}

static int fill_all(struct fill *fill, struct err *err)
{
    const struct args *a = fill->args;
    struct point start = point_now(fill, 0), from = start;
    int64_t last_ns = start.wall_ns;
    uint64_t line = next_line(0);
    for (uint64_t done = 0; done < a->rows;) {
        uint64_t count = a->rows - done < a->batch ? a->rows - done : a->batch;
        int rc = put_rows(fill, done, count, err);
        if (rc < 0)
            return rc;
        done += count;
        progress(a, &start, done, &last_ns);
        if (series_of(a, done) < line && done < a->rows)
            continue;
        struct point to = point_now(fill, done);
        line_print(a, &from, &to);
        from = to;
        line = next_line(series_of(a, done));
    }
    return 0;
}

static int fill_history(const struct args *a, struct err *err)
{
    AUTO(config_free) struct config *config = NULL;
    AUTO(site_free) struct site *site = NULL;
    AUTO(records_close) struct records *records = NULL;
    struct records_opts opts = { 0 };
    const struct config_section sections[] = { records_config_section,
                                               site_config_section };
    int rc = config_parse("bench", (struct span){ 0 }, sections, COUNT_OF(sections),
                          &config, err);
    if (rc == 0)
        rc = config_fill(config, "records", NULL, &opts, err);
    if (rc == 0)
        rc = site_new(config, &site, err);
    if (rc < 0)
        return rc;
    opts.engine = a->connection ? "postgres" : "sqlite";
    opts.path = a->path;
    opts.connection = a->connection;
    opts.series_cache_max = a->cache;
    rc = records_open(&opts, site, &records, err);
    if (rc < 0)
        return rc;
    uint64_t ticks = (a->rows + a->concurrent - 1) / a->concurrent;
    int64_t interval_ms = a->interval_ns / NS_PER_MS;
    struct fill fill = { .args = a, .records = records };
    fill.first_ms =
        clock_now_ms() / interval_ms * interval_ms - ((int64_t)ticks - 1) * interval_ms;
    rc = uuid_new(&fill.agent);
    if (rc < 0)
        return rc;
    fill.backend = a->connection ? cost_backend_pid(a->connection) : 0;
    printf(
        "%s\n\n"
        "| series | rows | rows/s | own CPU us/row | backend CPU us/row | CPU us/row | "
        "bytes read/row | bytes written/row | database MB | own peak MB |\n"
        "|--|--|--|--|--|--|--|--|--|--|\n",
        records_describe(records));
    return fill_all(&fill, err);
}

static int run(void *arg, int operand_count, char **operands)
{
    const struct args *given = arg;
    struct args a = *given;
    (void)operands;
    a.rows = a.rows ? a.rows : 2000000;
    a.concurrent = a.concurrent ? a.concurrent : 20000;
    a.life = a.life ? a.life : 30;
    a.targets = a.targets ? a.targets : 24;
    a.batch = a.batch ? a.batch : 5000;
    a.interval_ns = a.interval_ns ? a.interval_ns : 120 * NS_PER_S;
    if (operand_count || (!a.path && !a.connection) || a.batch > JOBBATCH_ROWS_MAX)
        return EXIT_USAGE;
    struct err err = { 0 };
    if (fill_history(&a, &err) < 0) {
        fprintf(stderr, "bench_history: %s\n", err.text);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

int main(int argc, char **argv)
{
#define FIELD(name) offsetof(struct args, name)
    static const struct option options[] = {
        { "path", 0, OPTION_TEXT, FIELD(path), "FILE", "SQLite's file." },
        { "connection", 0, OPTION_TEXT, FIELD(connection), "TEXT", "Or PostgreSQL." },
        { "rows", 0, OPTION_COUNT, FIELD(rows), "N", "How many (2,000,000)." },
        { "concurrent", 0, OPTION_COUNT, FIELD(concurrent), "N",
          "Rows an interval (20,000)." },
        { "life", 0, OPTION_COUNT, FIELD(life), "N", "Rows of one series (30)." },
        { "targets", 0, OPTION_COUNT, FIELD(targets), "N", "OSTs (24)." },
        { "batch", 0, OPTION_COUNT, FIELD(batch), "N", "Rows a transaction (5,000)." },
        { "interval", 0, OPTION_DURATION, FIELD(interval_ns), "TIME", "Between rows." },
        { "cache", 0, OPTION_COUNT, FIELD(cache), "N", "Series kept in memory." },
        { "samples", 0, OPTION_FLAG, FIELD(samples), NULL,
          "Sums of bytes only, as 2.12 prints." },
        { "all-statistics", 0, OPTION_FLAG, FIELD(all_statistics), NULL,
          "Also min, max and sumsq, as from 2.14 on." },
    };
#undef FIELD
    static const struct command command = {
        .name = "bench_history",
        .operands = "",
        .help = "Fill a database with the rows of a busy site.",
        .options = options,
        .option_count = COUNT_OF(options),
        .args_size = sizeof(struct args),
        .run = run,
    };
    return options_main(&command, argc, argv);
}
