/* SPDX-License-Identifier: Apache-2.0 */
/* climate_study - baro climate study: a year of runs, and what went with the bad ones.
 */
#include "client/climate/climate.h"
#include "cmd/climate/args.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "report/report.h"

struct args {
    const char *map;
    const char *output;
    struct option_list tables;
    const char *report;
    bool figures;
    bool sample;
};

static int fail(const struct err *err, int rc)
{
    fprintf(stderr, "baro climate study: %s\n", err->text);
    return err_exit_status(rc);
}

static int study_print(const struct study *study, const struct args *args,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct table_parts_args how = { .output = args->output,
                                          .wanted = args->tables };
    AUTO(study_tables_done) struct study_tables tables = { 0 };
    struct table_part parts[STUDY_PARTS];
    if (args->figures) {
        study_figures_print(study, &out);
        return output_print(&out, err);
    }
    int rc = study_tables_make(study, &tables, err);
    for (size_t i = 0; i < STUDY_PARTS; i++)
        parts[i] = (struct table_part){ study_part_name((enum study_part)i),
                                        &tables.parts[i] };
    return rc < 0
               ? rc
               : table_parts_print("baro climate study", parts, STUDY_PARTS, &how, err);
}

static int keys_print(void)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    mapping_describe(&out);
    (void)fputs(strbuf_text(&out), stdout); /* the dispatcher finds out */
    return EXIT_OK;
}

static int climate_study_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    struct err err = { 0 };
    if (args->sample)
        return keys_print();
    if (!args->map || operand_count == 0) {
        fprintf(stderr,
                "baro climate study: wants --map FILE and at least one table "
                "of runs; baro climate map RUNS.csv writes a mapping to begin with, "
                "--sample prints all its keys\n");
        return EXIT_USAGE;
    }
    AUTO(mapping_done) struct mapping mapping = { 0 };
    AUTO(runs_done) struct runs runs = { 0 };
    AUTO(runs_files_done) struct runs_files files = { 0 };
    AUTO(study_done) struct study study = { 0 };
    struct progress_line line;
    const struct runs_progress progress = climate_args_progress(&line);
    int rc = mapping_load(args->map, &mapping, &err);
    if (rc == 0)
        rc = runs_files_open((const char *const *)operands, (size_t)operand_count, NULL,
                             &files, &err);
    if (files.truncated)
        climate_args_truncated(files.truncated);
    if (rc == 0)
        rc = runs_load_wanted(&mapping, files.paths, files.count, NULL, &progress,
                              &runs, &err);
    progress_line_end(&line);
    if (rc == 0)
        rc = study_make(&mapping, &runs, &study, &err);
    if (rc == 0)
        rc = args->report ? study_page_write(&study, args->report, &err)
                          : study_print(&study, args, &err);
    if (rc < 0)
        return fail(&err, rc);
    return EXIT_OK;
}

static const struct option options[] = {
    { "map", 'm', OPTION_TEXT, offsetof(struct args, map), "FILE",
      "What the columns mean: see --sample." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "table|json|csv",
      "table (default), json, or csv (with one --table)." },
    { "table", 't', OPTION_LIST, offsetof(struct args, tables),
      "summary|sets|correlations|regions|contributors|expected",
      "Only summary, sets, correlations, regions, contributors or expected; may be "
      "repeated." },
    { "report", 'r', OPTION_TEXT, offsetof(struct args, report), "DIR",
      "Write a report with pictures there instead: index.html, and the pictures as "
      "SVG." },
    { "list-figures", 0, OPTION_FLAG, offsetof(struct args, figures), NULL,
      "Every number of the study by the name that 'expect' knows it by." },
    { "sample", 0, OPTION_FLAG, offsetof(struct args, sample), NULL,
      "Print a commented mapping to begin with." },
};

const struct command cmd_climate_study = {
    .name = "climate study",
    .operands = "RUNS.csv|barod...",
    .help =
        "What is normal among comparable runs, when it changed, and what correlates "
        "with it.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = climate_study_run,
    .details =
        "Reads tables of runs, a row each, and a mapping that defines their columns.\n"
        "Gives quantiles of the fraction of peak for each set of comparable runs, the\n"
        "regions in which its short and long average part, correlations, and which\n"
        "measures were at their worst when a run was. Published figures in the "
        "mapping\n"
        "('expect') are held against ours.",
    .prints_times = true,
};
