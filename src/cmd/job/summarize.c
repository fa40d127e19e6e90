/* SPDX-License-Identifier: Apache-2.0 */
/* job_summarize - baro job summarize: each job's log and what was around it, as a row.
 */
#include "base/span.h"
#include "client/job/job.h"
#include "cmd/commands.h"
#include "cmd/job/summary_out.h"
#include "cmd/warning.h"

struct args {
    struct job_sources_opts made;
    const char *output;
    const char *into;
    const char *resume;
    bool again;
    uint64_t workers;
    int64_t log_time_max_ns;
};

/* All that one run of the command holds. */
struct summarizing {
    const struct args *args;
    struct client_endpoint endpoint;
    struct job_sources sources;
    char **ids; /* of jobs whose stored summaries are wanted */
    size_t id_count;
    struct log_list logs;      /* those that have no row yet */
    struct hashmap known;      /* logs that the barod has a summary of */
    struct job_csv_file table; /* with --resume */
    struct job_server *server;
    struct job_summary_out out;
    size_t unread; /* directories */
};

static bool is_known(void *arg, const char *log)
{
    const struct summarizing *s = arg;
    return job_csv_file_has(&s->table, log) || hashmap_get(&s->known, span_of(log));
}

/* Logs and directories from ids, each kind in its order; those that have a row already
 * are passed over. */
static int operands_sort(struct summarizing *s, int count, char **operands,
                         struct err *err)
{
    AUTO_FREE char **paths = calloc((size_t)count + 1, sizeof *paths);
    size_t path_count = 0;
    s->ids = calloc((size_t)count + 1, sizeof *s->ids);
    if (!paths || !s->ids)
        return err_set(err, ENOMEM, "out of memory");
    for (int i = 0; i < count; i++)
        if (job_operand_is_log(operands[i]))
            paths[path_count++] = operands[i];
        else
            s->ids[s->id_count++] = operands[i];
    return log_list_make(paths, path_count, &s->logs, &s->unread, warning_print, NULL,
                         err);
}

static int server_open(struct summarizing *s, struct err *err)
{
    int rc = job_server_open(&s->endpoint, &s->server, err);
    if (rc < 0)
        return rc;
    job_server_set_log(s->server, warning_print, NULL);
    rc = log_list_resolve(&s->logs, err);
    return rc < 0 ? rc
                  : job_server_logs(s->server, s->args->made.cluster, &s->known, err);
}

static int all_open(struct summarizing *s, int count, char **operands, struct err *err)
{
    const struct args *args = s->args;
    int rc = args->resume ? job_csv_file_open(&s->table, args->resume, err) : 0;
    if (rc == 0)
        rc = job_summary_out_open(&s->out, args->into, err);
    if (rc == 0)
        rc = job_sources_open(&args->made, &s->sources, err);
    if (rc == 0)
        rc = operands_sort(s, count, operands, err);
    if (rc == 0 && s->endpoint.server && s->logs.count > 0)
        rc = server_open(s, err);
    if (rc < 0 || args->again || !(s->server || args->resume))
        return rc;
    size_t all = s->logs.count;
    size_t dropped = log_list_drop(&s->logs, is_known, s);
    if (dropped > 0)
        fprintf(stderr, "baro: %zu of %zu logs had a row already\n", dropped, all);
    return 0;
}

/* The summaries that a barod has of jobs called by their ids. */
static int ids_print(struct summarizing *s, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < s->id_count && rc == 0; i++) {
        AUTO(job_operand_done) struct job_operand job = { 0 };
        rc =
            job_operand_find(&s->endpoint, s->args->made.cluster, s->ids[i], &job, err);
        if (rc == 0)
            rc = job_summary_out_stored(&s->out, &job.stored, err);
        if (rc != -ENOENT)
            continue;
        fprintf(stderr, "baro: %s\n", err->text);
        *err = (struct err){ 0 };
        s->out.lost++;
        rc = 0;
    }
    (void)fflush(stdout);
    return rc;
}

