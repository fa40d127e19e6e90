/* SPDX-License-Identifier: Apache-2.0 */
/* job_show - baro job show: one page about one run, for a person. */
#include "base/terminal/wrap.h"
#include "client/climate/climate.h"
#include "client/job/job.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/warning.h"
#include "report/report.h"

#include <sys/stat.h>

struct args {
    struct client_args client; /* the servers' rows; also --output */
    bool line;
    struct job_gather_args around;
};

/* A page for a person, as wide as it is read. */
static void text_print(const struct job_assessment *page, const struct job_stored *job,
                       struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (page->has_run)
        job_page_print_text(page, &text);
    else
        job_stored_print_text(job, page, &text);
    wrap_lines(strbuf_span(&text), wrap_columns(STDOUT_FILENO), out);
    if (strbuf_error(&text) < 0)
        out->error = -ENOMEM;
}

/* Of a log that is not here its summary speaks. */
static int page_print(const struct job_assessment *page,
                      const struct job_operand *operand, const struct args *args,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const char *form = args->client.output;
    const struct job_stored job = { operand->text, &operand->stored,
                                    operand->unreadable_errno };
    bool is_json = form && strcmp(form, "json") == 0;
    if (form && !is_json && strcmp(form, "text") != 0)
        return err_set(err, EINVAL, "--output: '%s' is neither text nor json", form);
    if (is_json && page->has_run)
        job_page_print_json(page, &out);
    else if (is_json)
        job_stored_print_json(&job, page, &out);
    else if (args->line && page->has_run)
        job_page_print_line(page, &out);
    else if (args->line)
        job_stored_print_line(&job, page, &out);
    else
        text_print(page, &job, &out);
    return strbuf_error(&out) < 0 ? err_set(err, ENOMEM, "out of memory")
                                  : output_print(&out, err);
}

/* The servers' rows, where somebody is named who has them.  Nothing known of a job is
 * no failure: its file system may be another one.  Nor is it one that nobody answers at
 * the environment's address: the page was asked for, not the servers. */
static int servers_request(const struct args *args, struct job_operand *job,
                           struct job_assessment *page, struct err *err)
{
    struct job_endpoint endpoint = { .endpoint = &args->client.endpoint };
    const struct job_inputs inputs = job_endpoint_inputs(&endpoint);
    struct err why = { 0 };
    const char *usual = getenv("BARO_SERVER");
    bool is_named = args->client.endpoint.server || args->client.endpoint.records;
    if (!is_named && !job->is_stored && !(usual && *usual))
        return 0;
    int rc = job_build_servers(&inputs, &page->run, &job->of_log, &why);
    if (rc < 0 && is_named)
        return err_set(err, -rc, "%s", why.text);
    if (job->of_log.has_servers)
        page->servers = &job->of_log.servers;
    else
        fprintf(stderr, "baro job show: nothing from the servers: %s\n",
                rc < 0 ? why.text : job->of_log.servers_refused);
    return 0;
}

/* Of a job without a log that is known here: all that the barod knows. */
static int served_print(const struct args *args, const char *id, struct err *err)
{
    AUTO(strbuf_done) struct strbuf page = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf wrapped = STRBUF_INIT;
    const char *form = args->client.output ? args->client.output
                       : args->line        ? "line"
                                           : "text";
    int rc = job_served_page(&args->client.endpoint, args->around.sources.cluster, id,
                             form, &page, err);
    if (rc < 0 || strcmp(form, "text") != 0)
        return rc < 0 ? rc : output_print(&page, err);
    wrap_lines(strbuf_span(&page), wrap_columns(STDOUT_FILENO), &wrapped);
    return output_print(&wrapped, err);
}

static int run_load(const struct args *args, struct job_operand *job,
                    struct job_assessment *page, struct err *err)
{
    struct stat st;
    if (stat(job->log, &st) == 0 && S_ISDIR(st.st_mode))
        return err_set(err, EISDIR,
                       "%s is a directory: 'baro job summarize' reads all logs in it",
                       job->log);
    int rc = job_operand_read(job, err);
    if (rc < 0)
        return rc;
    page->run = job->run;
    page->has_run = true;
    return servers_request(args, job, page, err);
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    struct err err = { 0 };
    AUTO(job_operand_done) struct job_operand job = { 0 };
    AUTO(job_gather_done) struct job_gather gather = { 0 };
    AUTO(job_assessment_done) struct job_assessment page = { 0 };
    /* --series barod is the one that the rows are asked of, too. */
    struct job_gather_args around = args->around;
    around.sources.access.server = args->client.endpoint.server;
    around.sources.access.token_file = args->client.endpoint.token_file;
    around.sources.access.ca_file = args->client.endpoint.ca_file;
    around.sources.access.log = warning_print;
    around.map_default = RUNS_MAP_DEFAULT;
    if (operand_count != 1) {
        fprintf(stderr, "baro job show: one job is wanted: LOG or JOBID "
                        "(baro job show --help)\n");
        return EXIT_USAGE;
    }
    int rc = job_operand_find(&args->client.endpoint, around.sources.cluster,
                              operands[0], &job, &err);
    bool is_served = job_is_served(&args->client.endpoint, operands[0], rc);
    if (is_served && (rc = served_print(args, operands[0], &err)) == 0)
        return EXIT_OK;
    if (rc == 0 && job.summaries_count > 1)
        fprintf(stderr, "baro job show: job %s has %zu logs; of the last: %s\n",
                operands[0], job.summaries_count, job.log);
    if (rc == 0 && job.is_readable)
        rc = run_load(args, &job, &page, &err);
    if (rc == 0)
        rc = job_gather(&around, &job, 1, &gather, &page.comparison, &err);
    if (rc == 0)
        job_assess(&page);
    if (rc == 0)
        rc = page_print(&page, &job, args, &err);
    if (rc == 0)
        return EXIT_OK;
    fprintf(stderr, "baro job show: %s\n", err.text);
    return err_exit_status(rc);
}

static const struct option options[] = {
    { "line", 'l', OPTION_FLAG, offsetof(struct args, line), NULL,
      "One line, for the comment that an epilog writes to a job." },
    CLIENT_SERVER_OPTIONS,
    { "records", 0, OPTION_TEXT, CLIENT_FIELD(endpoint.records), "DATABASE",
      "Read a database without a daemon: SQLite's file, or PostgreSQL's connection "
      "string." },
    JOB_GATHER_OPTIONS(struct args, around),
    { "output", 'o', OPTION_TEXT, CLIENT_FIELD(output), "FORMAT",
      "text (default) or json." },
};

const struct command cmd_job_show = {
    .name = "job show",
    .operands = "LOG|JOBID",
    .help = "What a run did, how fast, and what stands out, on one page.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
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
