/* SPDX-License-Identifier: Apache-2.0 */
/* sections - the sections of barod.conf, gathered from the rooms that own them. */
#include "daemon/config/sections.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/secret.h"

static const struct config_key own_keys[] = {
    { "log_level", CONFIG_TEXT, offsetof(struct daemon_own_opts, log_level), "info", 0,
      0, "What is logged: error, warn, notice, info or debug." },
    { "queue_bytes_max", CONFIG_SIZE, offsetof(struct daemon_own_opts, queue_bytes_max),
      "128MiB", 1 << 20, INT64_C(1) << 40,
      "Batches that wait for the database; beyond it senders get 503 and wait." },
    { "maintain_every", CONFIG_DURATION, offsetof(struct daemon_own_opts, maintain_ns),
      "10m", NS_PER_S, 86400 * NS_PER_S,
      "How often old rows are dropped and partitions made ahead." },
    { "rollup_every", CONFIG_DURATION, offsetof(struct daemon_own_opts, rollup_ns),
      "1m", NS_PER_S, 86400 * NS_PER_S,
      "How often it is looked for hours that are over, to add up their rows." },
    { "footprints", CONFIG_TEXT, offsetof(struct daemon_own_opts, footprints), "known",
      0, 0,
      "Metrics of which mean, max and others are stored of each job that ended: names, "
      "patterns and lists of them; known: those that findings are made of; none." },
    { "footprint_delay", CONFIG_DURATION,
      offsetof(struct daemon_own_opts, footprint_delay_ns), "2m", 0, 86400 * NS_PER_S,
      "So long after a job's end, for samples that are on their way." },
    { "query_timeout", CONFIG_DURATION,
      offsetof(struct daemon_own_opts, query_timeout_ns), "60s", NS_PER_MS,
      86400 * NS_PER_S, "Time limit of a query; then it is cut off with 504." },
    { "live", CONFIG_DURATION, offsetof(struct daemon_own_opts, live_ns), "25h",
      60 * NS_PER_S, 7 * 86400 * NS_PER_S,
      "How far back queries are served from memory." },
    { "live_bytes_max", CONFIG_SIZE, offsetof(struct daemon_own_opts, live_bytes_max),
      "256MiB", 1 << 20, INT64_C(1) << 40, "Limit of that memory." },
    { "query_budget", CONFIG_SIZE, offsetof(struct daemon_own_opts, query_budget_bytes),
      "256MiB", 1 << 20, INT64_C(1) << 40,
      "Memory that queries hold while they run; beyond it: 503. Where "
      "more than half is used one sender may have a quarter, beyond it: 429." },
    { "climate_map", CONFIG_TEXT, offsetof(struct daemon_own_opts, climate_map), "", 0,
      0,
      "What the columns of summaries mean to /v1/climate: a file, as baro climate map "
      "writes it. Default: the installed studies/jobs.conf." },
    { "memory_max", CONFIG_SIZE, offsetof(struct daemon_own_opts, memory_max_bytes),
      "0B", 0, INT64_C(1) << 50,
      "Limit of barod's memory: the other limits are parts of it, and the "
      "store has what they leave. 0B: 4GiB, or what the parts that are set need; in a "
      "smaller control group seven eighths of its limit. Parts that are not set shrink "
      "first." },
};

static const struct config_section own_section = {
    "barod", false, own_keys, COUNT_OF(own_keys), "The daemon itself.",
};

const struct config_section *daemon_config_sections(size_t *ret_count)
{
    static struct config_section sections[22];
    sections[0] = own_section;
    sections[1] = net_config_section;
    sections[2] = records_config_section;
    sections[3] = site_config_section;
    sections[4] = subcluster_config_section;
    sections[5] = daemon_store_section;
    sections[6] = daemon_metric_section;
    sections[7] = write_config_section;
    sections[8] = nats_config_section;
    sections[9] = nats_subscription_config_section;
    sections[10] = scrape_config_section;
    sections[11] = access_config_section;
    sections[12] = finding_config_section;
    sections[13] = application_config_section;
    sections[14] = session_config_section;
    sections[15] = darshan_config_section;
    sections[16] = login_config_section;
    sections[17] = remote_config_section;
    sections[18] = forward_config_section;
    sections[19] = plugins_config_section;
    sections[20] = resource_config_section;
    sections[21] = enclosure_config_section;
    *ret_count = COUNT_OF(sections);
    return sections;
}

int daemon_config_fill(const struct config *config, struct daemon_opts *ret,
                       struct err *err)
{
    struct daemon_opts opts = { 0 };
    int rc = config_fill(config, "barod", NULL, &opts.barod, err);
    if (rc == 0)
        rc = config_fill(config, "net", NULL, &opts.net, err);
    if (rc == 0)
        rc = config_fill(config, "access", NULL, &opts.net.access, err);
    if (rc == 0)
        rc = config_fill(config, "login", NULL, &opts.login, err);
    if (rc == 0)
        rc = config_fill(config, "records", NULL, &opts.records, err);
    if (rc == 0)
        rc = config_fill(config, "store", NULL, &opts.store, err);
    if (rc == 0)
        rc = config_fill(config, "write", NULL, &opts.write, err);
    if (rc == 0)
        rc = config_fill(config, "session", NULL, &opts.session, err);
    if (rc == 0)
        rc = config_fill(config, "plugins", NULL, &opts.plugins, err);
    if (rc == 0)
        rc = config_fill(config, "remote_write", NULL, &opts.remote, err);
    if (rc == 0 && log_level_parse(opts.barod.log_level, &opts.barod.level) < 0)
        rc = err_set(err, EINVAL,
                     "barod.log_level: invalid value '%s' (choose error, warn, notice, "
                     "info, debug)",
                     opts.barod.log_level);
    if (rc == 0)
        *ret = opts;
    return rc;
}

static bool has_secret_in(const struct config_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (secret_is_in(span_of(list->items[i])))
            return true;
    return false;
}

static bool is_secret_forwarded(const struct config *config)
{
    size_t count = config_name_count(config, "forward");
    for (size_t i = 0; i < count; i++) {
        struct forward_opts opts;
        const char *name = config_name(config, "forward", i);
        if (config_fill(config, "forward", name, &opts, NULL) == 0 &&
            secret_is_in(span_of(opts.url)))
            return true;
    }
    return false;
}

static bool is_secret_scraped(const struct config *config)
{
    size_t count = config_name_count(config, "scrape");
    for (size_t i = 0; i < count; i++) {
        struct scrape_opts opts;
        const char *name = config_name(config, "scrape", i);
        if (config_fill(config, "scrape", name, &opts, NULL) == 0 &&
            has_secret_in(&opts.url))
            return true;
    }
    return false;
}

int daemon_config_check_secrets(const char *path, const struct config *config,
                                struct err *err)
{
    struct nats_opts nats;
    struct records_opts records;
    int rc = config_fill(config, "nats", NULL, &nats, err);
    if (rc == 0)
        rc = config_fill(config, "records", NULL, &records, err);
    if (rc != 0)
        return rc;
    bool has_secret =
        *nats.password || *nats.token ||
        (records.connection && secret_is_in(span_of(records.connection))) ||
        has_secret_in(&nats.address) || is_secret_scraped(config) ||
        is_secret_forwarded(config);
    return has_secret ? secret_check(path, err) : 0;
}

void daemon_config_describe(struct strbuf *out)
{
    size_t count;
    const struct config_section *sections = daemon_config_sections(&count);
    config_describe(sections, count, out);
}
