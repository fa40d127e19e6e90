/* SPDX-License-Identifier: Apache-2.0 */
/* history - fills a database with the rows of a busy site, through the records' door.
 *
 *     bench_history --rows 2000000 --concurrent 20000 --life 30 --path FILE
 *
 * Every interval `concurrent` series get a row; each series lives for `life` intervals
 * and is followed by a new one, so that series come at a constant rate for as long as
 * it runs: rows / life of them in all.  The last interval ends now.  Prints what each
 * tenth of the rows cost.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/options.h"
#include "records/records.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define STEPS 10

struct args {
    const char *path, *connection;
    uint64_t rows, concurrent, life, targets, batch;
    int64_t interval_ns;
    bool all_statistics;
};

struct fill {
    const struct args *args;
    struct records *records;
    struct uuid agent;
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

static void add_counters(struct jobrow *row, uint64_t n)
{
    static const enum op counted[] = {
        OP_READ_BYTES, OP_WRITE_BYTES, OP_READ,     OP_WRITE,    OP_GETATTR,
        OP_SETATTR,    OP_PUNCH,       OP_SYNC,     OP_DESTROY,  OP_CREATE,
        OP_STATFS,     OP_GET_INFO,    OP_SET_INFO, OP_QUOTACTL,
    };
    for (size_t i = 0; i < COUNT_OF(counted); i++) {
        row->has_samples |= UINT64_C(1) << counted[i];
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
    add_counters(row, n);
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
    struct records_answer answer = { 0 };
    int rc =
        records_put(fill->records, &batch, clock_now_ms(), &answer, NULL, NULL, err);
    if (rc == 0 && answer.taken != count)
        rc = err_set(err, EIO, "of %" PRIu64 " rows %" PRIu64 " were taken", count,
                     answer.taken);
    return rc;
}

static double process_cpu_s(void)
{
    struct rusage use;
    (void)getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_utime.tv_sec + (double)use.ru_stime.tv_sec +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static int fill_all(struct fill *fill, struct err *err)
{
    const struct args *a = fill->args;
    uint64_t done = 0;
    for (unsigned step = 1; step <= STEPS; step++) {
        uint64_t until = a->rows / STEPS * step, before = done;
        int64_t wall_ns = clock_monotonic_ns();
        double cpu_s = process_cpu_s();
        while (done < until) {
            uint64_t count = until - done < a->batch ? until - done : a->batch;
            int rc = put_rows(fill, done, count, err);
            if (rc < 0)
                return rc;
            done += count;
        }
        double wall_s = (double)(clock_monotonic_ns() - wall_ns) / 1e9;
        cpu_s = process_cpu_s() - cpu_s;
        printf("| %" PRIu64 " | %" PRIu64 " | %.0f | %.1f |\n", done,
               done / a->life + a->concurrent, (double)(done - before) / wall_s,
               cpu_s * 1e6 / (double)(done - before));
        (void)fflush(stdout);
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
    rc = records_open(&opts, site, &records, err);
    if (rc < 0)
        return rc;
    uint64_t ticks = (a->rows + a->concurrent - 1) / a->concurrent;
    int64_t interval_ms = a->interval_ns / NS_PER_MS;
    struct fill fill = { .args = a, .records = records };
    fill.first_ms =
        clock_now_ms() / interval_ms * interval_ms - ((int64_t)ticks - 1) * interval_ms;
    rc = uuid_new(&fill.agent);
    printf(
        "%s\n\n| rows | series | rows/s | CPU us/row (this process) |\n|--|--|--|--|\n",
        records_describe(records));
    return rc < 0 ? rc : fill_all(&fill, err);
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
