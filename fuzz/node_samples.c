/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_node_samples - samples of a job's nodes as a barod sends them, and what is found
 * in them: phases that are whole, a roofline without absurd points.
 */
#include "analysis/footprint/footprint.h"
#include "base/strbuf.h"
#include "fuzz/fuzz.h"

#include <math.h>

static void check_phases(const struct node_samples *samples,
                         const struct job_phases *phases)
{
    fuzz_check(phases->count <= JOB_PHASES_MAX);
    for (size_t i = 0; i < phases->count; i++) {
        const struct job_phase *p = &phases->items[i];
        fuzz_check(p->from == (i > 0 ? phases->items[i - 1].to : 0));
        fuzz_check(p->from < p->to && p->to <= samples->window_count);
    }
    if (phases->count > 0)
        fuzz_check(phases->items[phases->count - 1].to == samples->window_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena_done) struct arena arena = { 0 };
    struct span text = { (const char *)data, size };
    const struct footprint_job job = { .is_over = true, .gpus = -1 };
    struct node_samples samples = { 0 };
    struct footprint footprint = { 0 };
    struct err err = { 0 };
    arena_init(&arena, (size_t)64 << 20);
    if (node_samples_read(text, &arena, &samples, &err) < 0) {
        fuzz_check(err.text[0] != '\0');
        return 0;
    }
    if (footprint_make(&samples, &job, &arena, &footprint) < 0)
        return 0;
    check_phases(&samples, &footprint.phases);
    const struct roofline *r = &footprint.roofline;
    fuzz_check(r->state != ROOFLINE_KNOWN || r->job.n > 0);
    fuzz_check(!(r->job.flops < 0) && !(r->job.bytes < 0));
    return 0;
}
