/* SPDX-License-Identifier: Apache-2.0 */
/* job_summarize - baro job summarize: each job's log and what surrounded it, as a row.
 */
#include "analysis/analysis.h"
#include "base/number.h"
#include "cmd/commands.h"
#include "cmd/input.h"
#include "cmd/job_table.h"
#include "cmd/series_files.h"

#include <math.h>

#define TEXT_BYTES_MAX ((size_t)1 << 30)
#define AGE_MAX_NS (3600 * NS_PER_S)

struct args {
    struct option_list series;
    struct option_list health;
    struct option_list jobs;
    const char *cluster;
    int64_t health_age_max_ns;
    const char *zone;
    const char *output;
    const char *resume;
};

enum form { FORM_CSV, FORM_JSON, FORM_TABLE };

struct summarizing {
    const struct args *args;
    enum form form;
    struct series_files files;
    struct strbuf *health_texts; /* one for each --health */
    struct span *health_spans;
    struct job_list jobs;
    const char *path;       /* of the list of jobs being read, for messages */
    struct job_table table; /* with --resume */
};

static int form_parse(const char *name, enum form *ret)
{
    static const char *const names[] = { "csv", "json", "table" };
    for (unsigned i = 0; i < COUNT_OF(names); i++)
        if (strcmp(name, names[i]) == 0) {
            *ret = i;
            return 0;
        }
    return -EINVAL;
}

static int surroundings_read(const struct summarizing *s, const struct job_facts *facts,
                             struct job_summary *summary)
{
    const struct args *args = s->args;
    int rc = 0;
    if (args->health.count > 0)
        rc = job_health_read(s->health_spans, args->health.count,
                             job_summary_mount(facts), facts->start_s,
                             args->health_age_max_ns ? args->health_age_max_ns
                                                     : AGE_MAX_NS,
                             &summary->health);
    /* Its end is of whole seconds: the last one counts. */
    if (rc == 0 && args->jobs.count > 0)
        job_neighbours_read(&s->jobs, span_of(args->cluster ? args->cluster : ""),
                            facts->jobid, facts->start_s, facts->end_s + 1,
                            &summary->neighbours);
    return rc;
}

static int row_make(const struct summarizing *s, const char *path, struct job_row *row,
                    struct err *err)
{
    AUTO(job_facts_done) struct job_facts facts = { 0 };
    AUTO(strbuf_done) struct strbuf faults = STRBUF_INIT;
    int rc = job_facts_read(path, &facts, &faults, err);
    if (rc < 0)
        return rc;
    if (faults.size > 0)
        fprintf(stderr, "baro: %s: %s", path, strbuf_text(&faults));
    struct job_summary summary = { .log = path,
                                   .facts = &facts,
                                   .fs_source = s->files.names };
    rc = job_weather_read(s->files.series, s->files.count, facts.start_s, facts.end_s,
                          &summary.weather, err);
    if (rc < 0)
        return err_prefix(err, rc, "%s: ", path);
    rc = surroundings_read(s, &facts, &summary);
    if (rc < 0)
        return err_prefix(err, rc, "%s", path);
    job_summary_put(&summary, row);
    return job_row_error(row);
}

static void row_print(enum form form, const struct job_row *row, bool is_first)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (form == FORM_JSON) {
        strbuf_adds(&out, is_first ? "[\n" : ",\n");
        job_row_print_json(row, &out);
    } else if (form == FORM_CSV) {
        if (is_first)
            job_row_print_header(row, &out);
        job_row_print_csv(row, &out);
    } else {
        job_row_print_lines(row, &out);
    }
    (void)fwrite(strbuf_text(&out), 1, out.size, stdout);
}

/* 1: its row is there already. */
static int log_do(struct summarizing *s, const char *log, bool is_first)
{
    AUTO(job_row_done) struct job_row row = { 0 };
    struct err err = { 0 };
    if (s->args->resume && job_table_has(&s->table, log))
        return 1;
    job_row_init(&row);
    int rc = row_make(s, log, &row, &err);
    if (rc == 0 && s->args->resume)
        rc = job_table_add(&s->table, &row, &err);
    else if (rc == 0)
        row_print(s->form, &row, is_first);
    if (rc < 0)
        fprintf(stderr, "baro: %s\n", err.text[0] ? err.text : strerror(-rc));
    return rc;
}

/* On a terminal a line that is written over. */
static void progress(int done, int count)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%d of %d logs%s", done, count, done == count ? "\n" : "");
}

