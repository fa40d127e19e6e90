/* SPDX-License-Identifier: Apache-2.0 */
/* job_list - baro job list: which jobs ran when and where, out of a batch system's
 * text; and which used least of what they were given. */
#include "base/clock.h"
#include "base/span.h"
#include "base/suggest.h"
#include "base/table/table.h"
#include "client/job/job.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/warning.h"
#include "report/report.h"

struct args {
    struct job_selection_args jobs; /* first: --server and its like */
    bool load;
    bool nodes;
    const char *worst;     /* the order; NULL: each run, in the order of the list */
    const char *footprint; /* columns; NULL: none */
    bool tasks;
    uint64_t limit;
    bool all;
};

static int list_table(const struct args *args, const struct job_query *query,
                      const struct job_list *list, const char *name,
                      struct table *table, struct err *err)
{
    AUTO(table_done) struct table io;
    table_init(&io);
    if (name && job_io_query(name, &args->jobs.client.endpoint, args->jobs.user,
                             query->from_ns, query->to_ns, &io, err) < 0)
        fprintf(stderr, "baro job list: what the jobs read and wrote: %s\n", err->text);
    const struct job_list_table_opts opts = {
        .query = *query,
        .id = args->jobs.id,
        .array = args->jobs.array,
        .has_window =
            args->jobs.from || args->jobs.to || args->jobs.node || args->jobs.last_ns,
        .has_to = args->jobs.to != NULL || args->jobs.last_ns,
        .io = io.column_count ? &io : NULL,
        .names_nodes = args->nodes,
    };
    job_list_table(list, &opts, table);
    return 0;
}

/* A row a job or array, the worst first. */
static int worst_table(const struct args *args, const struct job_query *query,
                       const struct job_list *list, enum job_usage_order order,
                       struct table *table, struct err *err)
{
    AUTO(job_usage_done) struct job_usage_list usage;
    const struct job *job;
    size_t cursor = 0;
    int rc = 0;
    uint64_t limit = args->limit > 0 ? args->limit : USAGE_TABLE_LIMIT_DEFAULT;
    job_usage_init(&usage);
    usage.are_tasks_apart = args->tasks;
    while (rc == 0 && (job = job_list_next(list, query, &cursor)))
        if (job_is_selected(job, args->jobs.id, args->jobs.array))
            rc = job_usage_add(&usage, job, clock_now_ns());
    if (rc < 0)
        return err_set(err, ENOMEM, "out of memory");
    job_usage_sort(&usage, order);
    usage_table(&usage, args->all ? 0 : (size_t)limit, table);
    return 0;
}

/* Of a barod alone, which joins runs with what it stored. */
static int footprints_table(const struct args *args, const struct job_query *query,
                            const char *name, struct table *table, struct err *err)
{
    const struct job_footprints_request request = {
        .columns = args->footprint,
        .worst = args->worst,
        .limit = args->all                         ? 0
                 : args->limit > 0 || !args->worst ? args->limit
                                                   : USAGE_TABLE_LIMIT_DEFAULT,
    };
    return job_selection_footprints(&args->jobs, query, name, &request, table, err);
}

static int footprint_args_check(const struct args *args, int operand_count,
                                struct err *err)
{
    const char *other = args->tasks                 ? "--tasks"
                        : args->load                ? "--load"
                        : args->nodes               ? "--nodes"
                        : args->all && !args->worst ? "--all, without --worst"
                        : operand_count > 1         ? "several barods"
                                                    : NULL;
    if (other)
        return err_set(err, EINVAL, "--footprint: it cannot be with %s", other);
    return run_metrics_check(args->footprint, args->worst, err);
}

