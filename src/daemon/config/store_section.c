/* SPDX-License-Identifier: Apache-2.0 */
/* store_section - the sections [store] and [metric NAME], and what their texts mean. */
#include "daemon/config/store_section.h"

#include "base/number.h"
#include "base/span.h"

#define DAY (86400 * NS_PER_S)

static const struct config_key store_keys[] = {
    { "directory", CONFIG_TEXT, offsetof(struct daemon_store_opts, directory),
      "/var/lib/barograph/store", 0, 0,
      "Where samples are stored; \"none\": in memory only." },
    { "retention", CONFIG_DURATION, offsetof(struct daemon_store_opts, retention_ns),
      "2d", 60 * NS_PER_S, 3650 * DAY,
      "How long samples stay in memory; files have them longer." },
    { "memory_max", CONFIG_SIZE, offsetof(struct daemon_store_opts, memory_bytes_max),
      "0B", 0, INT64_C(1) << 50,
      "Memory of samples; 0B: what the other parts of [barod] memory_max "
      "leave." },
    { "series_max", CONFIG_COUNT, offsetof(struct daemon_store_opts, series_max),
      "10000000", 1, INT64_C(1) << 32,
      "Past it new series are refused; known ones go on." },
    { "shards", CONFIG_COUNT, offsetof(struct daemon_store_opts, shards), "0", 0,
      METRIC_SHARDS_MAX, "Parts that are written side by side; 0: one a core." },
    { "sync", CONFIG_DURATION, offsetof(struct daemon_store_opts, sync_ns), "100ms",
      NS_PER_MS, 60 * NS_PER_S, "How long until a sample is on disk." },
    { "checkpoint", CONFIG_DURATION, offsetof(struct daemon_store_opts, checkpoint_ns),
      "5m", NS_PER_S, DAY, "How often the log becomes files of blocks." },
    { "checkpoint_log", CONFIG_SIZE,
      offsetof(struct daemon_store_opts, checkpoint_log_bytes), "256MiB", 1 << 20,
      INT64_C(1) << 40, "So much log makes a checkpoint earlier." },
    { "archive_after", CONFIG_DURATION, offsetof(struct daemon_store_opts, archive_ns),
      "0s", 0, 3650 * DAY,
      "Files older than this and the retention go to the archive; 0s: never." },
    { "archive", CONFIG_TEXT, offsetof(struct daemon_store_opts, archive), "compress",
      0, 0, "What becomes of them: compress or delete." },
    { "own_metrics", CONFIG_DURATION, offsetof(struct daemon_store_opts, own_ns), "10s",
      0, 3600 * NS_PER_S,
      "How often barod's own metrics are stored as samples; 0s: never." },
    { "compat", CONFIG_TEXT, offsetof(struct daemon_store_opts, compat), "better", 0, 0,
      "\"strict\": the routes below /api/ do as cc-metric-store does, errors and all; "
      "\"better\": better where doc/compat.md documents it." },
};

const struct config_section daemon_store_section = {
    .kind = "store",
    .keys = store_keys,
    .key_count = COUNT_OF(store_keys),
    .help = "The metric store: samples in memory and on disk.",
};

struct metric_opts {
    const char *step, *unit, *aggregation, *kind;
};

static const struct config_key metric_keys[] = {
    { "step", CONFIG_TEXT, offsetof(struct metric_opts, step), "60s", 0, 0,
      "The time between two samples; \"none\": each has its own time; \"found\": as "
      "the first samples of each series have it." },
    { "unit", CONFIG_TEXT, offsetof(struct metric_opts, unit), "", 0, 0,
      "Its unit, for people: B/s, W, Flops." },
    { "aggregation", CONFIG_TEXT, offsetof(struct metric_opts, aggregation), "none", 0,
      0, "What a host has of what its parts have: sum, avg or none." },
    { "kind", CONFIG_TEXT, offsetof(struct metric_opts, kind), "gauge", 0, 0,
      "gauge, or counter, which only grows." },
};

const struct config_section daemon_metric_section = {
    .kind = "metric",
    .is_named = true,
    .keys = metric_keys,
    .key_count = COUNT_OF(metric_keys),
    .help = "A metric that is accepted.",
};

static int find_choice(const char *text, const char *const *names, const char *where,
                       int *ret, struct err *err)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(text, names[i]) == 0) {
            *ret = i;
            return 0;
        }
    }
    return err_set(err, EINVAL, "%s: invalid value \"%s\" (choose %s, %s%s%s)", where,
                   text, names[0], names[1], names[2] ? ", " : "",
                   names[2] ? names[2] : "");
}

int daemon_strictness(const struct daemon_store_opts *opts, enum metric_strictness *ret,
                      struct err *err)
{
    static const char *const names[] = { "better", "strict", NULL };
    int choice = 0;
    int rc = find_choice(opts->compat, names, "store.compat", &choice, err);
    if (rc == 0)
        *ret = choice ? METRIC_STRICT : METRIC_TOLERANT;
    return rc;
}

int daemon_step_parse(struct span text, int64_t *ret_ns)
{
    int64_t step_ns = span_is(text, "found") ? STEP_SOUGHT : 0;
    bool is_word = step_ns || span_is(text, "none");
    if (!is_word && (number_parse_duration(text, &step_ns) < 0 || step_ns < NS_PER_MS ||
                     step_ns >= STEP_ANEW))
        return -EINVAL;
    *ret_ns = step_ns;
    return 0;
}

int daemon_store_archive(const struct daemon_store_opts *opts, bool *ret_is_deleted,
                         struct err *err)
{
    static const char *const names[] = { "compress", "delete", NULL };
    int choice = 0;
    int rc = find_choice(opts->archive, names, "store.archive", &choice, err);
    if (rc == 0)
        *ret_is_deleted = choice == 1;
    return rc;
}

int daemon_metric_read(const struct config *config, const char *name,
                       struct metric *ret, struct err *err)
{
    static const char *const aggregations[] = { "sum", "avg", "none", NULL };
    static const char *const kinds[] = { "gauge", "counter", NULL };
    struct metric_opts opts;
    struct metric metric = { .name = span_of(name) };
    int aggregation = 0, kind = 0;
    int rc = config_fill(config, "metric", name, &opts, err);
    if (rc == 0)
        rc = find_choice(opts.aggregation, aggregations, "aggregation", &aggregation,
                         err);
    if (rc == 0)
        rc = find_choice(opts.kind, kinds, "kind", &kind, err);
    if (rc < 0)
        return err_prefix(err, rc, "metric %s", name);
    if (daemon_step_parse(span_of(opts.step), &metric.step_ns) < 0)
        return err_set(err, EINVAL, "metric %s: step: '%s' is " DAEMON_STEP_TEXT, name,
                       opts.step);
    metric.aggregation = (enum aggregation)aggregation;
    metric.kind = (enum metric_kind)kind;
    metric.unit = span_of(opts.unit);
    *ret = metric;
    return 0;
}
