/* SPDX-License-Identifier: Apache-2.0 */
/* job_list - baro job list: which jobs ran when and where, out of a batch system's
 * text.
 */
#include "base/clock.h"
#include "base/span.h"
#include "base/table/table.h"
#include "base/timetext.h"
#include "client/job/job.h"
#include "cmd/commands.h"
#include "cmd/warning.h"
#include "report/report.h"

#include <sys/ioctl.h>

struct args {
    struct client_args client; /* first: --server and its like */
    const char *id;
    const char *cluster;
    const char *node;
    const char *user;
    int64_t last_ns;
    const char *from;
    const char *to;
    struct job_files_args files;
    bool load;
    bool nodes;
    const char *output;
};

static void list_table(const struct args *args, const struct job_query *query,
                       const struct job_list *list, const struct table *io,
                       struct table *table)
{
    const struct job_list_table_opts opts = {
        .query = *query,
        .id = args->id,
        .has_window = args->from || args->to || args->node || args->last_ns,
        .has_to = args->to != NULL || args->last_ns,
        .io = io->column_count ? io : NULL,
        .names_nodes = args->nodes,
    };
    job_list_table(list, &opts, table);
}

static int misuse(const char *option, const char *value, const char *wanted)
{
    fprintf(stderr, "baro job list: --%s: '%s' is not %s\n", option, value, wanted);
    return -EINVAL;
}

static int fill_query(const struct args *args, struct job_query *query,
                      enum table_form *form)
{
    const char *time = "a time (2026-11-21T06:00Z, -2h, now, @SECONDS)";
    int64_t now_ns = clock_now_ns();
    if (args->output && table_form_parse(span_of(args->output), form) < 0)
        return misuse("output", args->output, "one of table, json, csv");
    if (args->from &&
        timetext_parse_user(span_of(args->from), now_ns, &query->from_ns) < 0)
        return misuse("from", args->from, time);
    if (args->to && timetext_parse_user(span_of(args->to), now_ns, &query->to_ns) < 0)
        return misuse("to", args->to, time);
    if (args->last_ns && args->from)
        return misuse("last", args->from, "needed with --from: give one of them");
    if (args->last_ns && !args->to)
        query->to_ns = now_ns;
    if (args->last_ns)
        query->from_ns = query->to_ns - args->last_ns;
    query->user = args->user ? span_of(args->user) : (struct span){ 0 };
    query->cluster = span_of(args->cluster ? args->cluster : "");
    query->node = span_of(args->node ? args->node : "");
    return 0;
}

static int print(const struct table *table, enum table_form form)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct winsize size = { 0 };
    bool is_terminal =
        isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    const struct table_print_opts opts = { .width = is_terminal ? size.ws_col : 0,
                                           .colour = is_terminal,
                                           .raw_units = form != TABLE_FORM_TABLE };
    table_print(table, form, &opts, &out);
    if (table_error(table) || strbuf_error(&out) ||
        fwrite(strbuf_text(&out), 1, out.size, stdout) != out.size || fflush(stdout))
        return -EIO;
    return 0;
}

