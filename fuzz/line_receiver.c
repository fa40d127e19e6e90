/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_line_receiver - what arrives in the sink does not depend on how a text was cut,
 * nor on what the cache knows already.
 *
 * The first byte says how long the pieces are and in which form lines are read.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "ingest/ingest.h"

#include <stdio.h>
#include <xxhash.h>

#define TEXT_MAX 8192
#define SERIES_MAX 4096

/* A sink that hashes names and samples; a series is its name's hash. */
struct ear {
    uint64_t names[SERIES_MAX];
    size_t count;
    uint64_t heard;
};

static int hear_series(void *arg, const struct sink_key *key, struct level_series **ret,
                       uint16_t *ret_shard)
{
    struct ear *ear = arg;
    uint64_t name = XXH3_64bits(key->path.data, key->path.size);
    name = XXH3_64bits_withSeed(key->metric.data, key->metric.size, name);
    fuzz_check(key->path.size > 0);
    if (!key->is_open && key->metric.size > 0 && key->metric.data[0] == 'u')
        return -ENOENT;
    size_t i = 0;
    while (i < ear->count && ear->names[i] != name)
        i++;
    if (i == SERIES_MAX)
        return -ENOSPC;
    ear->names[i] = name;
    ear->count += i == ear->count;
    *ret = (struct level_series *)(void *)&ear->names[i];
    *ret_shard = (uint16_t)(name % 2);
    return 0;
}

static int hear_put(void *arg, size_t shard, const struct sample *samples, size_t count,
                    struct sample_counts *ret)
{
    struct ear *ear = arg;
    for (size_t i = 0; i < count; i++) {
        uint64_t name;
        memcpy(&name, (const void *)samples[i].series, sizeof name);
        fuzz_check(name % 2 == shard);
        const struct {
            uint64_t name;
            int64_t t_ns;
            double value;
        } one = { name, samples[i].t_ns, samples[i].value };
        /* Added, for batches of two shards come in either order. */
        ear->heard += XXH3_64bits(&one, sizeof one);
    }
    ret->accepted = count;
    return 0;
}

static uint32_t generation(void *arg)
{
    (void)arg;
    return 1;
}

static uint64_t take(struct ear *ear, struct lookup_cache *cache, enum line_form form,
                     struct span text, size_t piece)
{
    AUTO(line_receiver_free) struct line_receiver *receiver = NULL;
    const struct sink sink = { .series = hear_series,
                               .put = hear_put,
                               .generation = generation,
                               .arg = ear,
                               .shard_count = 2 };
    const struct line_receiver_opts opts = {
        .sink = &sink,
        .cache = cache,
        .names = { .form = form, .cluster = SPAN("c") },
        .now_ns = 1,
        .is_open = form == LINE_INFLUX,
    };
    ear->heard = 0;
    fuzz_check(line_receiver_new(&opts, &receiver) == 0);
    while (text.size > 0) {
        size_t size = piece < text.size ? piece : text.size;
        fuzz_check(line_receiver_feed(receiver, (struct span){ text.data, size }) == 0);
        text = span_skip(text, size);
    }
    fuzz_check(line_receiver_finish(receiver) == 0);
    const struct line_result *result = line_receiver_result(receiver);
    fuzz_check(result->bad <= result->lines);
    const uint64_t counts[] = { result->lines, result->accepted, result->bad,
                                result->unknown_metric, result->strings };
    return XXH3_64bits_withSeed(counts, sizeof counts, ear->heard);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ear ear;
    AUTO(lookup_cache_free) struct lookup_cache *cache = NULL;
    if (size == 0 || size > TEXT_MAX)
        return 0;
    struct span text = { (const char *)data + 1, size - 1 };
    enum line_form form = data[0] & 1 ? LINE_INFLUX : LINE_CLUSTERCOCKPIT;
    ear.count = 0;
    fuzz_check(lookup_cache_new(64, &cache) == 0);
    uint64_t whole = take(&ear, cache, form, text, TEXT_MAX);
    fuzz_check(take(&ear, cache, form, text, 1 + data[0] / 2) == whole);
    return 0;
}
