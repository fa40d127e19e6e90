/* SPDX-License-Identifier: Apache-2.0 */
/* job_diff - baro job diff: in what two runs of a job differ, or several. */
#include "base/span.h"
#include "base/suggest.h"
#include "client/climate/climate.h"
#include "client/job/job.h"
#include "cmd/commands.h"
#include "cmd/job/diff_served.h"
#include "cmd/output.h"
#include "cmd/warning.h"
#include "report/report.h"

struct args {
    uint64_t floor_percent;
    struct option_list alike;
    const char *output, *repository;
    struct job_gather_args around;
};

static int alike_read(const struct args *args, struct job_pair *pair, struct err *err)
{
    const struct option_list *list = &args->alike;
    AUTO_FREE struct profile *profiles = calloc(list->count + 1, sizeof *profiles);
    int rc = profiles ? 0 : err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < list->count && rc == 0; i++) {
        rc = job_log_profile(list->items[i], &profiles[i], err);
        (void)err_prefix(err, rc, "%s", list->items[i]);
    }
    if (rc < 0 || list->count == 0)
        return rc;
    return err_prefix(err, job_pair_floor_alike(pair, profiles, list->count, err),
                      "--comparable");
}

static void floor_set(const struct args *args, struct job_pair *pair)
{
    job_pair_floor(pair, args->floor_percent ? (double)args->floor_percent / 100
                                             : DIFFERENCE_FLOOR_DEFAULT);
}

/* Differences are of what the logs say: both have to be here. */
static int run_read(const struct args *args, const char *text, struct job_operand *job,
                    struct profile *ret, struct err *err)
{
    const struct client_endpoint endpoint = diff_endpoint(&args->around);
    int rc = job_operand_load(&endpoint, args->around.sources.cluster, text, job, err);
    if (rc == 0)
        *ret = job->run;
    return rc;
}

static int pair_print(const char *form, const struct job_pair *pair, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    enum table_form rows;
    if (!form || strcmp(form, "table") == 0)
        job_pair_print_text(pair, &out);
    else if (pair->comparison.has_climate && strcmp(form, "json") == 0)
        job_pair_print_json(pair, &out);
    else if (table_form_parse(span_of(form), &rows) == 0)
        job_pair_print_rows(pair, rows, &out);
    else
        return suggest_invalid(err, "--output", span_of(form), "table, json, csv");
    return output_print(&out, err);
}

static bool floor_is_measured(const struct args *args)
{
    return args->alike.count > 0;
}

static int pair_read(const struct args *args, char **texts, struct job_operand *jobs,
                     struct job_gather *gather, struct job_pair *pair, struct err *err)
{
    bool is_floor_given = args->floor_percent > 0 || floor_is_measured(args);
    int rc = 0;
    floor_set(args, pair);
    for (int i = 0; i < 2 && rc == 0; i++)
        rc = run_read(args, texts[i], &jobs[i], &pair->runs[i], err);
    if (rc == 0)
        rc = alike_read(args, pair, err);
    if (rc == 0)
        rc = job_gather(&args->around, jobs, 2, gather, &pair->comparison, err);
    if (rc == 0 && !is_floor_given)
        rc = job_pair_floor_class(pair, err);
    return rc;
}

static int runs_print(const struct args *args, size_t count, char **texts,
                      struct err *err)
{
    AUTO_FREE struct profile *runs = calloc(count, sizeof *runs);
    AUTO(job_pair_done) struct job_pair pair = { 0 };
    AUTO(table_done) struct table table;
    struct run_spread spread;
    struct result_form form;
    int rc = runs ? output_form(&form, args->output, false, err)
                  : err_set(err, ENOMEM, "out of memory");
    table_init(&table);
    floor_set(args, &pair);
    for (size_t i = 0; i < count && rc == 0; i++) {
        AUTO(job_operand_done) struct job_operand job = { 0 };
        rc = run_read(args, texts[i], &job, &runs[i], err);
    }
    if (rc == 0)
        rc = alike_read(args, &pair, err);
    if (rc < 0)
        return rc;
    run_spread_find(runs, count, pair.floors, &spread);
    job_runs_table(&spread, runs, (const char *const *)texts, count, &table);
    return output_table(&table, &form, err);
}