static int args_check(const struct args *args, int operand_count,
                      enum job_usage_order *ret_order, struct err *err)
{
    if (operand_count == 0 && !job_selection_has_server(&args->jobs))
        return err_set(err, EINVAL, "at least one FILE is wanted, or --server");
    if (args->footprint)
        return footprint_args_check(args, operand_count, err);
    if (args->worst && job_usage_order_parse(span_of(args->worst), ret_order) < 0)
        return suggest_invalid(err, "--worst", span_of(args->worst), JOB_USAGE_ORDERS);
    if (!args->worst && (args->tasks || args->limit > 0 || args->all))
        return err_set(err, EINVAL, "%s: it needs --worst",
                       args->tasks       ? "--tasks"
                       : args->limit > 0 ? "--limit"
                                         : "--all");
    if (args->load && (args->jobs.id || args->jobs.array))
        return err_set(err, EINVAL, "--load: it cannot be with %s",
                       args->jobs.id ? "--id" : "--array");
    if (args->worst && (args->load || args->nodes))
        return err_set(err, EINVAL, "--worst: it cannot be with %s",
                       args->load ? "--load" : "--nodes");
    return 0;
}

static int job_list_run(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    AUTO(job_list_done) struct job_list list;
    AUTO(table_done) struct table table;
    enum job_usage_order order = JOB_USAGE_BY_CPU;
    struct job_query query;
    struct result_form form;
    struct err err = { 0 };
    job_list_init(&list);
    table_init(&table);
    args->jobs.files.log = warning_print_line;
    int rc = job_selection_parse(&args->jobs, &query, &err);
    if (rc == 0)
        rc = output_form(&form, args->jobs.client.output, args->jobs.client.raw, &err);
    if (rc == 0)
        rc = args_check(args, operand_count, &order, &err);
    if (rc < 0) {
        fprintf(stderr, "baro job list: %s\n", err.text);
        return EXIT_USAGE;
    }
    const char *name = operand_count == 0 ? "barod" : operands[0];
    if (!args->footprint)
        rc = job_selection_read(&args->jobs, &query, operand_count, operands, &list,
                                &err);
    if (rc == 0 && list.count == 0 && list.fault_count > 0)
        rc = err_set(&err, EBADMSG, "no line or job could be read");
    if (rc == 0 && args->footprint)
        rc = footprints_table(args, &query, name, &table, &err);
    else if (rc == 0 && args->load)
        job_load_table(&list, &query, &table);
    else if (rc == 0 && args->worst)
        rc = worst_table(args, &query, &list, order, &table, &err);
    else if (rc == 0)
        rc = list_table(args, &query, &list, operand_count <= 1 ? name : NULL, &table,
                        &err);
    if (rc == 0)
        rc = output_table(&table, &form, &err);
    if (rc < 0)
        fprintf(stderr, "baro job list: %s\n", err.text);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "id", 'i', OPTION_TEXT, JOB_SELECTION_FIELD(struct args, jobs, id), "JOB",
      "Only the last run of this job." },
    JOB_SELECTION_OPTIONS(struct args, jobs),
    { "worst", 'w', OPTION_TEXT, offsetof(struct args, worst),
      "cpu|memory|time|energy|hours|start",
      "What jobs used of what they were given, the worst first by " JOB_USAGE_ORDERS
      "; an array is one row." },
    { "footprint", 0, OPTION_TEXT, offsetof(struct args, footprint),
      "METRIC[:STAT],...",
      "Of a barod: columns of what it stored of their nodes' metrics when they ended; "
      "STAT is mean (default), min, max or sum. --worst may be one of them." },
    { "tasks", 0, OPTION_FLAG, offsetof(struct args, tasks), NULL,
      "With --worst: a row for each element of an array." },
    { "limit", 0, OPTION_LIMIT, offsetof(struct args, limit), "COUNT",
      "With --worst: so many rows; default: 20." },
    { "all", 'a', OPTION_FLAG, offsetof(struct args, all), NULL,
      "With --worst: all rows." },
    { "load", 'l', OPTION_FLAG, offsetof(struct args, load), NULL,
      "One row: how many jobs, nodes and node-hours." },
    { "nodes", 0, OPTION_FLAG, offsetof(struct args, nodes), NULL,
      "Name each node, in place of sets." },
    CLIENT_FORM_OPTIONS,
    CLIENT_SERVER_OPTIONS,
};

const struct command cmd_job_list = {
    .name = "job list",
    .operands = "[FILE|barod]...",
    .help =
        "Which jobs ran when and where, and what they used of what they were given: "
        "from Slurm, PBS, Flux, or any by JSON or CSV.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = job_list_run,
};
