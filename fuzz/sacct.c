/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_sacct - what sacct prints: every job that is understood can be found again, and
 * no window holds more of it than there is.
 */
#include "fuzz/fuzz.h"
#include "source/scheduler/scheduler.h"

static void hear_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    (void)text;
    fuzz_check(line > 1 && reason != NULL);
    ++*(uint64_t *)arg;
}

static const struct zone east = { .first_ns = INT64_C(3600000000000) };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t faults = 0;
    const struct job_text_opts opts = { .clock = { size % 2 == 1 ? &east : NULL, NULL },
                                        .on_fault = hear_fault,
                                        .arg = &faults };
    AUTO(job_list_done) struct job_list list;
    struct err err = { 0 };
    job_list_init(&list);
    int rc =
        job_text_read((struct span){ (const char *)data, size }, &opts, &list, &err);
    fuzz_check((rc < 0) == (err.text[0] != '\0'));
    fuzz_check(list.fault_count == faults);
    for (size_t i = 0; i < list.count && i < 64; i++) {
        const struct job *job = &list.jobs[i];
        const struct job *found = job_list_find(&list, job->cluster, job->id);
        fuzz_check(found && found->start_ns >= job->start_ns);
        fuzz_check(job_list_find(&list, (struct span){ "", 0 }, job->raw_id) != NULL);
    }
    const struct job_query query = { .from_ns = 0, .to_ns = INT64_MAX };
    struct job_load load = job_list_load(&list, &query);
    fuzz_check(load.jobs <= list.count && load.node_seconds >= 0);
    return 0;
}
