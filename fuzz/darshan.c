/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_darshan - the reader of Darshan logs, and the totals over its records.
 *
 * Limits are small, so that an input that unpacks to much ends soon.
 */
#include "source/darshan/darshan.h"
#include "fuzz/fuzz.h"

struct heard {
    struct darshan_log *log;
    struct darshan_totals *totals;
    uint64_t sum; /* so that everything told is read */
};

static void touch(struct heard *h, const int64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        h->sum += (uint64_t)numbers[i];
}

static int on_record(void *arg, const struct darshan_record *r)
{
    struct heard *h = arg;
    AUTO(strbuf_done) struct strbuf words = STRBUF_INIT;
    const char *name = darshan_log_name(h->log, r->id);
    if (name)
        h->sum += (uint64_t)(darshan_job_mount(darshan_log_job(h->log), name) != NULL);
    if (r->counters)
        touch(h, r->counters, r->module->counter_count);
    for (size_t i = 0; i < r->component_count; i++) {
        const struct darshan_component *c = &r->components[i];
        touch(h, c->ost_ids, c->ost_count);
        fuzz_check(strlen(c->pool) < sizeof c->pool);
        darshan_pattern_print(&words, c->pattern);
        darshan_flags_print(&words, c->flags);
    }
    if (r->read_bins) {
        touch(h, r->read_bins, r->bin_count);
        touch(h, r->write_bins, r->bin_count);
    }
    if (r->hostname)
        h->sum += strlen(r->hostname);
    if (h->totals)
        fuzz_check(darshan_totals_add(h->totals, r) == 0);
    return 0;
}

static int on_segments(void *arg, enum darshan_direction direction,
                       const struct darshan_segment *segments, size_t count)
{
    struct heard *h = arg;
    h->sum += (uint64_t)direction;
    for (size_t i = 0; i < count; i++)
        h->sum += (uint64_t)segments[i].offset_bytes;
    return 0;
}

static void on_fault(void *arg, enum darshan_fault fault, const char *what)
{
    (void)arg;
    fuzz_check(fault == DARSHAN_FAULT_SKIPPED || fault == DARSHAN_FAULT_DAMAGED);
    fuzz_check(what[0] != '\0' && !strchr(what, '\n'));
}

static void read_slot(struct heard *h, unsigned slot)
{
    const struct darshan_visitor visitor = { on_record, on_segments, h };
    const struct darshan_slot *s = &darshan_log_header(h->log)->slots[slot];
    const struct darshan_module *module = darshan_module(s->id);
    AUTO(darshan_totals_free) struct darshan_totals *totals = NULL;
    if (darshan_totals_fit(module))
        fuzz_check(darshan_totals_new(module, 100, &totals) == 0);
    h->totals = totals;
    fuzz_check(darshan_log_read(h->log, slot, &visitor) == 0);
    if (totals) {
        struct darshan_summary summary;
        darshan_totals_summary(totals, &summary);
        fuzz_check(summary.files[DARSHAN_ALL_FILES].count <= 100);
        fuzz_check(summary.files[DARSHAN_ALL_FILES].count <= summary.records);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(darshan_log_close) struct darshan_log *log = NULL;
    const struct darshan_opts opts = { .names_bytes_max = 1 << 20,
                                       .record_bytes_max = 1 << 20,
                                       .region_bytes_max = 1 << 20,
                                       .on_fault = on_fault };
    struct err err = { 0 };
    if (darshan_log_open_memory(data, size, &opts, &log, &err) < 0) {
        fuzz_check(err.text[0] != '\0');
        return 0;
    }
    struct heard h = { .log = log };
    for (unsigned i = 0; i < darshan_log_header(log)->slot_count; i++)
        read_slot(&h, i);
    return 0;
}
