/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_remote_write - messages of remote write into a sink: each series has a path from
 * which its labels are read again, and a second time everything is the same.
 */
#include "base/span.h"
#include "fuzz/fuzz.h"
#include "ingest/ingest.h"

#include <xxhash.h>

#define SERIES_MAX 4096

struct remote_ledger {
    uint64_t names[SERIES_MAX];
    size_t count;
    uint64_t sum;
};

/* The labels of the path, printed at the same place, are the path. */
static void check_path(struct span path)
{
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    char text[LABEL_TEXT_MAX];
    struct label_set set;
    struct component c;
    if (path.size > LABEL_TEXT_MAX)
        return;
    component_parse(path, &c);
    char cluster[LABEL_TEXT_MAX], host[LABEL_TEXT_MAX];
    const struct label_home home = {
        { cluster, component_unescape(c.cluster, cluster) },
        { host, component_unescape(c.host, host) },
    };
    label_path_read(path, text, &set);
    fuzz_check(label_path_print(&again, &set, &home) == 0);
    fuzz_check(span_eq(strbuf_span(&again), path));
}

static int ledger_series(void *arg, const struct sink_key *key,
                         struct level_series **ret, uint16_t *ret_shard)
{
    struct remote_ledger *ledger = arg;
    uint64_t name = XXH3_64bits(key->path.data, key->path.size);
    name = XXH3_64bits_withSeed(key->metric.data, key->metric.size, name);
    fuzz_check(key->path.size > 0 && key->metric.size > 0);
    check_path(key->path);
    size_t i = 0;
    while (i < ledger->count && ledger->names[i] != name)
        i++;
    if (i == SERIES_MAX)
        return -ENOSPC;
    ledger->names[i] = name;
    ledger->count += i == ledger->count;
    *ret = (struct level_series *)(void *)&ledger->names[i];
    *ret_shard = (uint16_t)(name % 2);
    return 0;
}

static int ledger_put(void *arg, size_t shard, const struct sample *samples,
                      size_t count, struct sample_counts *ret)
{
    struct remote_ledger *ledger = arg;
    for (size_t i = 0; i < count; i++) {
        uint64_t one[3];
        memcpy(&one[0], (const void *)samples[i].series, sizeof one[0]);
        memcpy(&one[1], &samples[i].t_ns, sizeof one[1]);
        memcpy(&one[2], &samples[i].value, sizeof one[2]);
        fuzz_check(one[0] % 2 == shard);
        fuzz_check(one[2] != UINT64_C(0x7FF8000000000000));
        ledger->sum += XXH3_64bits(one, sizeof one);
    }
    ret->accepted = count;
    return 0;
}

static uint32_t ledger_generation(void *arg)
{
    (void)arg;
    return 1;
}

static uint64_t receive(struct remote_ledger *ledger, struct lookup_cache *cache,
                        struct span message)
{
    const struct sink sink = { .series = ledger_series,
                               .put = ledger_put,
                               .generation = ledger_generation,
                               .arg = ledger,
                               .shard_count = 2 };
    const struct remote_receiver_opts opts = { .sink = &sink, .cache = cache };
    struct remote_result result = { 0 };
    ledger->sum = 0;
    int rc = remote_receive(&opts, message, &result);
    fuzz_check(rc == 0 || rc == -EBADMSG);
    fuzz_check(rc == 0 || ledger->sum == 0);
    fuzz_check(result.bad_series <= result.series);
    fuzz_check((result.bad_series > 0) <= (result.first[0] != '\0'));
    const uint64_t counts[] = { result.series,      result.accepted, result.bad_series,
                                result.bad_samples, result.stale,    result.too_old };
    return XXH3_64bits_withSeed(counts, sizeof counts, ledger->sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct remote_ledger ledger;
    AUTO(lookup_cache_free) struct lookup_cache *cache = NULL;
    struct span message = { (const char *)data, size };
    ledger.count = 0;
    fuzz_check(lookup_cache_new(64, &cache) == 0);
    uint64_t first = receive(&ledger, cache, message);
    fuzz_check(receive(&ledger, cache, message) == first);
    return 0;
}
