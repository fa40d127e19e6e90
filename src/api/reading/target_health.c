/* SPDX-License-Identifier: Apache-2.0 */
/* target_health - how full targets were and who served them over a window. */
#include "api/reading/target_health.h"

#include "api/reading/health_changes.h"
#include "base/span.h"
#include "source/health/health.h"

#include <errno.h>

#define ROWS_A_WATCH 256

struct health_reading {
    const struct target_health_opts *opts;
    struct health_changes *changes;
    struct budget_meter meter;
    struct table *ret;
    size_t count;
    char name[TARGET_BYTES_MAX + 1];
    struct span fs; /* found by its mount */
};

/* "scratch" of "/global/scratch" */
static struct span mount_name(struct span mount)
{
    size_t at = mount.size;
    while (at > 0 && mount.data[at - 1] != '/')
        at--;
    return span_skip(mount, at);
}

/* Readings of servers have no mount. */
static int on_mounted(void *arg, const struct target_reading *reading)
{
    struct health_reading *r = arg;
    if (!component_name_matches(mount_name(reading->mount), span_of(r->opts->fs)))
        return 0;
    (void)snprintf(r->name, sizeof r->name, SPAN_FMT,
                   SPAN_ARG(target_reading_fs(reading)));
    r->fs = span_of(r->name);
    return 1;
}

static int on_target_reading(void *arg, const struct target_reading *reading)
{
    struct health_reading *r = arg;
    const struct target_health_opts *o = r->opts;
    if ((r->fs.size == 0 &&
         !component_name_matches(target_reading_fs(reading), span_of(o->fs))) ||
        (o->cluster && !span_is(reading->cluster, o->cluster)))
        return 0;
    int rc = 0;
    if (r->count++ % ROWS_A_WATCH == 0) {
        rc = o->watch ? o->watch(o->watch_arg) : 0;
        if (rc == 0)
            rc = budget_meter_follow(&r->meter, table_bytes(r->ret));
    }
    return rc < 0 ? rc : health_changes_add(r->changes, reading);
}

/* A pattern without wildcards is a name, and has an index. */
static struct span fs_name(const char *pattern)
{
    const struct span none = { 0 };
    return pattern[strcspn(pattern, "*?[{,|\\")] ? none : span_of(pattern);
}

/* A log names the mount of its file system, which may be called otherwise. */
static int mounted_read(struct health_reading *r,
                        const struct target_reading_filter *window, struct err *err)
{
    struct target_reading_filter filter = *window;
    const struct span any = { 0 };
    filter.fs = any;
    int rc = records_find_target_readings(r->opts->rows, &filter, on_mounted, r, err);
    if (rc < 0 || r->fs.size == 0)
        return rc;
    filter.fs = r->fs;
    return records_find_target_readings(r->opts->rows, &filter, on_target_reading, r,
                                        err);
}

int target_health_read(const struct target_health_opts *opts, struct table *ret,
                       struct err *err)
{
    AUTO(health_changes_free) struct health_changes *changes = NULL;
    const struct target_reading_filter filter = { fs_name(opts->fs),
                                                  opts->from_ns - opts->age_max_ns,
                                                  opts->to_ns };
    health_readings_columns_add(ret);
    int rc = health_changes_new(opts->from_ns, opts->is_all, ret, &changes);
    if (rc < 0)
        return rc;
    struct health_reading r = {
        .opts = opts, .changes = changes, .meter = { opts->hold }, .ret = ret
    };
    rc = records_find_target_readings(opts->rows, &filter, on_target_reading, &r, err);
    if (rc == 0 && r.count == 0)
        rc = mounted_read(&r, &filter, err);
    if (rc == 0)
        rc = health_changes_end(changes);
    budget_meter_done(&r.meter);
    if (rc == 0 && r.count == 0)
        return err_set(err, ENOENT,
                       "fs: there is no reading of a target of '%s' in that time (baro "
                       "health record --server sends them)",
                       opts->fs);
    return rc;
}
