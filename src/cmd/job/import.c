/* SPDX-License-Identifier: Apache-2.0 */
/* job_import - baro job import: lists of jobs of any batch system as one, in one form.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/system/lockfile.h"
#include "client/job/job.h"
#include "cmd/commands.h"
#include "cmd/job/submit.h"
#include "cmd/output.h"
#include "cmd/warning.h"

#include <fcntl.h>

struct args {
    struct client_args client; /* first: --server and its like */
    struct job_files_args files;
    const char *into;
    int64_t keep_ns; /* 0: for ever */
};

/* Two that write at once would each lose what the other read. */
static int lock_beside(const char *path, int *ret_fd, struct err *err)
{
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    strbuf_addf(&name, "%s.lock", path);
    if (strbuf_error(&name) < 0)
        return err_set(err, ENOMEM, "memory is out");
    int rc = lockfile_take(strbuf_text(&name), ret_fd, err);
    return rc == -EBUSY ? err_prefix(err, rc, "another import runs") : rc;
}

static void print_jobs(const struct job_list *list, int64_t since_ns,
                       struct strbuf *out)
{
    for (size_t i = 0; i < list->count; i++)
        if (job_lasts_since(&list->jobs[i], since_ns))
            job_line_print(&list->jobs[i], out);
}

/* The jobs that were there are read again, in our own form, before the new ones. */
static int read_known(const struct args *args, struct job_list *list, struct err *err)
{
    const struct job_files_args ours = { .format = "json-lines",
                                         .log = warning_print_line };
    struct job_files files;
    if (!args->into || access(args->into, F_OK) < 0)
        return 0;
    int rc = job_files_init(&files, &ours, err);
    if (rc == 0)
        rc = job_files_read(&files, args->into, list, err);
    if (rc == 0 && list->fault_count > 0)
        return err_set(err, EINVAL,
                       "%s: is not what baro job import wrote: it is left alone",
                       args->into);
    return rc;
}

/* What --into and --server leave open. */
static void choose_output(struct args *args)
{
    const char *usual = getenv("BARO_SERVER");
    if (args->into && strcmp(args->into, "-") == 0)
        args->into = NULL;
    else if (!args->into && !args->client.endpoint.server && usual && *usual)
        args->client.endpoint.server = usual;
}

static int import(const struct args *args, struct job_files *files, char **paths,
                  int count, struct err *err)
{
    AUTO(job_list_done) struct job_list list;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO_CLOSE int lock_fd = -1;
    job_list_init(&list);
    int rc = args->into ? lock_beside(args->into, &lock_fd, err) : 0;
    if (rc == 0)
        rc = read_known(args, &list, err);
    size_t known = list.count;
    for (int i = 0; rc == 0 && i < count; i++)
        rc = job_files_read(files, paths[i], &list, err);
    if (rc < 0)
        return rc;
    if (list.count == known && list.fault_count > 0)
        return err_set(err, EBADMSG, "%s: none of %llu lines or jobs could be read",
                       count == 1 ? paths[0] : "all files",
                       (unsigned long long)list.fault_count);
    int64_t since_ns = args->keep_ns > 0 ? clock_now_ns() - args->keep_ns : INT64_MIN;
    if (!args->client.endpoint.server)
        print_jobs(&list, since_ns, &out);
    if (strbuf_error(&out) < 0)
        return err_set(err, ENOMEM, "memory is out");
    if (args->client.endpoint.server)
        rc = jobs_submit(&args->client.endpoint, &list, since_ns, err);
    else if (args->into)
        rc = file_replace(args->into, strbuf_text(&out), out.size, 0640, err);
    else
        rc = output_print(&out, err);
    if (rc == 0 && args->into)
        fprintf(stderr, "baro job import: %zu jobs, %zu of them new\n", list.count,
                list.count - known);
    if (rc == 0 && list.fault_count > 0)
        fprintf(stderr, "baro job import: %llu lines or jobs could not be read\n",
                (unsigned long long)list.fault_count);
    return rc;
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    struct job_files files;
    struct err err = { 0 };
    bool is_misused =
        operand_count == 0 || (args->into && args->client.endpoint.server);
    args->files.log = warning_print_line;
    if (is_misused)
        (void)err_set(&err, EINVAL,
                      "at least one FILE is wanted, and --into or --server, not both");
    if (is_misused || job_files_init(&files, &args->files, &err) < 0) {
        fprintf(stderr, "baro job import: %s\n", err.text);
        return EXIT_USAGE;
    }
    choose_output(args);
    if (import(args, &files, operands, operand_count, &err) == 0)
        return EXIT_OK;
    fprintf(stderr, "baro job import: %s\n", err.text);
    return EXIT_FAILED;
}

static const struct option options[] = {
    { "into", 'i', OPTION_TEXT, offsetof(struct args, into), "FILE",
      "Put the jobs to those of this file; - prints them, a line a job." },
    { "retention", 'r', OPTION_DURATION, offsetof(struct args, keep_ns), "DURATION",
      "Leave out jobs that ended longer ago; default: none." },
    { "format", 'F', OPTION_TEXT, offsetof(struct args, files.format),
      "auto|sacct|csv|pbs-log|json|json-lines",
      "auto (default), sacct, csv, pbs-log, json or json-lines." },
    { "map", 'm', OPTION_LIST, offsetof(struct args, files.map), "FIELD=NAME",
      "In JSON and CSV, what a field is called there; may be repeated." },
    { "zone", 'z', OPTION_TEXT, offsetof(struct args, files.zone), "ZONE",
      "Of times without one: +01:00, Europe/Berlin; default: this machine's." },
    { "server", 's', OPTION_TEXT, CLIENT_FIELD(endpoint.server), "URL",
      "Submit them to this barod, which stores them in its database; default: "
      "BARO_SERVER, and where that is not set they are printed." },
    { "token-file", 0, OPTION_TEXT, CLIENT_FIELD(endpoint.token_file), "FILE",
      "Access token file; default: BARO_TOKEN_FILE, or none." },
    { "ca-file", 0, OPTION_TEXT, CLIENT_FIELD(endpoint.ca_file), "FILE",
      "CA bundle for the server's certificate; default: the system's." },
};

const struct command cmd_job_import = {
    .name = "job import",
    .operands = "FILE...",
    .help = "Lists of jobs of any batch system as one, a line of JSON a job.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .details = "Reads what baro job list reads. A job that is imported again replaces "
               "the one\n"
               "stored before, so that the same list may be imported twice.",
    .prints_data = true,
};
