/* SPDX-License-Identifier: Apache-2.0 */
/* series_show - baro series show: what is in files of servers' measures. */
#include "analysis/table/table.h"
#include "base/decimal_text.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/suggest.h"
#include "base/table/table.h"
#include "base/timetext.h"
#include "client/series/series.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/warning.h"
#include "draw/draw.h"
#include "report/report.h"

#include <math.h>

#define WHO "baro series show"
#define OUT_BYTES ((size_t)65536)

struct args {
    const char *measure;
    const char *heatmap;
    const char *from;
    const char *to;
    const char *filesystem;
    struct series_opts way;
    const char *output;
};

/* All files together over all the time that they have of a measure, or over the window
 * asked for.  -ENOENT: none has it. */
static int grid_read(const struct series_files *files, const struct args *args,
                     enum lmt_measure measure, struct lmt_grid *grid, struct err *err)
{
    int64_t from_s;
    int64_t to_s;
    int rc =
        series_files_window(files, measure, args->from, args->to, &from_s, &to_s, err);
    if (rc < 0)
        return rc;
    int found = -ENOENT;
    lmt_grid_init(grid, from_s, to_s);
    for (size_t i = 0; i < files->count; i++) {
        rc = lmt_series_read(files->series[i], measure, grid, err);
        if (rc < 0 && rc != -ENOENT)
            return rc;
        found = rc == 0 ? 0 : found;
    }
    return found;
}

/* "datatargets/writebytes 2018-01-28T08:00:00Z to 2018-01-29T08:00:00Z" */
static int heatmap_print(const struct lmt_grid *grid, enum lmt_measure measure,
                         const char *path, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    char name[64], title[192], from[TIMETEXT_SIZE], to[TIMETEXT_SIZE];
    int64_t end_s = grid->start_s + (int64_t)grid->row_count * grid->step_s;
    series_measure_name(measure, name);
    (void)timetext_print(from, grid->start_s * NS_PER_S);
    (void)timetext_print(to, end_s * NS_PER_S);
    (void)snprintf(title, sizeof title, "%s, %s to %s", name, from, to);
    int rc = heatmap_print_svg(grid, measure, title, &out);
    if (rc < 0 || (rc = strbuf_error(&out)) < 0)
        return err_set(err, -rc, "%s: %s", path, strerror(-rc));
    if (strcmp(path, "-") == 0)
        return output_print(&out, err);
    return file_replace(path, out.data, out.size, 0644, err);
}

static int rows_flush(struct strbuf *out)
{
    int rc = output_print(out, NULL);
    strbuf_clear(out);
    return rc;
}

static int measure_print(const struct series_files *files, const struct args *args,
                         struct err *err)
{
    AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    enum lmt_measure measure;
    if (series_measure_find(args->measure, &measure) < 0)
        return err_set(err, EINVAL, "--measure: there is no measure '%s'",
                       args->measure);
    int rc = grid_read(files, args, measure, &grid, err);
    if (rc == -ENOENT)
        return err_set(err, ENOENT, "there is no %s", args->measure);
    if (rc < 0 || args->heatmap)
        return rc < 0 ? rc : heatmap_print(&grid, measure, args->heatmap, err);
    grid_csv_head(&grid, &out);
    for (size_t row = 0; rc == 0 && row < grid.row_count; row++) {
        grid_csv_row(&grid, row, &out);
        rc = out.size < OUT_BYTES ? 0 : rows_flush(&out);
    }
    rc = rc == 0 ? rows_flush(&out) : rc;
    return rc == 0 ? 0 : err_set(err, -rc, "standard output: %s", strerror(-rc));
}

static int list_print(const struct series_files *files, const struct args *args,
                      struct err *err)
{
    AUTO(table_done) struct table table = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const struct table_print_opts opts = { .raw_units = true };
    enum table_form form = TABLE_FORM_TABLE;
    if (args->output && table_form_parse(span_of(args->output), &form) < 0)
        return suggest_invalid(err, "--output", span_of(args->output),
                               "table, csv, json");
    table_init(&table);
    grid_list_columns(&table);
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        AUTO(lmt_grid_done) struct lmt_grid grid = { 0 };
        int rc = grid_read(files, args, m, &grid, err);
        if (rc == 0)
            grid_list_add(&table, m, &grid);
        else if (rc != -ENOENT)
            return rc;
    }
    table_print(&table, form, &opts, &out);
    if (table_error(&table) < 0 || strbuf_error(&out) < 0)
        return err_set(err, ENOMEM, "out of memory");
    int rc = rows_flush(&out);
    return rc == 0 ? 0 : err_set(err, -rc, "standard output: %s", strerror(-rc));
}

static int series_show_run(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    AUTO(series_files_done) struct series_files files = { 0 };
    struct err err = { 0 };
    args->way.log = warning_print;
    if (operand_count == 0) {
        fprintf(stderr, WHO ": wants at least one FILE or URL\n");
        return EXIT_USAGE;
    }
    int rc = series_files_open(&files, (const char **)(uintptr_t)operands,
                               (size_t)operand_count, &args->way, &err);
    if (rc == 0)
        rc = series_files_choose(&files, args->filesystem, &err);
    if (rc == 0)
        rc = args->heatmap && !args->measure
                 ? err_set(&err, EINVAL, "--heatmap wants --measure")
             : args->measure ? measure_print(&files, args, &err)
                             : list_print(&files, args, &err);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, WHO ": %s\n", err.text);
    return err_exit_status(rc);
}

static const struct option options[] = {
    { "measure", 'm', OPTION_TEXT, offsetof(struct args, measure), "MEASURE",
      "Its numbers as CSV, a row a step and a column a component (default: a list of "
      "all measures)." },
    { "heatmap", 0, OPTION_TEXT, offsetof(struct args, heatmap), "FILE.svg",
      "A picture of the measure in place of its numbers: components over time; - is "
      "standard output." },
    SERIES_FS_OPTION(struct args, filesystem),
    { "from", 'f', OPTION_TIME, offsetof(struct args, from), "TIME",
      "Only from here on, in RFC 3339 or as @SECONDS (default: all there is, "
      "of a barod the last hour)." },
    { "to", 't', OPTION_TIME, offsetof(struct args, to), "TIME",
      "Only up to here, without it." },
    SERIES_OPTIONS(struct args, way),
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "table|csv|json",
      "The list as table (default), csv or json." },
};

const struct command cmd_series_show = {
    .name = "series show",
    .operands = "FILE|URL...",
    .help = "What is in series of what servers of a file system measured.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = series_show_run,
    .prints_data = true,
};
