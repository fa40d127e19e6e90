/* SPDX-License-Identifier: Apache-2.0 */
/* lustre_stats - baro lustre stats: totals below a root, or out of lctl get_param. */
#include "base/input.h"
#include "base/span.h"
#include "base/timetext.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "source/lustre/lustre.h"

#include <inttypes.h>

#define WHO "baro lustre stats"
#define TEXT_BYTES_MAX ((size_t)256 << 20)

struct lustre_stats_args {
    const char *root;
    const char *output;
};

enum column {
    COLUMN_TARGET,
    COLUMN_KIND,
    COLUMN_FILE,
    COLUMN_NAME,
    COLUMN_BUCKET,
    COLUMN_UNIT,
    COLUMN_SAMPLES,
    COLUMN_MIN,
    COLUMN_MAX,
    COLUMN_SUM,
    COLUMN_SUMSQ,
    COLUMN_READ,
    COLUMN_WRITE,
    COLUMN_VALUE,
    COLUMN_COUNT,
};

static void lustre_table_init(struct table *table)
{
    static const struct {
        const char *name;
        enum table_type type;
    } columns[COLUMN_COUNT] = {
        [COLUMN_TARGET] = { "target", TABLE_TEXT },
        [COLUMN_KIND] = { "kind", TABLE_TEXT },
        [COLUMN_FILE] = { "file", TABLE_TEXT },
        [COLUMN_NAME] = { "name", TABLE_TEXT },
        [COLUMN_BUCKET] = { "bucket", TABLE_TEXT },
        [COLUMN_UNIT] = { "unit", TABLE_TEXT },
        [COLUMN_SAMPLES] = { "samples", TABLE_U64 },
        [COLUMN_MIN] = { "min", TABLE_U64 },
        [COLUMN_MAX] = { "max", TABLE_U64 },
        [COLUMN_SUM] = { "sum", TABLE_U64 },
        [COLUMN_SUMSQ] = { "sumsq", TABLE_U64 },
        [COLUMN_READ] = { "read", TABLE_U64 },
        [COLUMN_WRITE] = { "write", TABLE_U64 },
        [COLUMN_VALUE] = { "value", TABLE_TEXT },
    };
    table_init(table);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        table_add_column(table, columns[i].name, columns[i].type, "");
}

static void lustre_text_set(struct table *table, size_t column, struct span text)
{
    if (text.size > 0)
        table_set_text(table, column, text);
}

static int on_total(void *arg, const struct lustre_total *total)
{
    struct table *table = arg;
    const struct lustre_reading *r = &total->reading;
    const struct {
        unsigned bit;
        enum column column;
        uint64_t value;
    } numbers[] = {
        { READING_SAMPLES, COLUMN_SAMPLES, r->samples },
        { READING_MIN, COLUMN_MIN, r->min },
        { READING_MAX, COLUMN_MAX, r->max },
        { READING_SUM, COLUMN_SUM, r->sum },
        { READING_SUMSQ, COLUMN_SUMSQ, r->sumsq },
        { READING_READ, COLUMN_READ, r->read },
        { READING_WRITE, COLUMN_WRITE, r->write },
    };
    table_add_row(table);
    lustre_text_set(table, COLUMN_TARGET, total->target);
    if (total->target.size > 0)
        table_set_text(table, COLUMN_KIND, span_of(target_kind_name(total->kind)));
    lustre_text_set(table, COLUMN_FILE, span_of(total->file));
    lustre_text_set(table, COLUMN_NAME, r->name);
    lustre_text_set(table, COLUMN_BUCKET, r->bucket);
    lustre_text_set(table, COLUMN_UNIT, r->unit);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (r->has & numbers[i].bit)
            table_set_u64(table, numbers[i].column, numbers[i].value);
    if (r->has & READING_TIME) {
        char text[TIMETEXT_SIZE];
        size_t size = timetext_print_seconds(text, r->t_ns);
        lustre_text_set(table, COLUMN_VALUE, (struct span){ text, size });
    }
    if (r->has & (READING_VALUE | READING_TEXT))
        lustre_text_set(table, COLUMN_VALUE, r->text);
    return table_error(table);
}

