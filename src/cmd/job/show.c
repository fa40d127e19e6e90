/* SPDX-License-Identifier: Apache-2.0 */
/* job_show - baro job show: one page about one run, for a person. */
#include "client/page/page.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"
#include "cmd/warning.h"

static int args_check(const struct job_show_args *args, struct err *err)
{
    /* For the accounting of the batch system: of the record and its nodes alone, which
     * a barod has. */
    if (args->comment && (strcmp(args->comment, "js1") != 0 || args->client.output ||
                          args->line || args->follow))
        return err_set(err, EINVAL,
                       "--comment: choose js1, without --output, --line and --follow");
    if (args->step && (args->comment || args->follow))
        return err_set(err, EINVAL, "--step: without --comment and --follow");
    if (args->interval_ns && !args->follow)
        return err_set(err, EINVAL, "--interval: it needs --follow");
    return 0;
}

static void stderr_print(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "baro job show: %s\n", text);
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    const struct job_show_args *args = args_arg;
    AUTO(strbuf_done) struct strbuf page = STRBUF_INIT;
    struct err err = { 0 };
    if (operand_count != 1) {
        fprintf(stderr, "baro job show: one job is wanted: LOG or JOBID "
                        "(baro job show --help)\n");
        return EXIT_USAGE;
    }
    int rc = args_check(args, &err);
    if (rc == 0 && args->follow)
        rc = job_follow(&(struct job_follow_opts){ .args = args,
                                                   .operand = operands[0],
                                                   .print = output_print,
                                                   .log = stderr_print },
                        &err);
    else if (rc == 0)
        rc = job_page_make(args, operands[0], warning_print, &page, &err);
    if (rc == 0)
        rc = output_print(&page, &err);
    return rc < 0 ? request_failed("job show", rc, &err) : EXIT_OK;
}

static const struct option options[] = {
    { "line", 'l', OPTION_FLAG, offsetof(struct job_show_args, line), NULL,
      "One line, for the comment that an epilog writes to a job." },
    { "follow", 'f', OPTION_FLAG, offsetof(struct job_show_args, follow), NULL,
      "Again and again, until the job ends, or Ctrl-C; then its last page." },
    { "interval", 0, OPTION_DURATION, offsetof(struct job_show_args, interval_ns),
      "DURATION", "How often, with --follow; default 30s." },
    { "comment", 0, OPTION_TEXT, offsetof(struct job_show_args, comment), "FORM",
      "js1: what it used, as an AdminComment that jobstats and reportseff read." },
    { "step", 0, OPTION_TEXT, offsetof(struct job_show_args, step), "STEP",
      "Only this step of the job: its time, its nodes, what falls into it." },
    CLIENT_SERVER_OPTIONS,
    { "records", 0, OPTION_TEXT, CLIENT_FIELD(endpoint.records), "DATABASE",
      "Read a database without a daemon: SQLite's file, or PostgreSQL's connection "
      "string." },
    JOB_GATHER_OPTIONS(struct job_show_args, around),
    { "findings", 0, OPTION_TEXT, offsetof(struct job_show_args, findings), "CONFIG",
      "Findings and applications of the site: a barod.conf, see baro job findings." },
    { "output", 'o', OPTION_TEXT, CLIENT_FIELD(output), "text|json|html",
      "text (default), json, or html: one page for a browser." },
};

const struct command cmd_job_show = {
    .name = "job show",
    .operands = "LOG|JOBID",
    .help = "What a run did, how fast, and what stands out, on one page.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct job_show_args),
    .run = run_command,
    .details =
        "Reads a Darshan log. The id of a job stands for the log that its summary in\n"
        "barod names, for that summary, and for the climate of all summaries there.\n"
        "Of a job without a log it shows what the server knows: record, nodes, rows.\n"
        "With --server or --records it also shows what the Lustre servers counted of "
        "the\n"
        "job, and who else was on its targets meanwhile.\n"
        "\n"
        "A finding is printed with what it cost, its evidence, the threshold and the "
        "number\n"
        "n it is made of. The thresholds are rules of thumb: a finding states what "
        "the run\n"
        "did, not that this is the reason of its speed.\n"
        "\n"
        "With --series, --health and --jobs it shows what the file system did "
        "meanwhile,\n"
        "with --climate and --map what of all that was unusual for a run of its kind.\n"
        "\n" FINDING_RATES "\n"
        "\n"
        "Examples: baro job show job.darshan -S day.hdf5 -C runs.csv -m jobs.conf\n"
        "          baro job show --server unix:/run/barograph/barod.sock 4711",
};
