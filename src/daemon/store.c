/* SPDX-License-Identifier: Apache-2.0 */
/* store - the metric store that [store] and [metric NAME] describe. */
#include "daemon/store.h"

#include "base/cleanup.h"
#include "base/log.h"

#include <unistd.h>

static int declare_metric(const struct config *config, const char *name,
                          struct metric_store *store, struct err *err)
{
    struct metric metric;
    const struct metric *declared;
    int rc = daemon_metric_read(config, name, &metric, err);
    if (rc < 0)
        return rc;
    rc = metric_declare(metric_store_metrics(store), &metric, &declared);
    return rc < 0 ? err_set(err, -rc, "metric %s: %s", name, strerror(-rc)) : 0;
}

static void log_notice_of(void *arg, enum metric_store_notice notice, const char *text)
{
    (void)arg;
    if (notice == STORE_INFO)
        log_info("store: %s", text);
    else if (notice == STORE_WARNING)
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

int daemon_store_check(const struct config *config,
                       const struct daemon_store_opts *opts, struct metric_store **ret,
                       struct err *err)
{
    /* In memory only: another barod may have the directory. */
    struct daemon_store_opts tried = *opts;
    int rc = 0;
    tried.directory = "none";
    if (config_has(config, "store") && strcmp(opts->directory, "none") != 0)
        rc = check_directory(opts->directory, err);
    return rc < 0 ? rc : daemon_store_open(config, &tried, NULL, ret, err);
}

int daemon_store_open(const struct config *config, const struct daemon_store_opts *opts,
                      struct running_hosts *running, struct metric_store **ret,
                      struct err *err)
{
    AUTO(metric_store_close) struct metric_store *store = NULL;
    size_t count = config_name_count(config, "metric");
    bool is_deleted = false;
    if (count == 0 && !config_has(config, "store"))
        return 0;
    int rc = daemon_store_archive(opts, &is_deleted, err);
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
        .is_archive_deleted = is_deleted,
        .is_exempt = running ? running_hosts_has : NULL,
        .is_exempt_arg = running,
        .report = log_notice_of,
    };
    rc = metric_store_open(&options, &store, err);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = declare_metric(config, config_name(config, "metric", i), store, err);
    if (rc == 0)
        *ret = TAKE(store);
    return rc < 0 ? err_prefix(err, rc, "store") : 0;
}
