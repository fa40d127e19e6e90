/* SPDX-License-Identifier: Apache-2.0 */
/* summarize - baro job summarize: each job's log and what was around it, as a row. */
#include "base/span.h"
#include "client/job/job.h"
#include "cmd/commands.h"
#include "cmd/progress_line.h"
#include "cmd/warning.h"
#include "report/report.h"

#define WHO "baro job summarize"

struct args {
    struct job_sources_opts made;
    const char *output;
    const char *into;
    const char *resume;
    bool again;
    uint64_t workers;
    int64_t log_time_max_ns;
};

/* Where rows go, and what a person sees of it. */
struct output {
    struct job_summary_writer writer;
    struct progress_line line;
};

static void summary_row_print(void *arg, const struct job_context *context,
                              bool is_stored, struct strbuf *out)
{
    const struct output *output = arg;
    job_summary_writer_print(&output->writer, context, is_stored, out);
}

static int summary_row_add(void *arg, struct span row, struct err *err)
{
    struct output *output = arg;
    return job_summary_writer_add(&output->writer, row, err);
}

static void summary_progress_print(void *arg, size_t done, size_t count)
{
    struct output *output = arg;
    progress_line_print(&output->line, done, count);
}

/* What goes together; reports what does not. */
static bool summarize_args_check(const struct args *args, int operand_count,
                                 enum job_summary_form *ret)
{
    const char *form = args->output               ? args->output
                       : args->resume             ? "csv"
                       : args->made.access.server ? "none"
                                                  : "table";
    if (operand_count == 0 || job_summary_form_parse(form, ret) < 0 ||
        (args->resume && *ret != JOB_SUMMARY_CSV)) {
        fprintf(stderr, WHO ": wants at least one LOG, and as --output "
                            "csv, json, table, xlsx or none; with --resume csv\n");
        return false;
    }
    if ((*ret == JOB_SUMMARY_XLSX) != (args->into != NULL)) {
        fprintf(stderr, WHO ": --output xlsx and --into FILE go "
                            "together\n");
        return false;
    }
    return true;
}

static int summaries_write(const struct args *args, char **operands, size_t count,
                           struct output *output, struct job_summary_counts *ret,
                           struct err *err)
{
    const struct job_summary_run_opts opts = {
        .sources = &args->made,
        .resume = args->resume,
        .again = args->again,
        .workers = args->workers,
        .log_time_max_ns = args->log_time_max_ns,
        .arg = output,
        .print = summary_row_print,
        .row = summary_row_add,
        .progress = summary_progress_print,
    };
    size_t cut = 0;
    int rc = job_summary_run(&opts, operands, count, ret, err);
    if (rc == 0 && !args->resume)
        rc = job_summary_writer_finish(&output->writer, &cut, err);
    if (cut > 0)
        fprintf(stderr, WHO ": %s: %zu texts were longer than a cell may be\n",
                args->into, cut);
    return rc;
}

static int job_summarize_run(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    enum job_summary_form form;
    struct err err = { 0 };
    struct job_summary_counts counts = { 0 };
    struct output output = { 0 };
    args->made.access.log = warning_print;
    if (!summarize_args_check(args, operand_count, &form))
        return EXIT_USAGE;
    progress_line_begin(&output.line, "logs");
    int rc = job_summary_writer_open(form, stdout, args->into, &output.writer, &err);
    if (rc == 0)
        rc = summaries_write(args, operands, (size_t)operand_count, &output, &counts,
                             &err);
    job_summary_writer_done(&output.writer);
    progress_line_end(&output.line);
    if (rc < 0 && err.text[0])
        fprintf(stderr, WHO ": %s\n", err.text);
    if (rc < 0)
        return err_exit_status(rc);
    return counts.lost > 0 || counts.unread > 0 ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "series", 's', OPTION_LIST, offsetof(struct args, made.series), "FILE",
      "What the servers measured meanwhile: TOKIO HDF5, h5lmt, a copy of an LMT "
      "database in SQLite, or barod or its address; may be repeated." },
    { "health", 'H', OPTION_LIST, offsetof(struct args, made.health), "FILE|DIRECTORY",
      "Stored output of lfs df and lctl dl -t, BEGIN before each, or the "
      "directory of baro health record; may be repeated." },
    { "health-age-max", 0, OPTION_DURATION,
      offsetof(struct args, made.health_age_max_ns), "DURATION",
      "How old the last reading before a job may be; default: 1h." },
    { "jobs", 'j', OPTION_LIST, offsetof(struct args, made.jobs), "FILE",
      "What else ran, in any form that baro job list reads; may be repeated." },
    { "cluster", 'c', OPTION_TEXT, offsetof(struct args, made.cluster), "NAME",
      "Of the jobs; default: the job's own." },
    { "topology", 't', OPTION_LIST, offsetof(struct args, made.topology), "FILE",
      "Where the jobs' nodes stand and what they reach storage through: xtdb2proc's "
      "text, or lines 'NODES X Y Z' and 'NODES via GATEWAYS'; may be repeated." },
    CLOCK_LIST_OPTION(offsetof(struct args, made.clocks)),
    SERIES_OPTIONS(struct args, made.access),
    { "site", 0, OPTION_TEXT, offsetof(struct args, made.site), "FILE",
      "What the site's file systems are called, where they are mounted, and their "
      "peaks." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output),
      "table|csv|json|xlsx|none",
      "table (default), csv, json, xlsx, or none (default with --server)." },
    { "into", 'i', OPTION_TEXT, offsetof(struct args, into), "FILE.xlsx",
      "The workbook to write; with --output xlsx." },
    { "server", 0, OPTION_TEXT, offsetof(struct args, made.access.server), "URL",
      "Put each row into this barod's database, too, and pass over logs that have one "
      "there; and what 'barod' means as --series and --jobs." },
    { "again", 0, OPTION_FLAG, offsetof(struct args, again), NULL,
      "With --server or --resume do not pass over any log." },
    { "resume", 'r', OPTION_TEXT, offsetof(struct args, resume), "FILE",
      "Append rows to this CSV file, and pass over logs that have one." },
    { "workers", 'w', OPTION_LIMIT, offsetof(struct args, workers), "N",
      "Processes that read logs; default: one a processor." },
    { "log-time-max", 0, OPTION_DURATION, offsetof(struct args, log_time_max_ns),
      "DURATION", "Give up a log that takes longer; default: 5m." },
};

const struct command cmd_job_summarize = {
    .name = "job summarize",
    .operands = "LOG|DIRECTORY|JOBID...",
    .help = "Each job's Darshan log, and what its file system did meanwhile, as a row.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = job_summarize_run,
    .details =
        "Of a directory, and of those in it, all files named *.darshan. Rows are in "
        "the\n"
        "order of the logs, whatever the number of workers. A log that cannot be read, "
        "or\n"
        "at which a worker crashes or hangs, is named, and costs its own row only.\nOf "
        "an id the row is shown that barod has.",
};
