/* SPDX-License-Identifier: Apache-2.0 */
/* job_slice - baro job slice: what the servers did while a job ran, step by step. */
#include "client/client.h"
#include "client/job/job.h"
#include "client/series/series.h"
#include "cmd/commands.h"
#include "cmd/warning.h"

#define WHO "baro job slice"

struct args {
    struct job_sources_opts made;
    const char *output;
    const char *into;
};

static int on_piece(void *arg, struct span piece)
{
    (void)arg;
    bool is_written = fwrite(piece.data, 1, piece.size, stdout) == piece.size;
    return is_written && fflush(stdout) == 0 ? 0 : -EIO;
}

static int slice_write(const struct args *args, const struct job_weather *weather,
                       struct err *err)
{
    AUTO(series_slice_done) struct series_slice slice = { 0 };
    const struct series_slice_opts slice_opts = { args->made.access,
                                                  args->made.series };
    int rc = series_slice_open(weather, &slice_opts, &slice, err);
    if (rc < 0)
        return rc;
    return args->into ? series_slice_archive(&slice, args->into, err)
                      : series_slice_print(&slice, on_piece, NULL, err);
}

static int log_do(const struct args *args, const char *log, struct err *err)
{
    AUTO(job_sources_done) struct job_sources maker = { .opts = &args->made };
    AUTO(job_context_done) struct job_context context;
    job_context_init(&context);
    int rc = job_sources_open(&args->made, &maker, err);
    if (rc == 0)
        rc = job_build(&maker.inputs, log, &context, NULL, err);
    return rc == 0 ? slice_write(args, &context.weather, err) : rc;
}

/* Its summary as it is stored, unless other series are named. */
static int job_do(const struct args *args, const char *operand, struct err *err)
{
    AUTO(job_operand_done) struct job_operand job = { 0 };
    const struct series_opts *access = &args->made.access;
    const struct client_endpoint endpoint = { .server = access->server,
                                              .token_file = access->token_file,
                                              .ca_file = access->ca_file };
    int rc = job_operand_find(&endpoint, args->made.cluster, operand, &job, err);
    if (rc < 0)
        return rc;
    if (job.is_stored && args->made.series.count == 0)
        return slice_write(args, &job.stored.weather, err);
    return job.log ? log_do(args, job.log, err)
                   : err_set(err, ENOENT, "its summary names no log");
}

static bool args_check(const struct args *args, int operand_count)
{
    const char *form = args->output ? args->output : args->into ? "hdf5" : "csv";
    bool is_hdf5 = strcmp(form, "hdf5") == 0;
    if (operand_count != 1 || (!is_hdf5 && strcmp(form, "csv") != 0)) {
        fprintf(stderr,
                WHO ": one LOG or JOBID is wanted, and as --output csv or hdf5\n");
        return false;
    }
    if (is_hdf5 != (args->into != NULL)) {
        fprintf(stderr, WHO ": --output hdf5 and --into FILE go together\n");
        return false;
    }
    return true;
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    struct err err = { 0 };
    args->made.access.log = warning_print;
    if (!args_check(args, operand_count))
        return EXIT_USAGE;
    int rc = job_do(args, operands[0], &err);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, WHO ": %s: %s\n", operands[0],
            err.text[0] ? err.text : strerror(-rc));
    return err_exit_status(rc);
}

static const struct option options[] = {
    { "series", 's', OPTION_LIST, offsetof(struct args, made.series), "FILE",
      "What the servers measured, see baro series show; may be repeated." },
    { "server", 0, OPTION_TEXT, offsetof(struct args, made.access.server), "URL",
      "The barod that knows the job by its id; default: BARO_SERVER, "
      "or " CLIENT_SERVER_DEFAULT },
    { "cluster", 'c', OPTION_TEXT, offsetof(struct args, made.cluster), "NAME",
      "Of the job; default: any." },
    SERIES_OPTIONS(struct args, made.access),
    CLOCK_LIST_OPTION(offsetof(struct args, made.clocks)),
    { "site", 0, OPTION_TEXT, offsetof(struct args, made.site), "FILE",
      "What the site's file systems are called, and whose series are whose." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "csv|hdf5",
      "csv (default) or hdf5." },
    { "into", 'i', OPTION_TEXT, offsetof(struct args, into), "FILE.hdf5",
      "The file to write, in the TOKIO layout; it is replaced when all is there." },
};

const struct command cmd_job_slice = {
    .name = "job slice",
    .operands = "LOG|JOBID",
    .help = "What the servers did while a job ran, step by step, as CSV or HDF5.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .prints_data = true,
    .details = "The window is that of the job's summary: its seconds, and one step "
               "more. What\nwas not measured is an empty value in CSV, and missing in "
               "HDF5.\n\n"
               "Example: baro job slice job.darshan -s day.hdf5 --into job.hdf5",
};