static int list_read(const struct args *args, struct job_files *files, const char *name,
                     const struct job_query *query, struct job_list *list,
                     struct err *err)
{
    const struct job_files_filter wish = {
        .id = args->id,
        .cluster = args->cluster,
        .node = args->node,
        .user = args->user,
        .from_ns = query->from_ns == INT64_MIN ? JOB_TIME_NONE : query->from_ns,
        .to_ns = query->to_ns == INT64_MAX ? JOB_TIME_NONE : query->to_ns,
    };
    return client_endpoint_is_server(name)
               ? job_files_query(files, name, &args->client.endpoint, &wish, list, err)
               : job_files_read(files, name, list, err);
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    struct job_files files;
    struct job_list list;
    struct job_query query = { .from_ns = INT64_MIN, .to_ns = INT64_MAX };
    enum table_form form = TABLE_FORM_TABLE;
    AUTO(table_done) struct table table;
    AUTO(table_done) struct table io;
    struct err err = { 0 };
    table_init(&table);
    table_init(&io);
    if (fill_query(args, &query, &form) < 0)
        return EXIT_USAGE;
    args->files.log = warning_print_line;
    const char *usual = getenv("BARO_SERVER");
    bool has_server = args->client.endpoint.server || (usual && *usual);
    if (operand_count == 0 && !has_server)
        (void)err_set(&err, EINVAL, "at least one FILE is wanted, or --server");
    if ((operand_count == 0 && !has_server) ||
        job_files_init(&files, &args->files, &err) < 0) {
        fprintf(stderr, "baro job list: %s\n", err.text);
        return EXIT_USAGE;
    }
    job_list_init(&list);
    int rc = 0;
    for (int i = 0; rc == 0 && i < operand_count; i++)
        rc = list_read(args, &files, operands[i], &query, &list, &err);
    if (operand_count == 0)
        rc = list_read(args, &files, "barod", &query, &list, &err);
    if (rc == 0 && operand_count <= 1 && !args->load &&
        job_io_query(operand_count ? operands[0] : "barod", &args->client.endpoint,
                     args->user, query.from_ns, query.to_ns, &io, &err) < 0)
        fprintf(stderr, "baro job list: what the jobs read and wrote: %s\n", err.text);
    if (rc == 0 && args->load)
        job_load_table(&list, &query, &table);
    else if (rc == 0)
        list_table(args, &query, &list, &io, &table);
    job_list_done(&list);
    if (rc == 0 && print(&table, form) < 0)
        rc = err_set(&err, EIO, "the output could not be written");
    if (rc < 0)
        fprintf(stderr, "baro job list: %s\n", err.text);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "id", 'i', OPTION_TEXT, offsetof(struct args, id), "JOB",
      "Only the last run of this job." },
    { "cluster", 'c', OPTION_TEXT, offsetof(struct args, cluster), "NAME",
      "Only jobs of this cluster." },
    { "node", 'n', OPTION_TEXT, offsetof(struct args, node), "HOST",
      "Only jobs that ran on this node." },
    { "user", 'u', OPTION_TEXT, offsetof(struct args, user), "USER",
      "Only jobs of this user: a name or a number." },
    { "last", 0, OPTION_DURATION, offsetof(struct args, last_ns), "DURATION",
      "Only jobs that ran within this time before --to, or now: 7d." },
    { "from", 'f', OPTION_TIME, offsetof(struct args, from), "TIME",
      "Only jobs that ran at or after TIME." },
    { "to", 't', OPTION_TIME, offsetof(struct args, to), "TIME",
      "Only jobs that ran before TIME." },
    { "load", 'l', OPTION_FLAG, offsetof(struct args, load), NULL,
      "One row: how many jobs, nodes and node-hours." },
    { "nodes", 0, OPTION_FLAG, offsetof(struct args, nodes), NULL,
      "Name each node, in place of sets." },
    { "format", 'F', OPTION_TEXT, offsetof(struct args, files.format), "FORMAT",
      "auto (default), sacct, csv, pbs-log, json or json-lines." },
    { "map", 'm', OPTION_LIST, offsetof(struct args, files.map), "FIELD=NAME",
      "In JSON and CSV, what a field is called there; may be repeated." },
    { "zone", 'z', OPTION_TEXT, offsetof(struct args, files.zone), "OFFSET",
      "Of times without one: +01:00; default: such rows are refused." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORM",
      "table (default), json or csv." },
    CLIENT_SERVER_OPTIONS,
};

const struct command cmd_job_list = {
    .name = "job list",
    .operands = "[FILE|barod]...",
    .help =
        "Which jobs ran when and where: from Slurm, PBS, Flux, or any by JSON or CSV.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
};
