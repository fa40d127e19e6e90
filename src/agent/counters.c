/* SPDX-License-Identifier: Apache-2.0 */
/* counters - the agent's own counters, in the text form of Prometheus. */
#include "agent/agent.h"
#include "agent/totals.h"
#include "base/clock.h"
#include "base/number.h"

#include <inttypes.h>

static void put(struct strbuf *out, const char *name, const char *type, uint64_t value)
{
    strbuf_addf(out, "# TYPE baro_%s %s\nbaro_%s %" PRIu64 "\n", name, type, name,
                value);
}

static void put_total(struct strbuf *out, const char *name, uint64_t value)
{
    put(out, name, "counter", value);
}

static void put_observe(const struct agent *agent, struct strbuf *out)
{
    const struct observe_counts *c = observe_counts(agent->observe);
    put_total(out, "observe_rounds_total", c->rounds);
    put_total(out, "observe_rounds_cut_total", c->rounds_cut);
    put_total(out, "observe_entries_total", c->entries);
    put_total(out, "observe_rows_total", c->rows);
    put_total(out, "observe_zero_rows_total", c->zero_rows);
    put_total(out, "observe_unchanged_total", c->unchanged);
    put_total(out, "observe_folded_total", c->folded);
    put_total(out, "observe_resets_total", c->resets);
    put_total(out, "observe_target_resets_total", c->target_resets);
    put_total(out, "observe_doubtful_total", c->doubtful);
    put_total(out, "observe_duplicates_total", c->duplicates);
    put_total(out, "observe_duplicates_deferred_total", c->duplicates_deferred);
    put_total(out, "observe_same_start_decreased_total", c->same_start_decreased);
    put_total(out, "observe_future_times_total", c->future_times);
    put_total(out, "observe_clock_steps_total", c->clock_steps);
    put_total(out, "observe_clock_restarts_total", c->clock_restarts);
    put_total(out, "observe_generations_forgotten_total", c->generations_forgotten);
    put_total(out, "observe_generations_refused_total", c->generations_refused);
    put_total(out, "observe_targets_gone_total", c->targets_gone);
    put(out, "observe_generations", "gauge", observe_generation_count(agent->observe));
}

static void put_agent(const struct agent *agent, struct strbuf *out)
{
    const struct agent_counts *c = &agent->counts;
    put_total(out, "agent_rounds_total", c->rounds);
    put_total(out, "agent_rounds_missed_total", c->rounds_missed);
    put_total(out, "agent_lists_failed_total", c->lists_failed);
    put_total(out, "agent_reads_total", c->reads);
    put_total(out, "agent_reads_failed_total", c->reads_failed);
    put_total(out, "agent_reads_given_up_total", c->reads_given_up);
    put_total(out, "agent_reads_skipped_total", c->reads_skipped);
    put_total(out, "agent_reads_waiting_total", c->reads_waiting);
    put_total(out, "agent_reads_not_kept_total", c->reads_not_kept);
    put(out, "agent_reads_hanging", "gauge", c->hanging);
    put_total(out, "agent_bad_lines_total", c->bad_lines);
    put_total(out, "agent_batches_total", c->batches);
    if (agent->token_expires_s) {
        int64_t left_s = agent->token_expires_s - clock_now_ns() / NS_PER_S;
        put(out, "agent_token_expires_seconds", "gauge",
            left_s > 0 ? (uint64_t)left_s : 0);
    }
    put_total(out, "agent_read_milliseconds_total", c->read_ns / (uint64_t)NS_PER_MS);
}

void agent_stats_print(struct agent *agent, struct strbuf *out)
{
    struct agent_send_counts send;
    struct spool_counts spool;
    struct agent_totals_counts totals;
    agent_send_count(agent, &send);
    spool_count(agent->spool, &spool);
    agent_totals_count(agent->totals, &totals);
    put_agent(agent, out);
    put_observe(agent, out);
    put(out, "spool_records", "gauge", spool.records);
    put(out, "spool_entries", "gauge", spool.entries);
    put(out, "spool_bytes", "gauge", spool.bytes);
    put_total(out, "spool_lost_records_total", spool.lost_records);
    put_total(out, "spool_lost_entries_total", spool.lost_entries);
    put_total(out, "spool_damaged_records_total", spool.damaged_records);
    put_total(out, "agent_sent_batches_total", send.batches);
    put_total(out, "agent_sent_entries_total", send.entries);
    put_total(out, "agent_sent_bytes_total", send.bytes);
    put_total(out, "agent_send_failures_total", send.attempts_failed);
    put_total(out, "agent_refused_batches_total", send.refused_batches);
    put_total(out, "agent_set_aside_entries_total", send.set_aside_entries);
    put_total(out, "agent_refused_entries_total", send.refused_entries);
    put_total(out, "agent_split_batches_total", send.split_batches);
    put_total(out, "agent_totals_readings_total", totals.readings);
    put_total(out, "agent_totals_failed_total", totals.readings_failed);
    put_total(out, "agent_totals_waiting_total", totals.readings_waiting);
    put_total(out, "agent_totals_sent_total", totals.sent);
    put_total(out, "agent_totals_sent_bytes_total", totals.sent_bytes);
    put_total(out, "agent_totals_lost_total", totals.lost);
    put_total(out, "agent_totals_refused_total", totals.refused);
    put_total(out, "agent_totals_send_failures_total", totals.attempts_failed);
}
