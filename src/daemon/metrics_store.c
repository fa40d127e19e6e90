/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_store - what the metric store counts, as Prometheus reads it. */
#include "daemon/metrics_store.h"

#include "base/decimal_text.h"
#include "base/number.h"

#include <inttypes.h>

struct item {
    const char *name, *kind, *help;
    uint64_t value;
};

static void add_items(struct strbuf *out, const struct item *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        strbuf_addf(out,
                    "# HELP baro_store_%s %s\n# TYPE baro_store_%s %s\n"
                    "baro_store_%s %" PRIu64 "\n",
                    items[i].name, items[i].help, items[i].name, items[i].kind,
                    items[i].name, items[i].value);
}

static void add_memory(const struct metric_store_status *s, struct strbuf *out)
{
    const struct series_counts *c = &s->memory.samples;
    const struct item items[] = {
        { "series", "gauge", "Series.", s->memory.series_count },
        { "metrics", "gauge", "Metrics that are known.", s->metric_count },
        { "memory_used_bytes", "gauge", "What samples and the tree take.",
          s->memory.used_bytes },
        { "memory_slab_bytes", "gauge", "What was taken from the system for it.",
          s->memory.slab_bytes },
        { "pieces_reused_total", "counter", "Pieces of memory that were used again.",
          s->memory.reused_count },
        { "samples_total", "counter", "Samples taken.", c->accepted },
        { "samples_late_total", "counter", "Of these, behind newer ones.", c->late },
        { "samples_repeated_total", "counter", "Of these, of a time that was there.",
          c->repeated },
        { "samples_overwritten_total", "counter",
          "Samples that took the slot of one of another time.", c->overwritten },
        { "samples_too_old_total", "counter", "Samples refused for their age.",
          c->too_old },
        { "phases_moved_total", "counter", "Times that a grid followed its sender.",
          c->phase_moved },
        { "steps_doubted_total", "counter",
          "Times that a step was sought anew: samples came more often than it.",
          c->steps_doubted },
        { "steps_found_total", "counter", "Series whose step was sought and found.",
          c->steps_found },
        { "steps_none_total", "counter", "Series that were found to have none.",
          c->steps_none },
        { "blocks_sealed_total", "counter", "Heads that became blocks.", c->sealed },
        { "slots_released_total", "counter", "Slots that memory let go of.",
          s->memory.released_slots },
        { "memory_warnings_total", "counter", "Times memory was near its limit.",
          s->memory_warnings },
        { "memory_overruns_total", "counter", "Times it was over it.",
          s->memory_overruns },
    };
    add_items(out, items, COUNT_OF(items));
}

static void add_disk(const struct metric_store_status *s, struct strbuf *out)
{
    const struct item items[] = {
        { "batches_total", "counter", "Batches taken.", s->batches },
        { "batches_refused_total", "counter", "Batches that could not be kept.",
          s->refused_batches },
        { "log_records_total", "counter", "Records of the logs.", s->log_records },
        { "log_bytes_total", "counter", "Their bytes.", s->log_bytes },
        { "log_syncs_total", "counter", "Times they were synced.", s->log_syncs },
        { "log_failures_total", "counter", "Writes and syncs of them that failed.",
          s->log_failures },
        { "log_samples_lost_total", "counter",
          "Samples of a log that could not be read at the start.", s->lost_samples },
        { "block_files", "gauge", "Files of blocks.", s->block_files },
        { "block_file_bytes", "gauge", "What they take.", s->block_file_bytes },
        { "archives", "gauge", "Files of the archive.", s->archives },
        { "archive_bytes", "gauge", "What they take.", s->archive_bytes },
        { "blocks_damaged_total", "counter", "Blocks left out when they were found.",
          s->damaged_blocks },
        { "blocks_unreadable_total", "counter", "Damaged blocks met by questions.",
          s->unreadable_blocks },
    };
    add_items(out, items, COUNT_OF(items));
}

static double age_s(const struct metric_worker_status *w, int64_t now_ns)
{
    return w->last_t_ns ? (double)(now_ns - w->last_t_ns) / (double)NS_PER_S : 0;
}

static void add_workers(const struct metric_store_status *s, int64_t now_ns,
                        struct strbuf *out)
{
    static const struct {
        const char *name, *kind, *help;
    } kinds[] = {
        { "runs_total", "counter", "Times that it worked." },
        { "failures_total", "counter", "Of these, without success." },
        { "done_total", "counter", "Slots let go, blocks written, files archived." },
        { "last_seconds", "gauge", "How long it took the last time." },
        { "age_seconds", "gauge", "How long ago that was." },
    };
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        strbuf_addf(out,
                    "# HELP baro_store_worker_%s %s\n# TYPE baro_store_worker_%s %s\n",
                    kinds[k].name, kinds[k].help, kinds[k].name, kinds[k].kind);
        for (size_t i = 0; i < METRIC_WORKER_COUNT; i++) {
            const struct metric_worker_status *w = &s->workers[i];
            const double values[] = { (double)w->runs, (double)w->failures,
                                      (double)w->done,
                                      (double)w->last_duration_ns / (double)NS_PER_S,
                                      age_s(w, now_ns) };
            _Static_assert(COUNT_OF(values) == COUNT_OF(kinds), "one for each");
            strbuf_addf(out, "baro_store_worker_%s{worker=\"%s\"} ", kinds[k].name,
                        metric_worker_name((enum metric_worker)i));
            decimal_add_shortest(out, values[k]);
            strbuf_addc(out, '\n');
        }
    }
}

void metrics_add_store(const struct metric_store_status *status, int64_t now_ns,
                       struct strbuf *out)
{
    add_memory(status, out);
    add_disk(status, out);
    add_workers(status, now_ns, out);
}
