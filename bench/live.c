/* SPDX-License-Identifier: Apache-2.0 */
/* live - what the live table costs: a row taken, its memory, and "who, right now".
 *
 *     bench_live [SERIES [ROUNDS]]       default 100000 series, 30 rounds of two
 * minutes; `bench_live 300 700` is a day of a small site
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "query/query.h"

#include <stdio.h>

#define ROUND_MS INT64_C(120000)
#define T0_MS INT64_C(1795219200000)
#define ASKS 5

static int64_t now_ms = T0_MS;

static int64_t played_now_ms(void)
{
    return now_ms;
}

struct texts {
    char target[24], job[24], user[24], node[24];
};

static void describe(uint64_t i, struct texts *texts, struct series *ret)
{
    (void)snprintf(texts->target, sizeof texts->target, "scratch-OST%04x",
                   (unsigned)(i % 24));
    (void)snprintf(texts->job, sizeof texts->job, "%u",
                   11000000 + (unsigned)(i / 24 % 500));
    (void)snprintf(texts->user, sizeof texts->user, "%u", (unsigned)(i / 24 % 80));
    (void)snprintf(texts->node, sizeof texts->node, "r%02uc%02u",
                   (unsigned)(i / 24 / 50 % 99), (unsigned)(i / 24 % 50));
    *ret = (struct series){ .sid = (int64_t)i + 1,
                            .fs = SPAN("scratch"),
                            .kind = TARGET_OST,
                            .target = span_of(texts->target),
                            .job = span_of(texts->job),
                            .user = span_of(texts->user),
                            .node = span_of(texts->node) };
}

static void fill_row(uint64_t i, uint64_t round, struct jobrow *ret)
{
    static const enum op ops[] = { OP_READ_BYTES, OP_WRITE_BYTES, OP_READ,   OP_WRITE,
                                   OP_PUNCH,      OP_SYNC,        OP_GETATTR };
    *ret = (struct jobrow){ .server = SPAN("oss01"),
                            .t_ms = now_ms,
                            .since_ms = now_ms - ROUND_MS,
                            .previous_ms = round ? now_ms - ROUND_MS : T_NONE,
                            .reset = round ? RESET_NO : RESET_YES,
                            .snapshot_ns = now_ms * NS_PER_MS,
                            .start_ns = T_NONE };
    for (size_t k = 0; k < COUNT_OF(ops); k++) {
        ret->has_samples |= UINT64_C(1) << ops[k];
        ret->has_sum |= UINT64_C(1) << ops[k];
        ret->samples[ops[k]] = (round + 1) * (i % 97 + k);
        ret->sum[ops[k]] = (round + 1) * (i % 1009 + k) * 4096;
    }
}

static double ask(struct live *live, const char *by, const char *ops)
{
    double best = 1e9;
    for (int i = 0; i < ASKS; i++) {
        struct err err = { 0 };
        AUTO(selection_done) struct selection sel;
        AUTO(table_done) struct table table;
        const struct query_ctx ctx = { .live = live };
        int64_t began = clock_cpu_ns();
        selection_init(&sel, now_ms);
        table_init(&table);
        if (selection_set(&sel, SPAN("by"), span_of(by), &err) < 0 ||
            (ops && selection_set(&sel, SPAN("op"), span_of(ops), &err) < 0) ||
            query_top(&ctx, &sel, &table, &err) < 0) {
            fprintf(stderr, "bench_live: %s\n", err.text);
            exit(EXIT_FAILED);
        }
        double ms = (double)(clock_cpu_ns() - began) / 1e6;
        best = ms < best ? ms : best;
    }
    return best;
}

/* What a panel of rates asks: sums of all rounds, in 1,000 steps that rounds cross. */
static double ask_rates(struct live *live, uint64_t rounds, const char *by)
{
    static const struct selection_defaults defaults = { .ops = "write_bytes",
                                                        .by = "" };
    double best = 1e9;
    for (int i = 0; i < ASKS; i++) {
        struct err err = { 0 };
        AUTO(selection_done) struct selection sel;
        AUTO(accumulator_free) struct accumulator *sums = NULL;
        const struct query_ctx ctx = { .live = live };
        int64_t began = clock_cpu_ns();
        selection_init(&sel, now_ms);
        sel.from_ms = now_ms - (int64_t)(rounds - 1) * ROUND_MS;
        sel.to_ms = now_ms;
        sel.step_ms = (sel.to_ms - sel.from_ms) / 1000;
        if (selection_set(&sel, SPAN("by"), span_of(by), &err) < 0 ||
            selection_settle(&sel, &defaults, T_NONE, &err) < 0 ||
            query_sums(&ctx, &sel, &sums, &err) < 0) {
            fprintf(stderr, "bench_live: %s\n", err.text);
            exit(EXIT_FAILED);
        }
        double ms = (double)(clock_cpu_ns() - began) / 1e6;
        best = ms < best ? ms : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    uint64_t series = 100000, rounds = 30;
    if ((argc > 1 && number_parse_u64(span_of(argv[1]), &series) < 0) ||
        (argc > 2 && number_parse_u64(span_of(argv[2]), &rounds) < 0))
        return EXIT_USAGE;
    AUTO(live_free) struct live *live = NULL;
    const struct live_opts opts = { .bytes_max = (size_t)4 << 30,
                                    .is_alone = true,
                                    .window_ms = INT64_C(25) * 3600 * 1000,
                                    .now_ms = played_now_ms };
    if (live_new(&opts, &live) < 0)
        return EXIT_FAILED;
    int64_t spent_ns = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        now_ms += ROUND_MS;
        for (uint64_t i = 0; i < series; i++) {
            struct texts texts;
            struct series s;
            struct jobrow row;
            describe(i, &texts, &s);
            fill_row(i, round, &row);
            int64_t began = i % 64 ? 0 : clock_cpu_ns();
            live_accept(live, &s, &row);
            if (began) /* every 64th, so that the clock costs little */
                spent_ns += clock_cpu_ns() - began;
        }
    }
    struct live_stats stats;
    live_get_stats(live, &stats);
    double rows = (double)(rounds * series);
    printf("| live | %llu series, %llu rounds | %.0f ns a row | %.0f MiB, %.0f B a "
           "row kept |\n",
           (unsigned long long)series, (unsigned long long)rounds,
           (double)spent_ns * 64 / rows, (double)stats.bytes / 1048576,
           (double)stats.bytes / rows);
    static const char *const bys[] = { "job", "user", "target", "node" };
    for (size_t i = 0; i < COUNT_OF(bys); i++)
        printf("| top --by %s | 10 minutes, since within the hour | %.1f ms CPU | |\n",
               bys[i], ask(live, bys[i], NULL));
    printf("| top --by job --op write_bytes | the same | %.1f ms CPU | |\n",
           ask(live, "job", "write_bytes"));
    for (size_t i = 0; i < COUNT_OF(bys) - 1; i++) {
        double ms = ask_rates(live, rounds, bys[i]);
        printf("| rates of write_bytes by %s | all rounds, 1,000 steps | %.1f ms CPU | "
               "%.0f ns a "
               "row |\n",
               bys[i], ms, ms * 1e6 / rows);
    }
    return EXIT_OK;
}
