/* SPDX-License-Identifier: Apache-2.0 */
/* wire - how fast batches of jobstats are encoded and decoded.
 *
 *     bench_wire [ENTRIES [ROUNDS]]      CPU time of the best round
 */
#include "wire/wire.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <stdio.h>

static void fill(struct entry *entry, size_t index, char *id, size_t id_size)
{
    static const struct {
        const char *name;
        enum op_unit unit;
    } ops[] = {
        { "read_bytes", OP_UNIT_BYTES }, { "write_bytes", OP_UNIT_BYTES },
        { "read", OP_UNIT_USECS },       { "write", OP_UNIT_USECS },
        { "getattr", OP_UNIT_USECS },    { "setattr", OP_UNIT_USECS },
        { "punch", OP_UNIT_USECS },      { "sync", OP_UNIT_USECS },
        { "destroy", OP_UNIT_USECS },    { "create", OP_UNIT_USECS },
        { "statfs", OP_UNIT_USECS },     { "get_info", OP_UNIT_USECS },
        { "set_info", OP_UNIT_USECS },   { "quotactl", OP_UNIT_USECS },
        { "prealloc", OP_UNIT_USECS },
    };
    int size = snprintf(id, id_size, "%zu:17627127:r%02zuc%02zu", 11317854 + index,
                        index % 40, index % 48);
    *entry = (struct entry){
        .target = SPAN("scratch-OST0001"),
        .kind = TARGET_OST,
        .id = { id, (size_t)size },
        .flags = ENTRY_ID_QUOTED,
        .snapshot_ns = INT64_C(1669010520123456789),
        .start_ns = INT64_C(1669009000987654321),
        .op_count = COUNT_OF(ops),
    };
    for (size_t i = 0; i < COUNT_OF(ops); i++)
        entry->ops[i] = (struct op_stat){
            .name = span_of(ops[i].name),
            .unit = ops[i].unit,
            .has = OP_HAS_SAMPLES | OP_HAS_MIN | OP_HAS_MAX | OP_HAS_SUM |
                   OP_HAS_SUMSQ | (i < 2 ? (unsigned)OP_HAS_HIST : 0U),
            .samples = 7754 + index,
            .min = 4096,
            .max = 16777216,
            .sum = UINT64_C(123456789012) + index,
            .sumsq = UINT64_C(166242808078794752),
            .hist = SPAN("4K: 12, 32K: 1, 1M: 512, 4M: 7741"),
        };
}

static int64_t encode(size_t count, struct strbuf *out)
{
    static struct entry entry;
    static const struct uuid agent = { { 1 } };
    struct observation seen = { .t_ms = INT64_C(1669010520000),
                                .since_ms = INT64_C(1669010400000),
                                .previous_ms = INT64_C(1669010400000) };
    int64_t spent_ns = 0;
    struct jobstats_encoder encoder;
    strbuf_clear(out);
    jobstats_encode_start(&encoder, out, &agent, 1, SPAN("oss01"));
    for (size_t i = 0; i < count; i++) {
        char id[64];
        fill(&entry, i, id, sizeof id);
        int64_t before_ns = clock_cpu_ns();
        jobstats_encode_entry(&encoder, &entry, &seen);
        spent_ns += clock_cpu_ns() - before_ns;
    }
    return jobstats_encode_finish(&encoder) < 0 ? -1 : spent_ns;
}

static int64_t decode(size_t count, struct span text)
{
    AUTO(jobbatch_done) struct jobbatch batch;
    AUTO(jobstats_decoder_free) struct jobstats_decoder *decoder = NULL;
    int64_t before_ns = clock_cpu_ns();
    jobbatch_init(&batch, 0);
    if (jobstats_decoder_new(&batch, &decoder) < 0)
        return -1;
    while (text.size) {
        size_t piece = text.size < 65536 ? text.size : 65536;
        if (jobstats_decoder_feed(decoder, text.data, piece, NULL) < 0)
            return -1;
        text = span_skip(text, piece);
    }
    if (jobstats_decoder_finish(decoder, NULL) < 0 || batch.row_count != count)
        return -1;
    return clock_cpu_ns() - before_ns;
}

static void report(const char *what, size_t count, size_t bytes, int64_t ns)
{
    double s = (double)ns / (double)NS_PER_S;
    printf("%-8s %zu entries %8.1f ms %8.0f entries/s %7.1f MB/s\n", what, count,
           s * 1e3, (double)count / s, (double)bytes / s / 1e6);
}

int main(int argc, char **argv)
{
    uint64_t count = 5000, rounds = 10;
    if ((argc > 1 && number_parse_u64(span_of(argv[1]), &count) < 0) ||
        (argc > 2 && number_parse_u64(span_of(argv[2]), &rounds) < 0) ||
        count > JOBSTATS_ENTRIES_MAX) {
        fprintf(stderr, "usage: bench_wire [ENTRIES [ROUNDS]]\n");
        return EXIT_USAGE;
    }
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int64_t encode_ns = INT64_MAX, decode_ns = INT64_MAX;
    for (uint64_t i = 0; i < rounds; i++) {
        int64_t ns = encode(count, &text);
        encode_ns = ns < encode_ns ? ns : encode_ns;
        ns = decode(count, strbuf_span(&text));
        decode_ns = ns < decode_ns ? ns : decode_ns;
    }
    if (encode_ns < 0 || decode_ns < 0) {
        fprintf(stderr, "bench_wire: a batch did not come back\n");
        return EXIT_FAILED;
    }
    report("encode", count, text.size, encode_ns);
    report("decode", count, text.size, decode_ns);
    return EXIT_OK;
}
