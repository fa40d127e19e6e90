/* SPDX-License-Identifier: Apache-2.0 */
/* status - /v1/status: what the daemon stores and counted. */
#include "api/status.h"

#include "api/metric/metric_routes.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/number.h"

static void time_or_null(struct json_writer *w, const char *key, int64_t t_ms)
{
    json_key(w, key);
    if (t_ms == T_NONE)
        json_null(w);
    else
        json_time_ms(w, t_ms);
}

static void count_of(struct json_writer *w, const char *key, uint64_t value)
{
    json_key(w, key);
    json_u64(w, value);
}

static void write_records(struct api *api, const struct query_ctx *ctx,
                          struct json_writer *w)
{
    struct records_extent extent;
    struct err err = { 0 };
    json_key(w, "records");
    json_object(w);
    json_key(w, "describe");
    json_text(w, records_describe(api->opts.records));
    if (!ctx->history || ctx->history->extent(ctx->history->arg, &extent, &err) < 0) {
        json_key(w, "error");
        json_text(w, err.text[0] ? err.text : "the database is away");
    } else {
        time_or_null(w, "first", extent.first_ms);
        time_or_null(w, "last", extent.last_ms);
        count_of(w, "series", extent.series_count);
        count_of(w, "rows", extent.row_count);
        count_of(w, "bytes", extent.size_bytes);
    }
    json_object_end(w);
}

static void write_live(struct live *live, struct json_writer *w)
{
    struct live_stats stats;
    live_get_stats(live, &stats);
    json_key(w, "live");
    json_object(w);
    time_or_null(w, "oldest", stats.stored_from_ms);
    count_of(w, "series", stats.series);
    count_of(w, "bytes", stats.bytes);
    count_of(w, "rows", stats.rows);
    count_of(w, "late_rows", stats.late_rows);
    count_of(w, "marked", stats.marked);
    count_of(w, "shortened", stats.shortened);
    count_of(w, "lost_rows", stats.lost_rows);
    json_object_end(w);
}

void status_write(struct api *api, const struct query_ctx *ctx, struct strbuf *out)
{
    struct json_writer w;
    struct api_stats stats;
    api_get_stats(api, &stats);
    json_writer_init(&w, out);
    json_object(&w);
    json_key(&w, "version");
    json_text(&w, BARO_VERSION);
    time_or_null(&w, "now", clock_now_ms());
    write_records(api, ctx, &w);
    if (api->opts.live)
        write_live(api->opts.live, &w);
    if (api->metric.store)
        metric_write_status(api->metric.store, &w);
    json_key(&w, "api");
    json_object(&w);
    count_of(&w, "queries", stats.asked);
    count_of(&w, "refused", stats.refused);
    count_of(&w, "failed", stats.failed);
    count_of(&w, "stopped", stats.stopped);
    count_of(&w, "waiting", stats.waiting);
    json_object_end(&w);
    if (api->opts.status)
        api->opts.status(api->opts.status_arg, &w);
    json_object_end(&w);
}

void api_get_stats(struct api *api, struct api_stats *ret)
{
    struct workers_stats rows, metrics = { 0 };
    workers_stats(api->workers, &rows);
    if (api->metric.workers)
        workers_stats(api->metric.workers, &metrics);
    *ret = (struct api_stats){
        .asked = rows.begun,
        .refused = rows.refused + metrics.refused,
        .stopped = api->stopped,
        .failed = api->failed,
        .waiting = rows.waiting,
        .waiting_max = rows.queue_max,
        .metrics_waiting = metrics.waiting,
        .metrics_waiting_max = metrics.queue_max,
    };
}
