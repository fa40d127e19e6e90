/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_health - lfs df and lctl dl -t in blocks: every target that is understood is of
 * a file system, and no figure leaves its range.
 */
#include "source/health/health.h"
#include "fuzz/fuzz.h"

static void hear_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    (void)text;
    fuzz_check(line > 0 && reason != NULL);
    ++*(uint64_t *)arg;
}

static void check_fs(const struct health_sample *sample, struct span fs)
{
    struct health_fullness full;
    AUTO(health_failover_done) struct health_failover failover = { 0 };
    if (health_fullness(sample, fs, TARGET_OST, &full) == 0)
        fuzz_check(full.min_pct >= 0 && full.max_pct <= 100 &&
                   full.min_pct <= full.max_pct && full.count > 0);
    if (health_failover(sample, fs, &failover) == 0)
        fuzz_check(failover.mode > 0 && failover.server_count > 0 &&
                   failover.above_servers + failover.below_servers <
                       failover.server_count);
}

static void check_block(const struct health_block *block, struct health_sample *sample)
{
    struct span fs, mount;
    size_t cursor = 0;
    uint64_t faults = 0, before = sample->fault_count;
    fuzz_check(health_sample_add(sample, block, hear_fault, &faults) == 0);
    fuzz_check(sample->fault_count == before + faults);
    while (health_sample_next_fs(sample, &cursor, &fs, &mount))
        check_fs(sample, fs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct span text = { (const char *)data, size };
    AUTO(health_sample_done) struct health_sample sample;
    struct health_blocks blocks;
    struct health_block block;
    struct err err = { 0 };
    int64_t age_ns;
    unsigned count = 0;
    health_sample_init(&sample);
    health_blocks_init(&blocks, text);
    while (health_blocks_next(&blocks, &block) && count++ < 16)
        check_block(&block, &sample);
    if (health_block_at(text, INT64_MAX, 1000, &block, &age_ns, &err) == 0)
        fuzz_check(age_ns >= 0 && age_ns <= 1000);
    else
        fuzz_check(err.text[0] != '\0');
    return 0;
}
