/* SPDX-License-Identifier: Apache-2.0 */
/* health_table - how full file systems are and who serves them, as tables. */
#include "report/space/health_table.h"

#include "base/number.h"
#include "base/span.h"

#define KIB 1024

static void time_set(struct table *table, size_t column, int64_t t_ns)
{
    if (t_ns >= 0)
        table_set_i64(table, column, t_ns / NS_PER_MS);
}

/* The time of a reading, and how old it was at the moment requested. */
static void reading_set(struct table *table, size_t column,
                        const struct health_table_opts *opts, int64_t t_ns)
{
    time_set(table, column, t_ns);
    if (t_ns >= 0 && opts->has_at)
        table_set_double(table, column + 1,
                         (double)(opts->at_ns - t_ns) / (double)NS_PER_S);
}

struct column {
    const char *name;
    enum table_type type;
    const char *unit;
};

static void add_columns(struct table *table, const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        table_add_column(table, columns[i].name, columns[i].type, columns[i].unit);
}

enum {
    TARGET_COLUMN_NAME,
    TARGET_COLUMN_ACTIVE,
    TARGET_COLUMN_TOTAL,
    TARGET_COLUMN_USED,
    TARGET_COLUMN_AVAILABLE,
    TARGET_COLUMN_PCT,
    TARGET_COLUMN_MOUNT,
    TARGET_COLUMN_FLAGS,
    TARGET_COLUMN_SPACE_TIME,
    TARGET_COLUMN_SPACE_AGE,
    TARGET_COLUMN_SERVER,
    TARGET_COLUMN_SERVER_TIME,
    TARGET_COLUMN_SERVER_AGE,
    TARGET_COLUMN_COUNT,
};

static const struct column target_columns[TARGET_COLUMN_COUNT] = {
    [TARGET_COLUMN_NAME] = { "target", TABLE_TEXT, "" },
    [TARGET_COLUMN_ACTIVE] = { "active", TABLE_BOOL, "" },
    [TARGET_COLUMN_TOTAL] = { "total_bytes", TABLE_DOUBLE, "bytes" },
    [TARGET_COLUMN_USED] = { "used_bytes", TABLE_DOUBLE, "bytes" },
    [TARGET_COLUMN_AVAILABLE] = { "available_bytes", TABLE_DOUBLE, "bytes" },
    [TARGET_COLUMN_PCT] = { "full_pct", TABLE_DOUBLE, "" },
    [TARGET_COLUMN_MOUNT] = { "mount", TABLE_TEXT, "" },
    [TARGET_COLUMN_FLAGS] = { "flags", TABLE_TEXT, "" },
    [TARGET_COLUMN_SPACE_TIME] = { "space_time", TABLE_TIME, "" },
    [TARGET_COLUMN_SPACE_AGE] = { "space_age_s", TABLE_DOUBLE, "s" },
    [TARGET_COLUMN_SERVER] = { "server", TABLE_TEXT, "" },
    [TARGET_COLUMN_SERVER_TIME] = { "server_time", TABLE_TIME, "" },
    [TARGET_COLUMN_SERVER_AGE] = { "server_age_s", TABLE_DOUBLE, "s" },
};

static void add_target(struct table *table, const struct health_table_opts *opts,
                       const struct health_target *t)
{
    const unsigned inactive = HEALTH_SPACE_INACTIVE | HEALTH_SERVER_INACTIVE;
    table_add_row(table);
    table_set_text(table, TARGET_COLUMN_NAME, t->name);
    table_set_bool(table, TARGET_COLUMN_ACTIVE, !(t->has & inactive));
    if (t->has & HEALTH_SPACE) {
        table_set_double(table, TARGET_COLUMN_TOTAL, (double)t->total_kib * KIB);
        table_set_double(table, TARGET_COLUMN_USED, (double)t->used_kib * KIB);
        table_set_double(table, TARGET_COLUMN_AVAILABLE,
                         (double)t->available_kib * KIB);
        if (t->total_kib > 0)
            table_set_double(table, TARGET_COLUMN_PCT,
                             100.0 * (double)t->used_kib / (double)t->total_kib);
        table_set_text(table, TARGET_COLUMN_MOUNT, t->mount);
        if (t->flags.size > 0)
            table_set_text(table, TARGET_COLUMN_FLAGS, t->flags);
        reading_set(table, TARGET_COLUMN_SPACE_TIME, opts, t->space_t_ns);
    }
    if (t->has & HEALTH_SERVER) {
        table_set_text(table, TARGET_COLUMN_SERVER, t->server);
        reading_set(table, TARGET_COLUMN_SERVER_TIME, opts, t->server_t_ns);
    }
}

enum {
    FS_COLUMN_NAME,
    FS_COLUMN_MOUNT,
    FS_COLUMN_SPACE_TIME,
    FS_COLUMN_SPACE_AGE,
    FS_COLUMN_OSTS,
    FS_COLUMN_INACTIVE,
    FS_COLUMN_MEAN_PCT,
    FS_COLUMN_MEAN_USED,
    FS_COLUMN_MAX_PCT,
    FS_COLUMN_FULLEST,
    FS_COLUMN_MIN_PCT,
    FS_COLUMN_EMPTIEST,
    FS_COLUMN_SERVER_TIME,
    FS_COLUMN_SERVER_AGE,
    FS_COLUMN_SERVERS,
    FS_COLUMN_MODE,
    FS_COLUMN_ABOVE_SERVERS,
    FS_COLUMN_ABOVE_TARGETS,
    FS_COLUMN_FACTOR,
    FS_COLUMN_BELOW_SERVERS,
    FS_COLUMN_COUNT,
};

