/* SPDX-License-Identifier: Apache-2.0 */
/* remote - remote write of Prometheus into the store: configured, counted. */
#include "daemon/remote.h"

#include "base/number.h"
#include "base/span.h"
#include "daemon/metrics/metrics_text.h"

int daemon_remote_new(struct daemon_parts *parts, bool has_tokens, struct err *err)
{
    const struct remote_opts *config = &parts->opts->remote;
    struct remote_routes_opts opts = {
        .config = config,
        .cluster = parts->opts->write.cluster,
        .sink = store_sink_get(parts->write),
        .cache = write_routes_cache(parts->writing),
        .has_tokens = has_tokens,
        .readers_may_write = parts->opts->write.readers_may_write,
        .body_bytes_max = parts->opts->net.body_bytes_max,
        .body_ratio_max = parts->opts->net.ratio_max,
    };
    if (daemon_step_parse(span_of(config->step), &opts.step_ns) < 0)
        return err_set(err, EINVAL, "remote_write.step: '%s' is " DAEMON_STEP_TEXT,
                       config->step);
    if (opts.step_ns == 0)
        opts.step_ns = SINK_STEP_NONE;
    return remote_routes_new(parts->server, &opts, &parts->remote, err);
}

void daemon_remote_print(struct remote_routes *routes, struct strbuf *out)
{
    struct remote_stats s;
    remote_routes_stats(routes, &s);
    const struct {
        const char *name, *help;
        uint64_t value;
    } counters[] = {
        { "requests", "Requests of remote write.", s.requests },
        { "requests_failed", "Of these, refused as a whole.", s.failed },
        { "series", "Series in them.", s.series },
        { "series_bad", "Series refused for their labels or their form.",
          s.bad_series },
        { "samples", "Samples that are stored.", s.accepted },
        { "samples_stale", "Of these, stale markers.", s.stale },
        { "samples_bad", "Samples of refused series.", s.bad_samples },
        { "samples_too_old", "Samples older than the retention.", s.too_old },
        { "samples_refused",
          "Samples refused: their series or metric could not be created.",
          sink_refused(&s.refused) },
        { "histograms", "Native histograms, which are left out.", s.histograms },
        { "exemplars", "Exemplars, which are passed over.", s.exemplars },
        { "metadata", "Descriptions of metrics, which are passed over.", s.metadata },
    };
    for (size_t i = 0; i < COUNT_OF(counters); i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "remote_write_%s_total", counters[i].name);
        metrics_add_count(out, name, "counter", counters[i].help, counters[i].value);
    }
}
