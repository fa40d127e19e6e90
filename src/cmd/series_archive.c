/* SPDX-License-Identifier: Apache-2.0 */
/* series_archive - baro series archive: keep what servers measured as HDF5. */
#include "base/clock.h"
#include "base/number.h"
#include "client/series/series.h"
#include "cmd/commands.h"
#include "cmd/progress_line.h"
#include "cmd/warning.h"

#define WHO "baro series archive"

struct args {
    const char *from;
    const char *to;
    const char *filesystem;
    struct series_opts way;
    const char *output;
};

/* Of the first measure that is there: all are taken together. */
static int window_find(const struct series_files *files, const struct args *args,
                       int64_t *ret_from_s, int64_t *ret_to_s, struct err *err)
{
    for (unsigned m = 0; m < LMT_MEASURES; m++) {
        int rc = series_files_window(files, m, args->from, args->to, ret_from_s,
                                     ret_to_s, err);
        if (rc != -ENOENT)
            return rc;
    }
    return err_set(err, ENODATA, "%s: no measure is there", files->names);
}

static void steps_print(void *arg, size_t done, size_t count)
{
    progress_line_print(arg, done, count);
}

static int archive(const struct series_files *files, const struct args *args,
                   struct err *err)
{
    struct progress_line line = { 0 };
    struct lmt_archive_opts opts = { .now_s = clock_now_ns() / NS_PER_S,
                                     .progress = steps_print,
                                     .arg = &line };
    int rc = window_find(files, args, &opts.from_s, &opts.to_s, err);
    progress_line_begin(&line, "steps");
    if (rc == 0)
        rc = lmt_archive(files->series[0], &opts, args->output, err);
    progress_line_end(&line);
    return rc;
}

static int series_archive_run(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    AUTO(series_files_done) struct series_files files = { 0 };
    struct err err = { 0 };
    args->way.log = warning_print;
    if (operand_count != 1 || !args->output) {
        fprintf(stderr, WHO ": wants one FILE or URL, and --output\n");
        return EXIT_USAGE;
    }
    int rc = series_files_open(&files, (const char **)(uintptr_t)operands, 1,
                               &args->way, &err);
    if (rc == 0)
        rc = series_files_choose(&files, args->filesystem, &err);
    if (rc == 0)
        rc = archive(&files, args, &err);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, WHO ": %s\n", err.text);
    return err_exit_status(rc);
}

static const struct option options[] = {
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "PATH",
      "The HDF5 file to write; it is replaced when all is there." },
    SERIES_FS_OPTION(struct args, filesystem),
    { "from", 'f', OPTION_TIME, offsetof(struct args, from), "TIME",
      "Only from here on, in RFC 3339 or as @SECONDS (default: all there is, "
      "of a barod the last hour)." },
    { "to", 't', OPTION_TIME, offsetof(struct args, to), "TIME",
      "Only up to here, without it." },
    SERIES_OPTIONS(struct args, way),
};

const struct command cmd_series_archive = {
    .name = "series archive",
    .operands = "FILE|URL",
    .help = "Store what servers measured as HDF5 in the TOKIO layout.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = series_archive_run,
};
