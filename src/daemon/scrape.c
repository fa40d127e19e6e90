/* SPDX-License-Identifier: Apache-2.0 */
/* scrape - the joint between exporters that are asked and the metric store. */
#include "daemon/scrape.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "daemon/metrics/metrics_text.h"

static void report_scrape(void *arg, enum scrape_notice notice, const char *text)
{
    static struct log_limit limits[] = {
        [0 ... SCRAPE_NOTICE_COUNT - 1] = LOG_LIMIT_INIT,
    };
    struct log_limit *limit = &limits[notice];
    enum log_level level = LOG_LEVEL_WARN;
    (void)arg;
    if (notice == SCRAPE_WORKS)
        level = LOG_LEVEL_INFO;
    else if (notice == SCRAPE_UNSTORED)
        level = LOG_LEVEL_ERROR;
    log_limited(limit, level, "scrape: %s", text);
}

int daemon_scrape_new(const struct config *config, const struct write_opts *write,
                      const struct sink *sink, struct write_routes *routes,
                      struct scrape_source **ret, struct err *err)
{
    AUTO(scrape_source_free) struct scrape_source *source = NULL;
    size_t count = config_name_count(config, "scrape");
    const struct scrape_source_opts opts = {
        .sink = sink,
        .cache = write_routes_cache(routes),
        .cluster = write->cluster,
        .say = report_scrape,
    };
    if (count == 0)
        return 0;
    int rc = scrape_source_new(&opts, &source, err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct scrape_opts section;
        const char *name = config_name(config, "scrape", i);
        rc = config_fill(config, "scrape", name, &section, err);
        if (rc == 0)
            rc = scrape_source_add(source, name, &section, err);
    }
    if (rc == 0)
        rc = scrape_source_prepare(source, err);
    if (rc == 0)
        *ret = TAKE(source);
    return rc;
}

/* ---- counters ---- */

#define FIELD(name) offsetof(struct scrape_stats, name)

static const struct {
    const char *name, *kind, *help;
    size_t offset;
} counters[] = {
    { "ingest_scrape_targets", "gauge", "URLs and files that are scraped.",
      FIELD(targets) },
    { "ingest_scrape_targets_up", "gauge", "Of these, the last scrape succeeded.",
      FIELD(targets_up) },
    { "ingest_scrape_scrapes_total", "counter", "Scrapes of one.", FIELD(scrapes) },
    { "ingest_scrape_failed_total", "counter", "Of these, failed.", FIELD(failed) },
    { "ingest_scrape_late_total", "counter",
      "Scrapes left out because others were too slow.", FIELD(late) },
    { "ingest_scrape_bytes_total", "counter", "Bytes of responses.", FIELD(bytes) },
    { "ingest_scrape_samples_total", "counter", "Samples that are stored.",
      FIELD(samples) },
    { "ingest_scrape_samples_left_total", "counter",
      "Samples that include and exclude left out.", FIELD(left) },
    { "ingest_scrape_lines_bad_total", "counter", "Lines refused.", FIELD(bad) },
    { "ingest_scrape_samples_refused_total", "counter",
      "Samples refused: a sender's share, a limit of the store, or a name.",
      FIELD(refused) },
    { "ingest_scrape_unstored_total", "counter",
      "Scrapes that the store did not store.", FIELD(unstored) },
};

static void add_load(struct scrape_source *source, struct strbuf *out)
{
    struct scrape_load load;
    scrape_source_load(source, &load);
    const struct {
        const char *name, *help;
        uint64_t value;
    } gauges[] = {
        { "ingest_scrape_waiting", "Targets that are due and wait for a thread.",
          load.waiting },
        { "ingest_scrape_waiting_limit", "All targets.", load.targets },
        { "ingest_scrape_threads_busy", "Threads that scrape a target.",
          load.threads_busy },
        { "ingest_scrape_threads_limit", "Limit of these threads.", load.threads },
    };
    for (size_t i = 0; i < COUNT_OF(gauges); i++)
        metrics_add_count(out, gauges[i].name, "gauge", gauges[i].help,
                          gauges[i].value);
}

void daemon_scrape_print(struct scrape_source *source, struct strbuf *out)
{
    add_load(source, out);
    for (size_t i = 0; i < COUNT_OF(counters); i++) {
        const char *name = counters[i].name;
        metrics_add_head(out, name, counters[i].kind, counters[i].help);
        for (size_t s = 0; s < scrape_source_count(source); s++) {
            struct scrape_stats stats;
            const char *section;
            uint64_t value;
            scrape_source_stats(source, s, &section, &stats);
            memcpy(&value, (const char *)&stats + counters[i].offset, sizeof value);
            metrics_add_labelled(out, name, "scrape", section, value);
        }
    }
}
