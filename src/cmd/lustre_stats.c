/* SPDX-License-Identifier: Apache-2.0 */
/* lustre_stats - baro lustre stats: the totals of the server below a root. */
#include "base/span.h"
#include "base/table/table.h"
#include "base/timetext.h"
#include "cmd/commands.h"
#include "source/lustre/lustre.h"

#include <inttypes.h>

struct args {
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

static void add_columns(struct table *table)
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
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        table_add_column(table, columns[i].name, columns[i].type, "");
}

static void set_span(struct table *table, size_t column, struct span text)
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
    set_span(table, COLUMN_TARGET, total->target);
    if (total->target.size > 0)
        table_set_text(table, COLUMN_KIND, span_of(target_kind_name(total->kind)));
    set_span(table, COLUMN_FILE, span_of(total->file));
    set_span(table, COLUMN_NAME, r->name);
    set_span(table, COLUMN_BUCKET, r->bucket);
    set_span(table, COLUMN_UNIT, r->unit);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        if (r->has & numbers[i].bit)
            table_set_u64(table, numbers[i].column, numbers[i].value);
    if (r->has & READING_TIME) {
        char text[TIMETEXT_SIZE];
        size_t size = timetext_print_seconds(text, r->t_ns);
        set_span(table, COLUMN_VALUE, (struct span){ text, size });
    }
    if (r->has & (READING_VALUE | READING_TEXT))
        set_span(table, COLUMN_VALUE, r->text);
    return table_error(table);
}

static void on_fault(void *arg, const char *path, uint64_t line, struct span text)
{
    AUTO(strbuf_done) struct strbuf shown = STRBUF_INIT;
    (void)arg;
    entry_id_print(&shown, text);
    if (line > 0)
        fprintf(stderr, "%s:%" PRIu64 ": %s\n", path, line, strbuf_text(&shown));
    else
        fprintf(stderr, "%s\n", strbuf_text(&shown));
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    struct err err = { 0 };
    AUTO(table_done) struct table table;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    enum table_form form = TABLE_FORM_TABLE;
    table_init(&table);
    if (operand_count > 0) {
        fprintf(stderr, "baro lustre stats: '%s': no operand is expected\n",
                operands[0]);
        return EXIT_USAGE;
    }
    if (args->output && table_form_parse(span_of(args->output), &form) < 0) {
        fprintf(stderr,
                "baro lustre stats: --output: '%s' is not one of table, json, csv\n",
                args->output);
        return EXIT_USAGE;
    }
    add_columns(&table);
    const struct lustre_totals totals = { on_total, on_fault, &table };
    if (lustre_read_totals(args->root ? args->root : "/", &totals, &err) < 0) {
        fprintf(stderr, "baro lustre stats: %s\n", err.text);
        return EXIT_FAILED;
    }
    if (table.row_count == 0)
        fprintf(stderr,
                "baro lustre stats: no Lustre server is found below '%s': nothing "
                "readable in proc/fs/lustre, sys/fs/lustre, sys/kernel/debug/lustre\n",
                args->root ? args->root : "/");
    const struct table_print_opts opts = { .raw_units = true };
    table_print(&table, form, &opts, &out);
    if (table_error(&table) || strbuf_error(&out) ||
        fwrite(strbuf_text(&out), 1, out.size, stdout) != out.size || fflush(stdout)) {
        fprintf(stderr, "baro lustre stats: the output could not be written\n");
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

static const struct option options[] = {
    { "root", 'r', OPTION_TEXT, offsetof(struct args, root), "DIR",
      "Where proc and sys are; default: /." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORM",
      "table (default), json or csv." },
};

const struct command cmd_lustre_stats = {
    .name = "lustre stats",
    .operands = "",
    .help =
        "Show the totals that a Lustre server counts: stats, space, recovery, health.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
};