static int all_run(struct summarizing *s, struct err *err)
{
    s->out.server = s->server;
    s->out.table = s->args->resume ? &s->table : NULL;
    s->out.count = s->logs.count;
    const struct job_summarize_opts opts = { .inputs = &s->sources.inputs,
                                             .logs = s->logs.paths,
                                             .count = s->logs.count,
                                             .workers = s->args->workers,
                                             .log_time_max_ns =
                                                 s->args->log_time_max_ns,
                                             .wants_lines = s->server != NULL,
                                             .arg = &s->out,
                                             .print = job_summary_out_form,
                                             .result = job_summary_out_result };
    (void)fflush(stdout);
    int rc = ids_print(s, err);
    if (rc == 0)
        rc = job_summarize(&opts, err);
    return job_summary_out_end(&s->out, rc, err);
}

/* What goes together; reports what does not. */
static bool args_check(const struct args *args, int operand_count,
                       enum job_summary_form *ret)
{
    const char *form = args->output            ? args->output
                       : args->resume          ? "csv"
                       : args->made.way.server ? "none"
                                               : "table";
    if (operand_count == 0 || job_summary_form_parse(form, ret) < 0 ||
        (args->resume && *ret != JOB_SUMMARY_CSV)) {
        fprintf(stderr, "baro: job summarize wants at least one LOG, and as --output "
                        "csv, json, table, xlsx or none; with --resume csv\n");
        return false;
    }
    if ((*ret == JOB_SUMMARY_XLSX) != (args->into != NULL)) {
        fprintf(stderr, "baro: job summarize: --output xlsx and --into FILE go "
                        "together\n");
        return false;
    }
    return true;
}

static int job_summarize_run(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    const struct series_opts *way = &args->made.way;
    struct summarizing s = { .args = args,
                             .endpoint = { .server = way->server,
                                           .token_file = way->token_file,
                                           .ca_file = way->ca_file },
                             .table = { .fd = -1 } };
    struct err err = { 0 };
    args->made.way.log = warning_print;
    if (!args_check(args, operand_count, &s.out.form))
        return EXIT_USAGE;
    s.sources.opts = &args->made; /* to be done with, whatever happens */
    int rc = all_open(&s, operand_count, operands, &err);
    if (rc == 0)
        rc = all_run(&s, &err);
    if (rc < 0 && err.text[0])
        fprintf(stderr, "baro: %s\n", err.text);
    job_sources_done(&s.sources);
    log_list_done(&s.logs);
    hashmap_done(&s.known);
    job_csv_file_done(&s.table);
    job_server_close(s.server);
    free(s.ids);
    job_summary_out_done(&s.out);
    if (rc < 0)
        return err_exit_status(rc);
    return s.out.lost > 0 || s.unread > 0 ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "series", 's', OPTION_LIST, offsetof(struct args, made.series), "FILE",
      "What the servers measured meanwhile: TOKIO HDF5, h5lmt, a copy of an LMT "
      "database in SQLite, or barod or its address; may be repeated." },
    { "health", 'H', OPTION_LIST, offsetof(struct args, made.health), "FILE|DIRECTORY",
      "How the file system was: kept lfs df and lctl dl -t, BEGIN before each, or the "
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
    SERIES_OPTIONS(struct args, made.way),
    { "site", 0, OPTION_TEXT, offsetof(struct args, made.site), "FILE",
      "What the site's file systems are called, where they are mounted, and their "
      "peaks." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORMAT",
      "table (default), csv, json, xlsx, or none (default with --server)." },
    { "into", 'i', OPTION_TEXT, offsetof(struct args, into), "FILE.xlsx",
      "The workbook to write; with --output xlsx." },
    { "server", 0, OPTION_TEXT, offsetof(struct args, made.way.server), "URL",
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
