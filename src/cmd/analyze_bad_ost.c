/* SPDX-License-Identifier: Apache-2.0 */
/* analyze_bad_ost - baro analyze bad-ost: targets whose files were slower. */
#include "base/span.h"
#include "cmd/commands.h"
#include "cmd/progress_line.h"
#include "report/report.h"

#define WHO "baro analyze bad-ost"

struct args {
    const char *output;
};

static int analyze_bad_ost_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    AUTO(table_done) struct table table = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct table_print_opts opts = { .raw_units = true };
    enum table_form form = TABLE_FORM_TABLE;
    struct progress_line line = { 0 };
    int status = EXIT_OK;
    if (operand_count == 0 ||
        (args->output && table_form_parse(span_of(args->output), &form) < 0)) {
        fprintf(stderr, WHO ": wants at least one LOG, and as --output "
                            "table, csv or json\n");
        return EXIT_USAGE;
    }
    bad_ost_table_init(&table);
    progress_line_begin(&line, "logs");
    for (int i = 0; i < operand_count; i++) {
        AUTO(bad_ost_done) struct bad_ost found = { 0 };
        AUTO(strbuf_done) struct strbuf faults = STRBUF_INIT;
        struct err err = { 0 };
        int rc = bad_ost_find(operands[i], &found, &faults, &err);
        if (faults.size > 0 || rc < 0)
            progress_line_end(&line);
        if (faults.size > 0)
            fprintf(stderr, WHO ": %s: %s", operands[i], strbuf_text(&faults));
        if (rc < 0) {
            fprintf(stderr, WHO ": %s\n", err.text);
            status = EXIT_FAILED;
            continue;
        }
        bad_ost_table_add(&table, operands[i], &found);
        progress_line_print(&line, (size_t)i + 1, (size_t)operand_count);
    }
    progress_line_end(&line);
    table_print(&table, form, &opts, &out);
    if (table_error(&table) < 0 || strbuf_error(&out) < 0 ||
        fwrite(strbuf_text(&out), 1, out.size, stdout) != out.size ||
        fflush(stdout) != 0)
        return EXIT_FAILED;
    return status;
}

static const struct option options[] = {
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "table|csv|json",
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