static int run_all(struct summarizing *s, int count, char **logs)
{
    int status = EXIT_OK;
    int had = 0;
    bool is_first = true;
    for (int i = 0; i < count; i++) {
        int rc = log_do(s, logs[i], is_first);
        if (rc < 0)
            status = EXIT_FAILED;
        is_first = is_first && rc != 0;
        had += rc > 0;
        if (s->args->resume)
            progress(i + 1, count);
    }
    if (had > 0)
        fprintf(stderr, "baro: %d of %d logs had a row already\n", had, count);
    if (s->form == FORM_JSON)
        (void)fputs(is_first ? "[]\n" : "\n]\n", stdout);
    return fflush(stdout) == 0 ? status : EXIT_FAILED;
}

/* ---- what is read once for all ---- */

static void on_job_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    const struct summarizing *s = arg;
    (void)text; /* baro job list shows it */
    fprintf(stderr, "baro: %s: line %llu: %s\n", s->path, (unsigned long long)line,
            reason);
}

static int jobs_read(struct summarizing *s, const char *path, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct sacct_opts opts = { .on_fault = on_job_fault, .arg = s };
    s->path = path;
    int rc = input_read_all(path, TEXT_BYTES_MAX, &text, err);
    if (rc < 0)
        return rc;
    return err_prefix(err, sacct_read(strbuf_span(&text), &opts, &s->jobs, err), "%s",
                      path);
}

static int others_read(struct summarizing *s, struct err *err)
{
    const struct args *args = s->args;
    s->health_texts = calloc(args->health.count + 1, sizeof *s->health_texts);
    s->health_spans = calloc(args->health.count + 1, sizeof *s->health_spans);
    int rc = s->health_texts && s->health_spans ? 0 : -ENOMEM;
    for (size_t i = 0; i < args->health.count && rc == 0; i++) {
        rc = input_read_all(args->health.items[i], TEXT_BYTES_MAX, &s->health_texts[i],
                            err);
        s->health_spans[i] = strbuf_span(&s->health_texts[i]);
    }
    for (size_t i = 0; i < args->jobs.count && rc == 0; i++)
        rc = jobs_read(s, args->jobs.items[i], err);
    return rc;
}

static void others_done(struct summarizing *s)
{
    for (size_t i = 0; i < s->args->health.count && s->health_texts; i++)
        strbuf_done(&s->health_texts[i]);
    free(s->health_texts);
    free(s->health_spans);
    job_list_done(&s->jobs);
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    struct summarizing s = { .args = args, .table = { .fd = -1 } };
    struct err err = { 0 };
    const char *form = args->output ? args->output : args->resume ? "csv" : "table";
    if (operand_count == 0 || form_parse(form, &s.form) < 0 ||
        (args->resume && s.form != FORM_CSV)) {
        fprintf(stderr, "baro: job summarize wants at least one LOG, and as --output "
                        "csv, json or table; with --resume csv\n");
        return EXIT_USAGE;
    }
    job_list_init(&s.jobs);
    int rc = args->resume ? job_table_open(&s.table, args->resume, &err) : 0;
    if (rc == 0)
        rc = series_files_open(&s.files, args->series.items, args->series.count,
                               args->zone, &err);
    if (rc == 0)
        rc = others_read(&s, &err);
    int status = err_exit_status(rc);
    if (rc < 0)
        fprintf(stderr, "baro: %s\n", err.text);
    else
        status = run_all(&s, operand_count, operands);
    others_done(&s);
    series_files_done(&s.files);
    job_table_done(&s.table);
    return status;
}

static const struct option options[] = {
    { "series", 's', OPTION_LIST, offsetof(struct args, series), "FILE",
      "What the servers measured meanwhile: TOKIO HDF5, h5lmt, or a copy of an LMT "
      "database in SQLite; may be repeated." },
    { "health", 'H', OPTION_LIST, offsetof(struct args, health), "FILE",
      "How the file system was: kept lfs df and lctl dl -t, BEGIN before each; may be "
      "repeated." },
    { "health-age-max", 0, OPTION_DURATION, offsetof(struct args, health_age_max_ns),
      "DURATION", "How old the last reading before a job may be; default: 1h." },
    { "jobs", 'j', OPTION_LIST, offsetof(struct args, jobs), "FILE",
      "What else ran: sacct's text, see baro job list; may be repeated." },
    { "cluster", 'c', OPTION_TEXT, offsetof(struct args, cluster), "NAME",
      "Of the jobs; default: the job's own." },
    { "zone", 'z', OPTION_TEXT, offsetof(struct args, zone), "ZONE",
      "The time zone of LMT databases (America/Los_Angeles); default: UTC." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORMAT",
      "table (default), csv or json." },
    { "resume", 'r', OPTION_TEXT, offsetof(struct args, resume), "FILE",
      "Put rows at the end of this CSV file, and pass over logs that have one." },
};

const struct command cmd_job_summarize = {
    .name = "job summarize",
    .operands = "LOG...",
    .help = "Each job's Darshan log, and what its file system did meanwhile, as a row.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
};
