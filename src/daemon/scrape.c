/* SPDX-License-Identifier: Apache-2.0 */
/* scrape - the joint between exporters that are asked and the metric store. */
#include "daemon/scrape.h"

#include "base/cleanup.h"
#include "base/log.h"

static void tell(void *arg, enum scrape_notice notice, const char *text)
{
    static struct log_limit limits[] = {
        [0 ... SCRAPE_NOTICE_COUNT - 1] = LOG_LIMIT_INIT,
    };
    struct log_limit *limit = &limits[notice];
    enum log_level level = LOG_LEVEL_WARN;
    (void)arg;
    if (notice == SCRAPE_WORKS)
        level = LOG_LEVEL_INFO;
    else if (notice == SCRAPE_UNKEPT)
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
        .say = tell,
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
    { "targets", "gauge", "Urls and files that are asked.", FIELD(targets) },
    { "targets_up", "gauge", "Of these, the last answer was good.", FIELD(targets_up) },
    { "scrapes_total", "counter", "Times that one was asked.", FIELD(scrapes) },
    { "failed_total", "counter", "Of these, without a good answer.", FIELD(failed) },
    { "late_total", "counter", "Times that one was not asked: others were too slow.",
      FIELD(late) },
    { "bytes_total", "counter", "Bytes of answers.", FIELD(bytes) },
    { "samples_total", "counter", "Samples that are kept.", FIELD(samples) },
    { "samples_left_total", "counter", "Samples that keep and leave left out.",
      FIELD(left) },
    { "lines_bad_total", "counter", "Lines refused.", FIELD(bad) },
    { "samples_refused_total", "counter",
      "Samples refused: a sender's share, a limit of the store, or a name.",
      FIELD(refused) },
    { "unkept_total", "counter", "Answers that the store did not keep.",
      FIELD(unkept) },
};

static void add_label(struct strbuf *out, const char *value)
{
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            strbuf_addc(out, '\\');
        strbuf_addc(out, *value);
    }
}

static void add_load(struct scrape_source *source, struct strbuf *out)
{
    struct scrape_load load;
    scrape_source_load(source, &load);
    const struct {
        const char *name, *help;
        uint64_t value;
    } gauges[] = {
        { "waiting", "Targets that are due and wait for a thread.", load.waiting },
        { "waiting_limit", "All targets.", load.targets },
        { "threads_busy", "Threads that ask a target.", load.threads_busy },
        { "threads_limit", "Threads that may.", load.threads },
    };
    for (size_t i = 0; i < COUNT_OF(gauges); i++)
        strbuf_addf(out,
                    "# HELP baro_ingest_scrape_%s %s\n"
                    "# TYPE baro_ingest_scrape_%s gauge\nbaro_ingest_scrape_%s %llu\n",
                    gauges[i].name, gauges[i].help, gauges[i].name, gauges[i].name,
                    (unsigned long long)gauges[i].value);
}

void daemon_scrape_print(struct scrape_source *source, struct strbuf *out)
{
    add_load(source, out);
    for (size_t i = 0; i < COUNT_OF(counters); i++) {
        const char *name = counters[i].name;
        strbuf_addf(
            out, "# HELP baro_ingest_scrape_%s %s\n# TYPE baro_ingest_scrape_%s %s\n",
            name, counters[i].help, name, counters[i].kind);
        for (size_t s = 0; s < scrape_source_count(source); s++) {
            struct scrape_stats stats;
            const char *section;
            uint64_t value;
            scrape_source_stats(source, s, &section, &stats);
            memcpy(&value, (const char *)&stats + counters[i].offset, sizeof value);
            strbuf_addf(out, "baro_ingest_scrape_%s{scrape=\"", name);
            add_label(out, section);
            strbuf_addf(out, "\"} %llu\n", (unsigned long long)value);
        }
    }
}
