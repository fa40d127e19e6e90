/* SPDX-License-Identifier: Apache-2.0 */
/* analyze_bad_ost - baro analyze bad-ost: targets whose files were slower. */
#include "analysis/weather/weather.h"
#include "base/span.h"
#include "base/table/table.h"
#include "cmd/commands.h"

#include <math.h>

struct args {
    const char *output;
};

static void rows_add(struct table *table, const char *log, const struct bad_ost *found)
{
    for (size_t i = 0; i < found->target_count; i++) {
        const struct bad_ost_target *target = &found->targets[i];
        table_add_row(table);
        table_set_text(table, 0, span_of(log));
        table_set_i64(table, 1, target->ost);
        table_set_u64(table, 2, target->files);
        table_set_u64(table, 3, found->files);
        if (isnan(target->r))
            continue;
        table_set_double(table, 4, target->r);
        table_set_double(table, 5, target->p);
        table_set_double(table, 6, target->p_many);
    }
    if (found->no_speed > 0)
        table_add_note(table, "%s: %zu files moved nothing or took no time: left out",
                       log, found->no_speed);
}

static int analyze_bad_ost_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    AUTO(table_done) struct table table = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct table_print_opts opts = { .raw_units = true };
    enum table_form form = TABLE_FORM_TABLE;
    int status = EXIT_OK;
    if (operand_count == 0 ||
        (args->output && table_form_parse(span_of(args->output), &form) < 0)) {
        fprintf(stderr, "baro: analyze bad-ost wants at least one LOG, and as --output "
                        "table, csv or json\n");
        return EXIT_USAGE;
    }
    table_init(&table);
    table_add_column(&table, "log", TABLE_TEXT, "");
    table_add_column(&table, "ost", TABLE_I64, "");
    table_add_column(&table, "files_on", TABLE_U64, "");
    table_add_column(&table, "files", TABLE_U64, "");
    table_add_column(&table, "r", TABLE_DOUBLE, "");
    table_add_column(&table, "p", TABLE_DOUBLE, "");
    table_add_column(&table, "p_many", TABLE_DOUBLE, "");
    for (int i = 0; i < operand_count; i++) {
        AUTO(bad_ost_done) struct bad_ost found = { 0 };
        AUTO(strbuf_done) struct strbuf faults = STRBUF_INIT;
        struct err err = { 0 };
        int rc = bad_ost_find(operands[i], &found, &faults, &err);
        if (faults.size > 0)
            fprintf(stderr, "baro: %s: %s", operands[i], strbuf_text(&faults));
        if (rc < 0) {
            fprintf(stderr, "baro: %s\n", err.text);
            status = EXIT_FAILED;
            continue;
        }
        rows_add(&table, operands[i], &found);
    }
    table_print(&table, form, &opts, &out);
    if (table_error(&table) < 0 || strbuf_error(&out) < 0 ||
        fwrite(strbuf_text(&out), 1, out.size, stdout) != out.size ||
        fflush(stdout) != 0)
        return EXIT_FAILED;
    return status;
}

static const struct option options[] = {
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORMAT",
      "table (default), csv or json." },
};

const struct command cmd_analyze_bad_ost = {
    .name = "analyze bad-ost",
    .operands = "LOG...",
    .help = "Targets on which a job's files were slower than on the others.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = analyze_bad_ost_run,
};
