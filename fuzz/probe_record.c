/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_probe_record - records of baro-abc: what is read has an id and times that are
 * some.
 */
#include "source/probe/probe.h"

#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena_done) struct arena arena;
    struct probe_record record = { 0 };
    arena_init(&arena, 1 << 24);
    int rc = probe_record_parse((struct span){ (const char *)data, size }, &arena,
                                &record, NULL);
    fuzz_check(rc == 0 || !record.id);
    if (rc < 0)
        return 0;
    fuzz_check(record.id != NULL);
    for (size_t i = 0; i < PROBE_PHASES; i++) {
        const struct probe_phase *p = &record.phases[i];
        fuzz_check(p->wall_ns >= 0 && p->slowest_ns >= 0 && p->transfer_ns >= 0 &&
                   p->metadata_ns >= 0 && p->start_ns >= 0);
        fuzz_check(p->bytes <= INT64_MAX && p->files <= INT64_MAX);
    }
    return 0;
}
