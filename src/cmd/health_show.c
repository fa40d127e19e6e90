/* SPDX-License-Identifier: Apache-2.0 */
/* health_show - baro health show: how full file systems were, and who served them. */
#include "base/clock.h"
#include "base/input.h"
#include "base/number.h"
#include "base/table.h"
#include "base/timetext.h"
#include "cmd/commands.h"
#include "source/health/health.h"

#include <inttypes.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define FILE_BYTES_MAX ((size_t)1 << 30)
#define FILES_MAX 64
#define AGE_MAX_NS (3600 * NS_PER_S)
#define KIB 1024

struct args {
    const char *at;
    int64_t age_max_ns;
    bool targets;
    const char *output;
};

struct asked {
    bool has_at;
    int64_t at_ns;
    int64_t age_max_ns;
    const char *path; /* of the file being read, for messages */
};

static void set_time(struct table *table, size_t column, int64_t t_ns)
{
    if (t_ns >= 0)
        table_set_i64(table, column, t_ns / NS_PER_MS);
}

/* The time of a reading, and how old it was at the moment asked for. */
static void set_reading(struct table *table, size_t column, const struct asked *asked,
                        int64_t t_ns)
{
    set_time(table, column, t_ns);
    if (t_ns >= 0 && asked->has_at)
        table_set_double(table, column + 1,
                         (double)(asked->at_ns - t_ns) / (double)NS_PER_S);
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

static void add_target(struct table *table, const struct asked *asked,
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
        set_reading(table, TARGET_COLUMN_SPACE_TIME, asked, t->space_t_ns);
    }
    if (t->has & HEALTH_SERVER) {
        table_set_text(table, TARGET_COLUMN_SERVER, t->server);
        set_reading(table, TARGET_COLUMN_SERVER_TIME, asked, t->server_t_ns);
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

static void set_fullness(struct table *table, const struct asked *asked,
                         const struct health_fullness *f)
{
    set_reading(table, FS_COLUMN_SPACE_TIME, asked, f->t_ns);
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

static int add_fs(struct table *table, const struct asked *asked,
                  const struct health_sample *sample, struct span fs, struct span mount)
{
    AUTO(health_failover_done) struct health_failover failover = { 0 };
    struct health_fullness fullness;
    table_add_row(table);
    table_set_text(table, FS_COLUMN_NAME, fs);
    if (mount.size > 0)
        table_set_text(table, FS_COLUMN_MOUNT, mount);
    if (health_fullness(sample, fs, TARGET_OST, &fullness) == 0)
        set_fullness(table, asked, &fullness);
    int rc = health_failover(sample, fs, &failover);
    if (rc < 0)
        return rc == -ENOENT ? 0 : rc;
    set_reading(table, FS_COLUMN_SERVER_TIME, asked, failover.t_ns);
    table_set_u64(table, FS_COLUMN_SERVERS, failover.server_count);
    table_set_u64(table, FS_COLUMN_MODE, failover.mode);
    table_set_u64(table, FS_COLUMN_ABOVE_SERVERS, failover.above_servers);
    table_set_u64(table, FS_COLUMN_ABOVE_TARGETS, failover.above_targets);
    table_set_double(table, FS_COLUMN_FACTOR, failover.overload_factor);
    table_set_u64(table, FS_COLUMN_BELOW_SERVERS, failover.below_servers);
    note_servers(table, fs, &failover);
    return 0;
}

static int fill_table(struct table *table, const struct asked *asked,
                      const struct health_sample *sample, bool targets)
{
    struct span fs, mount;
    size_t cursor = 0;
    int rc = 0;
    if (targets) {
        add_columns(table, target_columns, TARGET_COLUMN_COUNT);
        for (size_t i = 0; i < sample->count; i++)
            add_target(table, asked, &sample->targets[i]);
        return table_error(table);
    }
    add_columns(table, fs_columns, FS_COLUMN_COUNT);
    while (rc == 0 && health_sample_next_fs(sample, &cursor, &fs, &mount))
        rc = add_fs(table, asked, sample, fs, mount);
    return rc < 0 ? rc : table_error(table);
}

static void on_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    const struct asked *asked = arg;
    AUTO(strbuf_done) struct strbuf shown = STRBUF_INIT;
    entry_id_print(&shown, text);
    fprintf(stderr, "%s:%" PRIu64 ": %s: %s\n", asked->path, line, reason,
            strbuf_text(&shown));
}

/* The block that is asked for: of a moment, else the latest, else the only one. */
static int choose_block(const struct asked *asked, struct span text,
                        struct health_block *ret, struct err *err)
{
    struct health_blocks blocks;
    if (asked->has_at)
        return health_block_at(text, asked->at_ns, asked->age_max_ns, ret, NULL, err);
    if (health_block_at(text, INT64_MAX, INT64_MAX, ret, NULL, NULL) == 0)
        return 0;
    health_blocks_init(&blocks, text);
    return health_blocks_next(&blocks, ret) ? 0 : err_set(err, ENOENT, "it is empty");
}

static int read_file(struct asked *asked, const char *path, struct strbuf *text,
                     struct health_sample *sample, struct err *err)
{
    struct health_block block;
    asked->path = path;
    int rc = input_read_all(path, FILE_BYTES_MAX, text, err);
    if (rc < 0)
        return rc;
    rc = choose_block(asked, strbuf_span(text), &block, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s", path);
    return health_sample_add(sample, &block, on_fault, asked);
}

/* Of each kind the file that holds the sample; dir is open as long as what it told. */
static int read_dir(struct asked *asked, const char *path, struct health_dir *dir,
                    struct health_sample *sample, struct err *err)
{
    bool is_there = false;
    for (unsigned kind = 0; kind < HEALTH_KIND_COUNT; kind++) {
        struct health_block block;
        struct span text;
        int rc = health_dir_at(dir, kind, asked->has_at ? asked->at_ns : INT64_MAX,
                               &text, &asked->path, err);
        if (rc == -ENOENT)
            continue;
        if (rc == 0)
            rc = err_prefix(err, choose_block(asked, text, &block, err), "%s/%s", path,
                            asked->path);
        if (rc == 0)
            rc = health_sample_add(sample, &block, on_fault, asked);
        if (rc < 0)
            return rc;
        is_there = true;
    }
    return is_there ? 0 : -ENOENT;
}

static int read_operand(struct asked *asked, const char *path, struct strbuf *text,
                        struct health_dir **dir, struct health_sample *sample,
                        struct err *err)
{
    struct stat st;
    if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return read_file(asked, path, text, sample, err);
    int rc = health_dir_open(path, dir, err);
    return rc < 0 ? rc : read_dir(asked, path, *dir, sample, err);
}

static int show(const struct args *args, struct asked *asked, char **paths, int count,
                enum table_form form)
{
    struct strbuf texts[FILES_MAX] = { 0 };
    struct health_dir *dirs[FILES_MAX] = { 0 };
    AUTO(health_sample_done) struct health_sample sample;
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct winsize size = { 0 };
    struct err err = { 0 };
    int rc = 0;
    health_sample_init(&sample);
    table_init(&table);
    for (int i = 0; rc == 0 && i < count; i++)
        rc = read_operand(asked, paths[i], &texts[i], &dirs[i], &sample, &err);
    if (rc == 0)
        rc = fill_table(&table, asked, &sample, args->targets);
    bool is_terminal =
        isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    const struct table_print_opts opts = { .width = is_terminal ? size.ws_col : 0,
                                           .colour = is_terminal,
                                           .raw_units = form != TABLE_FORM_TABLE };
    if (rc == 0)
        table_print(&table, form, &opts, &out);
    for (int i = 0; i < count; i++) {
        strbuf_done(&texts[i]);
        health_dir_close(dirs[i]);
    }
    if (rc == 0 &&
        (strbuf_error(&out) ||
         fwrite(strbuf_text(&out), 1, out.size, stdout) != out.size || fflush(stdout)))
        rc = err_set(&err, EIO, "the answer could not be written");
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "baro health show: %s\n", err.text[0] ? err.text : strerror(-rc));
    return EXIT_FAILED;
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    struct asked asked = { .age_max_ns =
                               args->age_max_ns > 0 ? args->age_max_ns : AGE_MAX_NS };
    enum table_form form = TABLE_FORM_TABLE;
    if (operand_count == 0 || operand_count > FILES_MAX) {
        fprintf(stderr, "baro health show: 1 to %d files or directories are wanted\n",
                FILES_MAX);
        return EXIT_USAGE;
    }
    if (args->output && table_form_parse(span_of(args->output), &form) < 0) {
        fprintf(stderr,
                "baro health show: --output: '%s' is not one of table, json, csv\n",
                args->output);
        return EXIT_USAGE;
    }
    if (args->at &&
        timetext_parse_user(span_of(args->at), clock_now_ns(), &asked.at_ns) < 0) {
        fprintf(stderr,
                "baro health show: --at: '%s' is no time (2026-11-21T06:00Z, -2h, "
                "now, @SECONDS)\n",
                args->at);
        return EXIT_USAGE;
    }
    asked.has_at = args->at != NULL;
    return show(args, &asked, operands, operand_count, form);
}

static const struct option options[] = {
    { "at", 'a', OPTION_TEXT, offsetof(struct args, at), "TIME",
      "The last sample at or before TIME; default: the last there is." },
    { "age-max", 0, OPTION_DURATION, offsetof(struct args, age_max_ns), "DURATION",
      "With --at, refuse an older sample; default: 1h." },
    { "targets", 't', OPTION_FLAG, offsetof(struct args, targets), NULL,
      "A row a target, in place of one a file system." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORM",
      "table (default), json or csv." },
};

const struct command cmd_health_show = {
    .name = "health show",
    .operands = "FILE|DIRECTORY...",
    .help = "How full file systems were and who served them: lfs df, lctl dl -t.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
};
