/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_store_index - records of a checkpoint's index; what is taken is restored.
 *
 * The input is records, each behind its size in two bytes.
 */
#include "fuzz/fuzz.h"
#include "store/files/files.h"

#include <errno.h>

static struct epoch epoch;
static struct memory memory;

static int take_metric(void *arg, uint32_t id, const struct metric *metric)
{
    uint64_t *sum = arg;
    *sum += id + metric->name.size + metric->unit.size;
    return 0;
}

static int take_file(void *arg, uint32_t id, const struct index_file *file)
{
    uint64_t *sum = arg;
    *sum += id + file->shard;
    return 0;
}

static int take_series(void *arg, uint64_t applied, const struct index_series *s)
{
    uint64_t *sum = arg;
    struct metric_series series;
    series_init(&series, s->step_ns);
    *sum += applied + s->path.size;
    int rc = series_restore(&series, &memory, &s->state);
    if (rc == 0) {
        struct series_counts counts = { 0 };
        struct series_stats stats;
        (void)series_put(&series, &memory, &counts, 0, s->state.last_ns, 1);
        fuzz_check(series_stats(&series, 0, INT64_MAX, &stats) == 0);
    }
    series_done(&series, &memory);
    return rc == -EBADMSG ? 0 : rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t sum = 0;
    struct index_reader reader = {
        .arg = &sum, .metric = take_metric, .file = take_file, .series = take_series
    };
    epoch_init(&epoch);
    memory_init(&memory, &epoch);
    while (size > 2) {
        size_t record = data[0] | (size_t)data[1] << 8;
        record = record < size - 2 ? record : size - 2;
        struct span payload = { (const char *)data + 2, record };
        if (index_read_record(&reader, payload) < 0)
            break;
        data += record + 2;
        size -= record + 2;
    }
    memory_done(&memory);
    return 0;
}
