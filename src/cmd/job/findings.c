/* SPDX-License-Identifier: Apache-2.0 */
/* job_findings - baro job findings: the findings that a site writes itself, checked,
 * and tried on past jobs before pages have them. */
#include "base/number.h"
#include "base/span.h"
#include "base/suggest.h"
#include "client/page/page.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/progress_line.h"
#include "cmd/request_run.h"
#include "cmd/warning.h"
#include "report/report.h"

#define WINDOW_NS (365 * 86400 * NS_PER_S)
#define WORST_DEFAULT 10

struct args {
    struct job_selection_args jobs; /* first: --server and others */
    bool is_tried;
    bool are_values;
    uint64_t limit;
};

/* How far a trial is, and what it could not read. */
struct trial_output {
    struct progress_line line;
};

static void trial_progress_print(void *arg, size_t done, size_t count)
{
    struct trial_output *output = arg;
    progress_line_print(&output->line, done, count);
}

static void trial_warning_print(void *arg, const char *text)
{
    struct trial_output *output = arg;
    progress_line_end(&output->line);
    warning_print(NULL, text);
}

static int values_print(bool is_json, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (is_json)
        values_print_json(&out);
    else
        values_print_text(&out);
    return output_print(&out, err);
}

static int rules_print(const struct site_rules *rules, bool is_json, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (is_json)
        rules_print_json(rules, &out);
    else
        rules_print_text(rules, &out);
    return output_print(&out, err);
}

/* Of the jobs that a barod has in the window, without one of the last year. */
static int jobs_try(const struct args *args, const struct finding_trial_opts *opts,
                    struct rule_trial *trial, struct err *err)
{
    AUTO(job_list_done) struct job_list list;
    struct job_selection_args jobs = args->jobs;
    struct job_query query;
    job_list_init(&list);
    if (!jobs.from && !jobs.last_ns)
        jobs.last_ns = WINDOW_NS;
    jobs.files.log = warning_print_line;
    int rc = job_selection_parse(&jobs, &query, err);
    if (rc == 0)
        rc = job_selection_read(&jobs, &query, 0, NULL, &list, err);
    return rc < 0 ? rc
                  : finding_trial_jobs(opts, &args->jobs.client.endpoint, &list, &query,
                                       trial, err);
}

static int rules_try(const struct args *args, const struct site_rules *rules,
                     char **logs, size_t log_count, struct err *err)
{
    AUTO(rule_trial_done) struct rule_trial trial = { 0 };
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct trial_output output = { 0 };
    const struct finding_trial_opts opts = { .rules = rules,
                                             .arg = &output,
                                             .progress = trial_progress_print,
                                             .log = trial_warning_print,
                                             .log_arg = &output };
    const char *form = args->jobs.client.output;
    int rc = rule_trial_init(&trial, rules,
                             args->limit > 0 ? (size_t)args->limit : WORST_DEFAULT);
    progress_line_begin(&output.line, log_count > 0 ? "logs" : "jobs");
    if (rc == 0)
        rc = log_count > 0 ? finding_trial_logs(&opts, logs, log_count, &trial, err)
                           : jobs_try(args, &opts, &trial, err);
    progress_line_end(&output.line);
    if (rc < 0)
        return rc;
    if (form && strcmp(form, "json") == 0)
        trial_print_json(&trial, &out);
    else
        trial_print_text(&trial, log_count > 0 ? "logs" : "jobs", &out);
    return output_print(&out, err);
}

/* What goes together. */
static int findings_args_check(const struct args *args, int operand_count,
                               struct err *err)
{
    const char *form = args->jobs.client.output;
    if (form && strcmp(form, "text") != 0 && strcmp(form, "json") != 0)
        return suggest_invalid(err, "--output", span_of(form), "text, json");
    if (args->are_values && (operand_count > 0 || args->is_tried))
        return err_set(err, EINVAL, "--values: no CONFIG and no --try go with it");
    if (!args->are_values && operand_count == 0)
        return err_set(err, EINVAL, "CONFIG is wanted: a file with [finding NAME]");
    if (!args->is_tried && operand_count > 1)
        return err_set(err, EINVAL, "LOG: it needs --try");
    return 0;
}

static int job_findings_run(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    AUTO(rules_file_done) struct rules_file file = { 0 };
    struct err err = { 0 };
    if (findings_args_check(args, operand_count, &err) < 0) {
        fprintf(stderr, "baro job findings: %s\n", err.text);
        return EXIT_USAGE;
    }
    const char *form = args->jobs.client.output;
    bool is_json = form && strcmp(form, "json") == 0;
    int rc = args->are_values ? values_print(is_json, &err)
                              : rules_file_load(operands[0], &file, &err);
    if (rc == 0 && !args->are_values)
        rc = args->is_tried ? rules_try(args, file.rules, operands + 1,
                                        (size_t)operand_count - 1, &err)
                            : rules_print(file.rules, is_json, &err);
    return rc < 0 ? request_failed("job findings", rc, &err) : EXIT_OK;
}

#define FIELD(field) JOB_SELECTION_FIELD(struct args, jobs, field)

static const struct option options[] = {
    { "try", 0, OPTION_FLAG, offsetof(struct args, is_tried), NULL,
      "Count of how many jobs each would speak, and print the worst: of the LOGs, or "
      "of "
      "a barod's jobs of the last 365 days." },
    { "values", 0, OPTION_FLAG, offsetof(struct args, are_values), NULL,
      "Print the values that a condition may name, with their types." },
    { "limit", 'l', OPTION_LIMIT, offsetof(struct args, limit), "COUNT",
      "With --try: so many jobs of each finding; default: 10." },
    { "cluster", 'c', OPTION_TEXT, FIELD(cluster), "NAME",
      "With --try: only jobs of this cluster." },
    { "user", 'u', OPTION_TEXT, FIELD(user), "USER",
      "With --try: only jobs of this user." },
    { "last", 0, OPTION_DURATION, FIELD(last_ns), "DURATION",
      "With --try: only jobs that ran within this time before --to, or now; default: "
      "365d." },
    { "from", 'f', OPTION_TIME, FIELD(from), "TIME",
      "With --try: only jobs that ran at or after TIME." },
    { "to", 't', OPTION_TIME, FIELD(to), "TIME",
      "With --try: only jobs that ran before TIME." },
    CLIENT_SERVER_OPTIONS,
    { "output", 'o', OPTION_TEXT, CLIENT_FIELD(output), "text|json",
      "text (default) or json." },
};

const struct command cmd_job_findings = {
    .name = "job findings",
    .operands = "[CONFIG [LOG|DIRECTORY]...]",
    .help = "The findings that a site writes itself: checked, and tried on past jobs.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = job_findings_run,
    .details =
        "CONFIG is a barod.conf, or a file with sections [finding NAME] and\n"
        "[application NAME] alone (barod.conf(5)). Without --try they are checked and\n"
        "listed. With it each condition is applied to Darshan logs, or to the jobs\n"
        "that a barod knows, whatever the state of the finding: it prints of how many\n"
        "it is true, of how many it is not known, which of Barograph's own findings\n"
        "were made there as well, and the worst jobs.\n"
        "\n"
        "Examples: baro job findings --values\n"
        "          baro job findings barod.conf --try /logs/2026\n"
        "          baro job findings barod.conf --try --server "
        "unix:/run/barograph/barod.sock",
};
