/* SPDX-License-Identifier: Apache-2.0 */
/* rows - what a row costs on its way through the records' door, without HTTP and JSON.
 *
 *     bench_rows --path FILE | --connection STRING [--rows N] [--all-statistics]
 *
 * 20,000 series, one in seven of them of an MDT, get a row every two minutes of
 * invented time, in batches of an agent's size.  The first round, which stores the
 * series, is not measured.  Prints one line of a Markdown table.
 */
#include "cost.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/options.h"
#include "base/span.h"
#include "records/records.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define SERIES 20000
#define INTERVAL_MS (120 * MS_PER_S)

struct args {
    const char *path, *connection;
    uint64_t rows, batch;
    bool all_statistics;
};

static struct span text_keep(struct jobbatch *batch, const char *text)
{
    return (struct span){ arena_dup(&batch->arena, span_of(text)), strlen(text) };
}

/* The seed's flat form has samples, and for bytes the sum. */
static void add_counters(struct jobbatch *batch, struct jobrow *row, uint64_t n,
                         bool all_statistics)
{
    for (int op = 0; op < OP_COUNT; op++) {
        if (!op_is_on((enum op)op, row->kind))
            continue;
        bool has_sum = op_seed_wants_sum((enum op)op);
        row->samples[op] = n * (17 + (uint64_t)op);
        row->sum[op] = row->samples[op] * 40961;
        if (all_statistics || !has_sum)
            row->has_samples |= UINT64_C(1) << op;
        if (all_statistics || has_sum)
            row->has_sum |= UINT64_C(1) << op;
    }
    if (!all_statistics)
        return;
    char more[512];
    (void)snprintf(more, sizeof more,
                   "{\"read_bytes\":[4096,1048576,%" PRIu64 "],"
                   "\"write_bytes\":[4096,16777216,%" PRIu64 "],"
                   "\"read\":[7,4211,%" PRIu64 "],\"write\":[11,93113,%" PRIu64 "],"
                   "\"setattr\":[4,310,%" PRIu64 "],\"punch\":[9,411,%" PRIu64 "]}",
                   n * 99991, n * 31337777, n * 512, n * 1024, n * 77, n * 79);
    row->more = text_keep(batch, more);
}

static int put_batch(struct records *records, const struct args *args,
                     const struct uuid *agent, uint64_t first, uint64_t count,
                     int64_t start_ms, struct err *err)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    jobbatch_init(&batch, 0);
    batch.has_id = true;
    batch.agent = *agent;
    batch.sequence = first;
    for (uint64_t i = first; i < first + count; i++) {
        struct jobrow *row = jobbatch_add_row(&batch);
        if (!row)
            return -ENOMEM;
        uint64_t slot = i % SERIES, tick = i / SERIES;
        char text[64];
        row->kind = slot % 7 == 0 ? TARGET_MDT : TARGET_OST;
        (void)snprintf(text, sizeof text, "scratch-%s%04x",
                       row->kind == TARGET_MDT ? "MDT" : "OST",
                       (unsigned)(slot / 1000));
        row->target = text_keep(&batch, text);
        (void)snprintf(text, sizeof text, "%" PRIu64 ":17627127:r%02uc%02u",
                       11000000 + slot, (unsigned)(slot % 42), (unsigned)(slot % 48));
        row->entry_id = text_keep(&batch, text);
        row->fs = SPAN("scratch");
        row->server = SPAN("oss01");
        row->t_ms = start_ms + (int64_t)tick * INTERVAL_MS;
        row->since_ms = row->previous_ms = row->t_ms - INTERVAL_MS;
        row->snapshot_ns = row->t_ms * NS_PER_MS - 7 * NS_PER_S;
        row->start_ns = start_ms * NS_PER_MS - 99 * NS_PER_S;
        add_counters(&batch, row, tick + 1, args->all_statistics);
    }
    struct records_response answer;
    int rc = records_put(records, &batch, clock_now_ms(), &answer, NULL, NULL, err);
    if (rc == 0 && answer.accepted != count)
        rc = err_set(err, EIO, "of %" PRIu64 " rows %" PRIu64 " were taken", count,
                     answer.accepted);
    return rc;
}