static void on_total_fault(void *arg, const char *path, uint64_t line, struct span text)
{
    AUTO(strbuf_done) struct strbuf shown = STRBUF_INIT;
    (void)arg;
    if (line > 0) /* else text is all of it */
        strbuf_addf(&shown, "%s:%" PRIu64 ": ", path, line);
    entry_id_print(&shown, text);
    fprintf(stderr, "%s\n", strbuf_text(&shown));
}

/* One that holds no total is an error: a wrong file was named. */
static int lustre_dump_read(const char *path, struct table *table, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct lustre_totals totals = { on_total, on_total_fault, table };
    size_t before = table->row_count;
    int rc = input_read_all(path, TEXT_BYTES_MAX, &text, err);
    if (rc == 0 && (rc = lustre_read_totals_text(strbuf_span(&text), &totals)) < 0)
        return err_set(err, -rc, "%s: %s", path, strerror(-rc));
    if (rc == 0 && table->row_count == before)
        rc = err_set(err, ENODATA,
                     "%s: no total of a Lustre server; wants what lctl get_param "
                     "prints of obdfilter.*.stats, health_check ...",
                     path);
    return rc;
}

static int lustre_root_read(const char *root, struct table *table, struct err *err)
{
    const struct lustre_totals totals = { on_total, on_total_fault, table };
    int rc = lustre_read_totals(root, &totals, err);
    if (rc == 0 && table->row_count == 0)
        rc = err_set(err, ENODATA,
                     "no Lustre server is found below '%s': nothing readable in "
                     "proc/fs/lustre, sys/fs/lustre, sys/kernel/debug/lustre",
                     root);
    return rc;
}

static int lustre_stats_print(const struct lustre_stats_args *args, int count,
                              char **paths, struct err *err)
{
    AUTO(table_done) struct table table;
    struct result_form form = { 0 };
    lustre_table_init(&table);
    int rc = output_form(&form, args->output, true, err);
    if (rc == 0 && count == 0)
        rc = lustre_root_read(args->root ? args->root : "/", &table, err);
    for (int i = 0; rc == 0 && i < count; i++)
        rc = lustre_dump_read(paths[i], &table, err);
    return rc < 0 ? rc : output_table(&table, &form, err);
}

static int lustre_stats_run(void *args_arg, int operand_count, char **operands)
{
    const struct lustre_stats_args *args = args_arg;
    struct err err = { 0 };
    if (operand_count > 0 && args->root) {
        fprintf(stderr, WHO ": give --root or files, not both\n");
        return EXIT_USAGE;
    }
    int rc = lustre_stats_print(args, operand_count, operands, &err);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, WHO ": %s\n", err.text);
    return err_exit_status(rc);
}

static const struct option options[] = {
    { "root", 'r', OPTION_TEXT, offsetof(struct lustre_stats_args, root), "DIR",
      "Where proc and sys are; default: /." },
    { "output", 'o', OPTION_TEXT, offsetof(struct lustre_stats_args, output),
      "table|json|csv", "table (default), json or csv." },
};

const struct command cmd_lustre_stats = {
    .name = "lustre stats",
    .operands = "[FILE]...",
    .help =
        "Show the totals that a Lustre server counts: stats, space, recovery, health.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct lustre_stats_args),
    .run = lustre_stats_run,
    .details = "Without a FILE those of this server.  A FILE is what lctl get_param "
               "printed, of\n"
               "any number of parameters, targets and servers; - is standard input.  "
               "Files may be\n"
               "compressed with gzip, zstd, bzip2 or xz.\n"
               "\n"
               "Example: lctl get_param 'obdfilter.*.stats' health_check | baro lustre "
               "stats -",
};
