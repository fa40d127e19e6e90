/* SPDX-License-Identifier: Apache-2.0 */
/* counters - the agent's own counters, in the text form of Prometheus. */
#include "agent/counters.h"

#include "base/clock.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>

static void print_one(struct strbuf *out, const char *name, const char *type,
                      uint64_t value)
{
    strbuf_addf(out, "# TYPE baro_%s %s\nbaro_%s %" PRIu64 "\n", name, type, name,
                value);
}

static void print_total(struct strbuf *out, const char *name, uint64_t value)
{
    print_one(out, name, "counter", value);
}

static void print_observe(const struct agent_counters *counters, struct strbuf *out)
{
    const struct observe_counts *c = &counters->observe;
    print_total(out, "observe_rounds_total", c->rounds);
    print_total(out, "observe_rounds_cut_total", c->rounds_cut);
    print_total(out, "observe_entries_total", c->entries);
    print_total(out, "observe_rows_total", c->rows);
    print_total(out, "observe_zero_rows_total", c->zero_rows);
    print_total(out, "observe_unchanged_total", c->unchanged);
    print_total(out, "observe_folded_total", c->folded);
    print_total(out, "observe_resets_total", c->resets);
    print_total(out, "observe_target_resets_total", c->target_resets);
    print_total(out, "observe_doubtful_total", c->doubtful);
    print_total(out, "observe_duplicates_total", c->duplicates);
    print_total(out, "observe_duplicates_deferred_total", c->duplicates_deferred);
    print_total(out, "observe_same_start_decreased_total", c->same_start_decreased);
    print_total(out, "observe_future_times_total", c->future_times);
    print_total(out, "observe_clock_steps_total", c->clock_steps);
    print_total(out, "observe_clock_restarts_total", c->clock_restarts);
    print_total(out, "observe_generations_forgotten_total", c->generations_forgotten);
    print_total(out, "observe_generations_refused_total", c->generations_refused);
    print_total(out, "observe_targets_gone_total", c->targets_gone);
    print_one(out, "observe_generations", "gauge", counters->generations);
}

static void print_rounds(const struct agent_counters *counters, struct strbuf *out)
{
    const struct rounds_counts *c = &counters->rounds;
    print_total(out, "agent_rounds_total", c->rounds);
    print_total(out, "agent_rounds_missed_total", c->rounds_missed);
    print_total(out, "agent_lists_failed_total", c->lists_failed);
    print_total(out, "agent_reads_total", c->reading.reads);
    print_total(out, "agent_reads_failed_total", c->reading.reads_failed);
    print_total(out, "agent_reads_given_up_total", c->reading.reads_given_up);
    print_total(out, "agent_reads_skipped_total", c->reads_skipped);
    print_total(out, "agent_reads_waiting_total", c->reads_waiting);
    print_total(out, "agent_reads_not_stored_total", c->reading.reads_not_stored);
    print_one(out, "agent_reads_hanging", "gauge", c->hanging);
    print_total(out, "agent_bad_lines_total", c->reading.bad_lines);
    print_total(out, "agent_batches_total", c->reading.batches);
    if (counters->token_expires_s) {
        int64_t left_s = counters->token_expires_s - clock_now_ns() / NS_PER_S;
        print_one(out, "agent_token_expires_seconds", "gauge",
                  left_s > 0 ? (uint64_t)left_s : 0);
    }
    print_total(out, "agent_read_milliseconds_total",
                c->reading.read_ns / (uint64_t)NS_PER_MS);
}

static void print_spool(const struct spool_counts *spool, struct strbuf *out)
{
    print_one(out, "spool_records", "gauge", spool->records);
    print_one(out, "spool_entries", "gauge", spool->entries);
    print_one(out, "spool_bytes", "gauge", spool->bytes);
    print_total(out, "spool_lost_records_total", spool->lost_records);
    print_total(out, "spool_lost_entries_total", spool->lost_entries);
    print_total(out, "spool_damaged_records_total", spool->damaged_records);
}

static void print_sender(const struct sender_counts *sender, struct strbuf *out)
{
    const struct delivery_counts *send = &sender->delivery;
    print_total(out, "agent_sent_batches_total", send->batches);
    print_total(out, "agent_sent_entries_total", send->entries);
    print_total(out, "agent_sent_bytes_total", send->bytes);
    print_total(out, "agent_send_failures_total", sender->attempts_failed);
    print_total(out, "agent_refused_batches_total", send->refused_batches);
    print_total(out, "agent_set_aside_entries_total", send->set_aside_entries);
    print_total(out, "agent_refused_entries_total", send->refused_entries);
    print_total(out, "agent_split_batches_total", send->split_batches);
}

static void print_totals(const struct agent_totals_counts *totals, struct strbuf *out)
{
    const struct total_ring_counts *ring = &totals->ring;
    print_total(out, "agent_totals_readings_total", totals->readings);
    print_total(out, "agent_totals_failed_total", totals->readings_failed);
    print_total(out, "agent_totals_waiting_total", totals->readings_waiting);
    print_total(out, "agent_usage_readings_total", totals->usage.readings);
    print_total(out, "agent_usage_failed_total", totals->usage.readings_failed);
    print_total(out, "agent_usage_bad_lines_total", totals->usage.bad_lines);
    print_total(out, "agent_totals_sent_total", ring->sent);
    print_total(out, "agent_totals_sent_bytes_total", ring->sent_bytes);
    print_total(out, "agent_totals_lost_total", ring->lost);
    print_total(out, "agent_totals_refused_total", ring->refused);
    print_total(out, "agent_totals_send_failures_total", ring->attempts_failed);
    const struct post_queue_counts *health = &totals->health;
    print_total(out, "agent_health_sent_total", health->sent);
    print_total(out, "agent_health_refused_total", health->refused);
    print_total(out, "agent_health_lost_total", health->lost);
    print_total(out, "agent_health_not_stored_total", health->not_stored);
    print_total(out, "agent_health_send_failures_total", health->attempts_failed);
    print_one(out, "agent_health_waiting", "gauge", health->waiting);
}

void agent_counters_print(const struct agent_counters *counters, struct strbuf *out)
{
    print_rounds(counters, out);
    print_observe(counters, out);
    print_spool(&counters->spool, out);
    print_sender(&counters->sender, out);
    print_totals(&counters->totals, out);
}

void agent_counters_write(const char *path, const struct strbuf *text)
{
    AUTO(strbuf_done) struct strbuf beside = STRBUF_INIT;
    strbuf_addf(&beside, "%s.new", path);
    if (strbuf_error(text) || strbuf_error(&beside))
        return;
    FILE *f = fopen(beside.data, "we");
    if (!f)
        return;
    bool is_whole = fwrite(text->data, 1, text->size, f) == text->size;
    if (fclose(f) == 0 && is_whole)
        (void)rename(beside.data, path);
}