static bool is_of_pairs(const struct job_gather_args *around)
{
    return around->climate.count || around->map || around->sources.series.count ||
           around->sources.health.count || around->sources.jobs.count;
}

static int operands_check(const struct args *args, int count)
{
    const char *wrong =
        count < 2 || count > RUN_SPREAD_RUNS_MAX
            ? "2 to 64 jobs are wanted, each a LOG or JOBID"
        : count > 2 && is_of_pairs(&args->around)
            ? "--climate, --map, --series, --health, --jobs: of two jobs only"
            : NULL;
    if (wrong)
        fprintf(stderr, "baro job diff: %s\n", wrong);
    return wrong ? -EINVAL : 0;
}

static int job_diff_run(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    struct err err = { 0 };
    struct job_operand jobs[2] = { 0 };
    AUTO(job_gather_done) struct job_gather gather = { 0 };
    AUTO(job_pair_done) struct job_pair pair = { 0 };
    if (operands_check(args, operand_count) < 0)
        return EXIT_USAGE;
    args->around.sources.access.log = warning_print;
    args->around.map_default = RUNS_MAP_DEFAULT;
    int rc = operand_count > 2 ? runs_print(args, (size_t)operand_count, operands, &err)
                               : pair_read(args, operands, jobs, &gather, &pair, &err);
    if (rc == 0 && operand_count == 2) {
        job_pair_compare(&pair);
        rc = pair_print(args->output, &pair, &err);
    }
    for (int i = 0; i < 2; i++)
        job_operand_done(&jobs[i]);
    bool is_here =
        rc != -ENOENT || floor_is_measured(args) || is_of_pairs(&args->around);
    const struct job_diff_request request = { args->around.sources.cluster,
                                              (const char *const *)operands,
                                              (size_t)operand_count,
                                              args->floor_percent, args->output };
    if (rc == 0 ||
        (!is_here && diff_served_print(&args->around, &request, args->repository) == 0))
        return EXIT_OK;
    fprintf(stderr, "baro job diff: %s\n", err.text);
    return err_exit_status(rc);
}

static const struct option options[] = {
    { "floor", 0, OPTION_COUNT, offsetof(struct args, floor_percent), "PERCENT",
      "How much slower a comparable run may be (default 140); not with --comparable." },
    { "comparable", 'a', OPTION_LIST, offsetof(struct args, alike), "LOG",
      "The log of a comparable run; three or more of them measure the noise floor." },
    JOB_GATHER_OPTIONS(struct args, around),
    { "server", 's', OPTION_TEXT, offsetof(struct args, around.sources.access.server),
      "URL",
      "The barod that knows the jobs by their ids; default: BARO_SERVER, "
      "or " CLIENT_SERVER_DEFAULT },
    SERIES_TOKEN_OPTIONS(struct args, around.sources.access),
    { "repository", 0, OPTION_TEXT, offsetof(struct args, repository), "DIRECTORY",
      "Of datasets: which files of theirs differ; default: BARO_DATASETS." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "table|json|csv",
      "table (default), json or csv." },
};

const struct command cmd_job_diff = {
    .name = "job diff",
    .operands = "LOG_A|JOBID_A LOG_B|JOBID_B [LOG|JOBID]...",
    .help = "In what runs of a job differ, the most unusual first.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = job_diff_run,
    .details =
        "Reads two Darshan logs. First comes what the second run did otherwise, then\n"
        "what follows from that, then how it went. Differences below the noise\n"
        "floor are left out: runs with all counters equal differ by as much.\n\n"
        "With --climate and --map what was around both stands in the same list: each\n"
        "measure's difference compared with all pairs of comparable runs. What may be\n"
        "a cause comes first, the most unusual before the others.\n\n"
        "Of more than two logs it is a row a run, and a column a measure: those in\n"
        "which any two runs differ most come first.\n\n"
        "Example: baro job diff good.darshan slow.darshan -C runs.csv -m jobs.conf",
};
