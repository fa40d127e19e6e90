/* SPDX-License-Identifier: Apache-2.0 */
/* barod_store - the sections [store] and [metric NAME], and the store they make. */
#include "cmd/barod_store.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/number.h"

#define DAY (86400 * NS_PER_S)

static const struct config_key store_keys[] = {
    { "directory", CONFIG_TEXT, offsetof(struct barod_store_opts, directory),
      "/var/lib/barograph/store", 0, 0,
      "Where samples are kept; \"none\": in memory only." },
    { "retention", CONFIG_DURATION, offsetof(struct barod_store_opts, retention_ns),
      "2d", 60 * NS_PER_S, 3650 * DAY,
      "How long samples stay in memory; files keep them longer." },
    { "memory_max", CONFIG_SIZE, offsetof(struct barod_store_opts, memory_bytes_max),
      "0B", 0, INT64_C(1) << 50,
      "What samples in memory may take; 0B: what the other parts of [barod] memory_max "
      "leave." },
    { "series_max", CONFIG_COUNT, offsetof(struct barod_store_opts, series_max),
      "10000000", 1, INT64_C(1) << 32,
      "Past it new series are refused; known ones go on." },
    { "shards", CONFIG_COUNT, offsetof(struct barod_store_opts, shards), "0", 0,
      METRIC_SHARDS_MAX, "Parts that are written side by side; 0: one a core." },
    { "sync", CONFIG_DURATION, offsetof(struct barod_store_opts, sync_ns), "100ms",
      NS_PER_MS, 60 * NS_PER_S, "How long the disk may take to hear of a sample." },
    { "checkpoint", CONFIG_DURATION, offsetof(struct barod_store_opts, checkpoint_ns),
      "5m", NS_PER_S, DAY, "How often the log becomes files of blocks." },
    { "checkpoint_log", CONFIG_SIZE,
      offsetof(struct barod_store_opts, checkpoint_log_bytes), "256MiB", 1 << 20,
      INT64_C(1) << 40, "So much log makes a checkpoint earlier." },
    { "archive_after", CONFIG_DURATION, offsetof(struct barod_store_opts, archive_ns),
      "0s", 0, 3650 * DAY,
      "Files older than this and the retention go to the archive; 0s: never." },
    { "archive", CONFIG_TEXT, offsetof(struct barod_store_opts, archive), "keep", 0, 0,
      "What becomes of them: keep (compressed) or delete." },
    { "own_metrics", CONFIG_DURATION, offsetof(struct barod_store_opts, own_ns), "10s",
      0, 3600 * NS_PER_S,
      "How often barod's own metrics are kept as samples; 0s: never." },
    { "compat", CONFIG_TEXT, offsetof(struct barod_store_opts, compat), "better", 0, 0,
      "\"strict\": the routes below /api/ do as cc-metric-store does, errors and all; "
      "\"better\": where doc/compat.md says so, better." },
};

const struct config_section barod_store_section = {
    .kind = "store",
    .keys = store_keys,
    .key_count = COUNT_OF(store_keys),
    .help = "The metric store: samples in memory, kept on disk.",
};

struct metric_opts {
    const char *step, *unit, *aggregation, *kind;
};

static const struct config_key metric_keys[] = {
    { "step", CONFIG_TEXT, offsetof(struct metric_opts, step), "60s", 0, 0,
      "The time between two samples; \"none\": each keeps its own time; \"found\": as "
      "the first samples of each series have it." },
    { "unit", CONFIG_TEXT, offsetof(struct metric_opts, unit), "", 0, 0,
      "Its unit, for people: B/s, W, Flops." },
    { "aggregation", CONFIG_TEXT, offsetof(struct metric_opts, aggregation), "none", 0,
      0, "What a host has of what its parts have: sum, avg or none." },
    { "kind", CONFIG_TEXT, offsetof(struct metric_opts, kind), "gauge", 0, 0,
      "gauge, or counter, which only grows." },
};

const struct config_section barod_metric_section = {
    .kind = "metric",
    .is_named = true,
    .keys = metric_keys,
    .key_count = COUNT_OF(metric_keys),
    .help = "A metric that is taken in.",
};

static int choose(const char *text, const char *const *names, const char *where,
                  int *ret, struct err *err)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(text, names[i]) == 0) {
            *ret = i;
            return 0;
        }
    }
    return err_set(err, EINVAL, "%s: '%s' is none of %s, %s%s%s", where, text, names[0],
                   names[1], names[2] ? ", " : "", names[2] ? names[2] : "");
}