static const struct column fs_columns[FS_COLUMN_COUNT] = {
    [FS_COLUMN_NAME] = { "filesystem", TABLE_TEXT, "" },
    [FS_COLUMN_MOUNT] = { "mount", TABLE_TEXT, "" },
    [FS_COLUMN_SPACE_TIME] = { "space_time", TABLE_TIME, "" },
    [FS_COLUMN_SPACE_AGE] = { "space_age_s", TABLE_DOUBLE, "s" },
    [FS_COLUMN_OSTS] = { "osts", TABLE_U64, "" },
    [FS_COLUMN_INACTIVE] = { "inactive", TABLE_U64, "" },
    [FS_COLUMN_MEAN_PCT] = { "mean_full_pct", TABLE_DOUBLE, "" },
    [FS_COLUMN_MEAN_USED] = { "mean_used_bytes", TABLE_DOUBLE, "bytes" },
    [FS_COLUMN_MAX_PCT] = { "max_full_pct", TABLE_DOUBLE, "" },
    [FS_COLUMN_FULLEST] = { "fullest", TABLE_TEXT, "" },
    [FS_COLUMN_MIN_PCT] = { "min_full_pct", TABLE_DOUBLE, "" },
    [FS_COLUMN_EMPTIEST] = { "emptiest", TABLE_TEXT, "" },
    [FS_COLUMN_SERVER_TIME] = { "server_time", TABLE_TIME, "" },
    [FS_COLUMN_SERVER_AGE] = { "server_age_s", TABLE_DOUBLE, "s" },
    [FS_COLUMN_SERVERS] = { "servers", TABLE_U64, "" },
    [FS_COLUMN_MODE] = { "osts_per_server", TABLE_U64, "" },
    [FS_COLUMN_ABOVE_SERVERS] = { "overloaded_servers", TABLE_U64, "" },
    [FS_COLUMN_ABOVE_TARGETS] = { "overloaded_osts", TABLE_U64, "" },
    [FS_COLUMN_FACTOR] = { "overload_factor", TABLE_DOUBLE, "" },
    [FS_COLUMN_BELOW_SERVERS] = { "relieved_servers", TABLE_U64, "" },
};

static void set_fullness(struct table *table, const struct health_table_opts *opts,
                         const struct health_fullness *f)
{
    reading_set(table, FS_COLUMN_SPACE_TIME, opts, f->t_ns);
    table_set_u64(table, FS_COLUMN_OSTS, f->count);
    table_set_u64(table, FS_COLUMN_INACTIVE, f->inactive_count);
    table_set_double(table, FS_COLUMN_MEAN_PCT, f->mean_pct);
    table_set_double(table, FS_COLUMN_MEAN_USED, f->mean_used_kib * KIB);
    table_set_double(table, FS_COLUMN_MAX_PCT, f->max_pct);
    table_set_text(table, FS_COLUMN_FULLEST, f->fullest->name);
    table_set_double(table, FS_COLUMN_MIN_PCT, f->min_pct);
    table_set_text(table, FS_COLUMN_EMPTIEST, f->emptiest->name);
}

/* Name the servers that stand out: the figures alone do not help to find them. */
static void note_servers(struct table *table, struct span fs,
                         const struct health_failover *f)
{
    for (size_t i = 0; i < f->server_count; i++) {
        const struct health_server *s = &f->servers[i];
        if (s->load != HEALTH_LOAD_NORMAL)
            table_add_note(table,
                           SPAN_FMT ": " SPAN_FMT " serves %zu OSTs, %s than %zu",
                           SPAN_ARG(fs), SPAN_ARG(s->nid), s->target_count,
                           s->load == HEALTH_LOAD_ABOVE ? "more" : "fewer", f->mode);
    }
}

static int add_fs(struct table *table, const struct health_table_opts *opts,
                  const struct health_sample *sample, struct span fs, struct span mount)
{
    AUTO(health_failover_done) struct health_failover failover = { 0 };
    struct health_fullness fullness;
    table_add_row(table);
    table_set_text(table, FS_COLUMN_NAME, fs);
    if (mount.size > 0)
        table_set_text(table, FS_COLUMN_MOUNT, mount);
    if (health_fullness(sample, fs, TARGET_OST, &fullness) == 0)
        set_fullness(table, opts, &fullness);
    int rc = health_failover(sample, fs, &failover);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    reading_set(table, FS_COLUMN_SERVER_TIME, opts, failover.t_ns);
    table_set_u64(table, FS_COLUMN_SERVERS, failover.server_count);
    table_set_u64(table, FS_COLUMN_MODE, failover.mode);
    table_set_u64(table, FS_COLUMN_ABOVE_SERVERS, failover.above_servers);
    table_set_u64(table, FS_COLUMN_ABOVE_TARGETS, failover.above_targets);
    table_set_double(table, FS_COLUMN_FACTOR, failover.overload_factor);
    table_set_u64(table, FS_COLUMN_BELOW_SERVERS, failover.below_servers);
    note_servers(table, fs, &failover);
    return 0;
}

int health_table_targets(const struct health_sample *sample,
                         const struct health_table_opts *opts, struct table *table)
{
    add_columns(table, target_columns, TARGET_COLUMN_COUNT);
    for (size_t i = 0; i < sample->count; i++)
        add_target(table, opts, &sample->targets[i]);
    return table_error(table);
}

int health_table_filesystems(const struct health_sample *sample,
                             const struct health_table_opts *opts, struct table *table)
{
    struct span fs, mount;
    size_t cursor = 0;
    int rc = 0;
    add_columns(table, fs_columns, FS_COLUMN_COUNT);
    while (rc == 0 && health_sample_next_fs(sample, &cursor, &fs, &mount))
        rc = add_fs(table, opts, sample, fs, mount);
    return rc < 0 ? rc : table_error(table);
}
