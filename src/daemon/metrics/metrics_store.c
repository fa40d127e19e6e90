/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_store - what the metric store counts, as Prometheus reads it. */
#include "daemon/metrics/metrics_store.h"

#include "base/decimal_text.h"
#include "base/number.h"
#include "daemon/metrics/metrics_text.h"

struct item {
    const char *name, *kind, *help;
    uint64_t value;
};

static void add_items(struct strbuf *out, const struct item *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        metrics_add_count(out, items[i].name, items[i].kind, items[i].help,
                          items[i].value);
}

static void add_memory(const struct metric_store_status *s, struct strbuf *out)
{
    const struct series_counts *c = &s->memory.samples;
    const struct item items[] = {
        { "store_series", "gauge", "Series.", s->memory.series_count },
        { "store_metrics", "gauge", "Metrics that are known.", s->metric_count },
        { "store_memory_used_bytes", "gauge", "Memory of samples and of the tree.",
          s->memory.used_bytes },
        { "store_memory_slab_bytes", "gauge", "Memory that the system gave for it.",
          s->memory.slab_bytes },
        { "store_pieces_reused_total", "counter",
          "Pieces of memory that were used again.", s->memory.reused_count },
        { "store_samples_total", "counter", "Samples accepted.", c->accepted },
        { "store_samples_late_total", "counter", "Of these, behind newer ones.",
          c->late },
        { "store_samples_repeated_total", "counter",
          "Of these, of a time that was there.", c->repeated },
        { "store_samples_overwritten_total", "counter",
          "Samples that replaced one of another time in its slot.", c->overwritten },
        { "store_samples_too_old_total", "counter", "Samples refused for their age.",
          c->too_old },
        { "store_phases_moved_total", "counter",
          "Times that a grid followed its sender.", c->phase_moved },
        { "store_steps_doubted_total", "counter",
          "Times that a step was determined anew: samples came more often than it.",
          c->steps_doubted },
        { "store_steps_found_total", "counter", "Series whose step was determined.",
          c->steps_found },
        { "store_steps_none_total", "counter", "Series that were found to have none.",
          c->steps_none },
        { "store_blocks_sealed_total", "counter", "Heads that became blocks.",
          c->sealed },
        { "store_slots_released_total", "counter",
          "Slots that were released from memory.", s->memory.released_slots },
        { "store_memory_warnings_total", "counter", "Times memory was near its limit.",
          s->memory_warnings },
        { "store_memory_overruns_total", "counter", "Times it was over it.",
          s->memory_overruns },
    };
    add_items(out, items, COUNT_OF(items));
}

static void add_disk(const struct metric_store_status *s, struct strbuf *out)
{
    const struct item items[] = {
        { "store_batches_total", "counter", "Batches accepted.", s->batches },
        { "store_batches_refused_total", "counter", "Batches that could not be stored.",
          s->refused_batches },
        { "store_log_records_total", "counter", "Records of the logs.",
          s->log_records },
        { "store_log_bytes_total", "counter", "Their bytes.", s->log_bytes },
        { "store_log_syncs_total", "counter", "Times they were synced.", s->log_syncs },
        { "store_log_failures_total", "counter",
          "Writes and syncs of them that failed.", s->log_failures },
        { "store_log_samples_lost_total", "counter",
          "Samples of a log that could not be read at the start.", s->lost_samples },
        { "store_block_files", "gauge", "Files of blocks.", s->block_files },
        { "store_block_file_bytes", "gauge", "Bytes of these files.",
          s->block_file_bytes },
        { "store_archives", "gauge", "Files of the archive.", s->archives },
        { "store_archive_bytes", "gauge", "Bytes of these files.", s->archive_bytes },
        { "store_blocks_damaged_total", "counter",
          "Blocks left out when they were found.", s->damaged_blocks },
        { "store_blocks_unreadable_total", "counter",
          "Damaged blocks that queries met.", s->unreadable_blocks },
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
        { "store_worker_runs_total", "counter", "Times that it worked." },
        { "store_worker_failures_total", "counter", "Of these, without success." },
        { "store_worker_done_total", "counter",
          "Slots released, blocks written, files archived." },
        { "store_worker_last_seconds", "gauge", "Duration of the last run." },
        { "store_worker_age_seconds", "gauge", "How long ago that was." },
    };
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        metrics_add_head(out, kinds[k].name, kinds[k].kind, kinds[k].help);
        for (size_t i = 0; i < METRIC_WORKER_COUNT; i++) {
            const struct metric_worker_status *w = &s->workers[i];
            const double values[] = { (double)w->runs, (double)w->failures,
                                      (double)w->done,
                                      (double)w->last_duration_ns / (double)NS_PER_S,
                                      age_s(w, now_ns) };
            _Static_assert(COUNT_OF(values) == COUNT_OF(kinds), "one for each");
            strbuf_addf(out, "baro_%s{worker=\"%s\"} ", kinds[k].name,
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