int barod_strictness(const struct barod_store_opts *opts, enum metric_strictness *ret,
                     struct err *err)
{
    static const char *const names[] = { "better", "strict", NULL };
    int choice = 0;
    int rc = choose(opts->compat, names, "store.compat", &choice, err);
    if (rc == 0)
        *ret = choice ? METRIC_STRICT : METRIC_TOLERANT;
    return rc;
}

int barod_parse_step(struct span text, int64_t *ret_ns)
{
    int64_t step_ns = span_is(text, "found") ? STEP_SOUGHT : 0;
    bool is_word = step_ns || span_is(text, "none");
    if (!is_word && (number_parse_duration(text, &step_ns) < 0 || step_ns < NS_PER_MS ||
                     step_ns >= STEP_ANEW))
        return -EINVAL;
    *ret_ns = step_ns;
    return 0;
}

static int declare(const struct config *config, const char *name,
                   struct metric_store *store, struct err *err)
{
    static const char *const aggregations[] = { "sum", "avg", "none", NULL };
    static const char *const kinds[] = { "gauge", "counter", NULL };
    struct metric_opts opts;
    struct metric metric = { .name = span_of(name) };
    const struct metric *declared;
    int aggregation = 0, kind = 0;
    int rc = config_fill(config, "metric", name, &opts, err);
    if (rc == 0)
        rc = choose(opts.aggregation, aggregations, name, &aggregation, err);
    if (rc == 0)
        rc = choose(opts.kind, kinds, name, &kind, err);
    if (rc < 0)
        return rc;
    if (barod_parse_step(span_of(opts.step), &metric.step_ns) < 0)
        return err_set(err, EINVAL, "metric %s: step: '%s' is " BAROD_STEP_IS_NONE,
                       name, opts.step);
    metric.aggregation = (enum aggregation)aggregation;
    metric.kind = (enum metric_kind)kind;
    metric.unit = span_of(opts.unit);
    rc = metric_declare(metric_store_metrics(store), &metric, &declared);
    return rc < 0 ? err_set(err, -rc, "metric %s: %s", name, strerror(-rc)) : 0;
}

static void say(void *arg, enum metric_store_notice notice, const char *text)
{
    (void)arg;
    if (notice == STORE_SAYS)
        log_info("store: %s", text);
    else if (notice == STORE_WARNS)
        log_warn("store: %s", text);
    else
        log_error("store: %s", text);
}

/* An existing directory that may be written, or the nearest that is there. */
static int check_directory(const char *directory, struct err *err)
{
    AUTO_FREE char *path = strdup(directory);
    if (!path)
        return -ENOMEM;
    while (access(path, F_OK) < 0) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            break;
        *slash = '\0';
    }
    if (access(path, W_OK | X_OK) < 0)
        return err_set(err, errno, "store.directory: '%s': %s", path, strerror(errno));
    return 0;
}

int barod_store_check(const struct config *config, const struct barod_store_opts *opts,
                      struct metric_store **ret, struct err *err)
{
    /* In memory only: another barod may have the directory. */
    struct barod_store_opts tried = *opts;
    int rc = 0;
    tried.directory = "none";
    if (config_has(config, "store") && strcmp(opts->directory, "none") != 0)
        rc = check_directory(opts->directory, err);
    return rc < 0 ? rc : barod_store_open(config, &tried, ret, err);
}

int barod_store_open(const struct config *config, const struct barod_store_opts *opts,
                     struct metric_store **ret, struct err *err)
{
    static const char *const archives[] = { "keep", "delete", NULL };
    AUTO(metric_store_close) struct metric_store *store = NULL;
    size_t count = config_name_count(config, "metric");
    int archive = 0;
    if (count == 0 && !config_has(config, "store"))
        return 0;
    int rc = choose(opts->archive, archives, "store.archive", &archive, err);
    if (rc < 0)
        return rc;
    const struct metric_store_options options = {
        .dir = strcmp(opts->directory, "none") == 0 ? NULL : opts->directory,
        .shard_count = (size_t)opts->shards,
        .series_max = (size_t)opts->series_max,
        .retention_ns = opts->retention_ns,
        .memory_bytes_max = opts->memory_bytes_max,
        .sync_interval_ns = opts->sync_ns,
        .checkpoint_interval_ns = opts->checkpoint_ns,
        .checkpoint_log_bytes = opts->checkpoint_log_bytes,
        .archive_interval_ns = opts->archive_ns,
        .is_archive_deleted = archive == 1,
        .say = say,
    };
    rc = metric_store_open(&options, &store, err);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = declare(config, config_name(config, "metric", i), store, err);
    if (rc == 0)
        *ret = TAKE(store);
    return rc < 0 ? err_prefix(err, rc, "store") : 0;
}