static int measure(const struct args *args, struct records *records, struct err *err)
{
    struct uuid agent;
    int64_t pid = args->connection ? cost_backend_pid(args->connection) : 0;
    int64_t begin_ns = 0, taking_ns = 0;
    double own_s = 0, backend_s = 0;
    uint64_t rows = args->rows + SERIES;
    /* Ends now, so that every row is in the accepted range. */
    int64_t start_ms = clock_now_ms() - (int64_t)(rows / SERIES + 1) * INTERVAL_MS;
    int rc = uuid_new(&agent);
    for (uint64_t first = 0; first < rows && rc == 0; first += args->batch) {
        if (begin_ns == 0 && first >= SERIES) {
            begin_ns = clock_monotonic_ns();
            own_s = cost_of(getpid()).cpu_s;
            backend_s = cost_of(pid).cpu_s;
        }
        uint64_t left = rows - first;
        rc = put_batch(records, args, &agent, first,
                       left < args->batch ? left : args->batch, start_ms, err);
    }
    if (rc < 0)
        return rc;
    taking_ns = clock_monotonic_ns() - begin_ns;
    own_s = cost_of(getpid()).cpu_s - own_s;
    backend_s = cost_of(pid).cpu_s - backend_s;
    double wall_s = (double)taking_ns / (double)NS_PER_S, count = (double)args->rows;
    printf("| %s | %s | %" PRIu64 " | %.0f | %.1f |",
           args->connection ? "postgres" : "sqlite",
           args->all_statistics ? "all" : "the seed's", args->batch, count / wall_s,
           own_s * 1e6 / count);
    if (backend_s > 0)
        printf(" %.1f | %.0f |\n", backend_s * 1e6 / count, count / backend_s);
    else
        printf(" | |\n");
    return 0;
}

static int run(void *arguments, int operand_count, char **operands)
{
    (void)operand_count, (void)operands;
    const struct args *args = arguments;
    struct err err = { 0 };
    AUTO(site_free) struct site *site = NULL;
    AUTO(records_close) struct records *records = NULL;
    struct records_opts opts = { .engine = args->connection ? "postgres" : "sqlite",
                                 .path = args->path,
                                 .connection = args->connection,
                                 .retention_ns = 400 * INT64_C(86400) * NS_PER_S };
    int rc = site_new(NULL, &site, &err);
    if (rc == 0)
        rc = records_open(&opts, site, &records, &err);
    if (rc == 0)
        rc = measure(args, records, &err);
    if (rc < 0) {
        fprintf(stderr, "bench_rows: %s\n", err.text);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "path", 0, OPTION_TEXT, offsetof(struct args, path), "FILE",
          "SQLite's file." },
        { "connection", 0, OPTION_TEXT, offsetof(struct args, connection), "STRING",
          "PostgreSQL's connection string." },
        { "rows", 0, OPTION_COUNT, offsetof(struct args, rows), "N", "Rows measured." },
        { "batch", 0, OPTION_COUNT, offsetof(struct args, batch), "N",
          "Rows a batch." },
        { "all-statistics", 0, OPTION_FLAG, offsetof(struct args, all_statistics), NULL,
          "Sums and min, max, sumsq too." },
    };
    static const struct command command = {
        .name = "bench_rows",
        .operands = "",
        .help = "What a row costs in the records.",
        .options = options,
        .option_count = COUNT_OF(options),
        .args_size = sizeof(struct args),
        .run = run,
    };
    struct args args = { .rows = 1000000, .batch = 5000 };
    struct err err = { 0 };
    if (options_parse(&command, argc, argv, &args, &err) < 0) {
        fprintf(stderr, "bench_rows: %s\n", err.text);
        return EXIT_USAGE;
    }
    return run(&args, 0, NULL);
}
