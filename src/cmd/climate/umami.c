/* SPDX-License-Identifier: Apache-2.0 */
/* climate_umami - baro climate umami: one run among comparable runs, as a picture. */
#include "base/span.h"
#include "base/table/table.h"
#include "client/climate/climate.h"
#include "cmd/climate/args.h"
#include "cmd/commands.h"
#include "draw/draw.h"
#include "report/report.h"

#include <math.h>
#include <sys/ioctl.h>

#define WIDTH_DEFAULT 120

struct args {
    const char *map;
    const char *id;
    const char *set;
    const char *output;
    uint64_t history;
};

static int umami_print(const struct umami *u, const struct args *args, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct winsize size = { .ws_col = WIDTH_DEFAULT };
    enum table_form form;
    if (!args->output || strcmp(args->output, "text") == 0) {
        if (isatty(STDOUT_FILENO))
            (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
        umami_print_text(u, size.ws_col, &out);
    } else if (strcmp(args->output, "svg") == 0) {
        umami_print_svg(u, &out);
    } else if (table_form_parse(span_of(args->output), &form) == 0) {
        umami_table_print(u, form, &out);
    } else {
        return err_set(err, EINVAL,
                       "--output: '%s' is not valid (choose text, svg, json, csv)",
                       args->output);
    }
    if (strbuf_error(&out) < 0)
        return err_set(err, ENOMEM, "out of memory");
    if (fwrite(strbuf_text(&out), 1, out.size, stdout) != out.size ||
        fflush(stdout) != 0)
        return err_set(err, EIO, "standard output: %s", strerror(errno));
    return 0;
}

static int climate_umami_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    struct err err = { 0 };
    AUTO(mapping_done) struct mapping mapping = { 0 };
    AUTO(runs_done) struct runs runs = { 0 };
    AUTO(runs_files_done) struct runs_files files = { 0 };
    AUTO(umami_done) struct umami umami = { 0 };
    if (!args->map || !args->id || operand_count == 0) {
        fprintf(stderr, "baro climate umami: wants --map FILE, --id RUN and at least "
                        "one table of runs\n");
        return EXIT_USAGE;
    }
    const struct umami_request request = { args->id, args->set, args->history };
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
        rc = umami_make(&mapping, &runs, &request, &umami, &err);
    if (rc == 0)
        rc = umami_print(&umami, args, &err);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "baro climate umami: %s\n", err.text);
    return err_exit_status(rc);
}

static const struct option options[] = {
    { "map", 'm', OPTION_TEXT, offsetof(struct args, map), "FILE",
      "What the columns mean: see baro climate study --sample." },
    { "id", 'i', OPTION_TEXT, offsetof(struct args, id), "RUN",
      "The run to look at, by what study.id of the mapping calls it." },
    { "set", 's', OPTION_TEXT, offsetof(struct args, set), "PATTERN",
      "Only in sets of this name, with * ? []: one job may hold several runs." },
    { "history", 'n', OPTION_COUNT, offsetof(struct args, history), "COUNT",
      "At most so many runs of its set before it (default: all)." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "text|svg|json|csv",
      "text (default), svg, json or csv." },
};

const struct command cmd_climate_umami = {
    .name = "climate umami",
    .operands = "RUNS.csv|barod...",
    .help = "One run among comparable runs: each measure's history, and the rank of "
            "the run.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = climate_umami_run,
    .details = "A row a measure: its history before the run, and the distribution of "
               "the other\n"
               "values with the run beside it, in words and in colours by the quarter "
               "in which\n"
               "it lies, from the worst to the best. Runs after it are not looked at.",
};
