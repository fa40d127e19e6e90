/* SPDX-License-Identifier: Apache-2.0 */
/* job_summarize - baro job summarize: each job's log and what surrounded it, as a row.
 */
#include "analysis/analysis.h"
#include "cmd/commands.h"
#include "cmd/series_files.h"

#include <math.h>

struct args {
    struct option_list series;
    const char *zone;
    const char *output;
};

enum form { FORM_CSV, FORM_JSON, FORM_TABLE };

struct summarizing {
    const struct args *args;
    enum form form;
    struct series_files files;
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
    job_summary_put(&summary, row);
    return job_row_error(row);
}

static int run_all(struct summarizing *s, int count, char **logs)
{
    int status = EXIT_OK;
    bool is_first = true;
    for (int i = 0; i < count; i++) {
        struct err err = { 0 };
        AUTO(job_row_done) struct job_row row = { 0 };
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        job_row_init(&row);
        if (row_make(s, logs[i], &row, &err) < 0) {
            fprintf(stderr, "baro: %s\n", err.text);
            status = EXIT_FAILED;
            continue;
        }
        if (s->form == FORM_JSON) {
            strbuf_adds(&out, is_first ? "[\n" : ",\n");
            job_row_print_json(&row, &out);
        } else if (s->form == FORM_CSV) {
            if (is_first)
                job_row_print_header(&row, &out);
            job_row_print_csv(&row, &out);
        } else {
            job_row_print_lines(&row, &out);
        }
        is_first = false;
        (void)fwrite(strbuf_text(&out), 1, out.size, stdout);
    }
    if (s->form == FORM_JSON)
        (void)fputs(is_first ? "[]\n" : "\n]\n", stdout);
    return fflush(stdout) == 0 ? status : EXIT_FAILED;
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    struct summarizing s = { .args = args };
    struct err err = { 0 };
    if (operand_count == 0 ||
        form_parse(args->output ? args->output : "table", &s.form) < 0) {
        fprintf(stderr, "baro: job summarize wants at least one LOG, and as --output "
                        "csv, json or table\n");
        return EXIT_USAGE;
    }
    int status = EXIT_FAILED;
    if (series_files_open(&s.files, args->series.items, args->series.count, args->zone,
                          &err) < 0)
        fprintf(stderr, "baro: %s\n", err.text);
    else
        status = run_all(&s, operand_count, operands);
    series_files_done(&s.files);
    return status;
}

static const struct option options[] = {
    { "series", 's', OPTION_LIST, offsetof(struct args, series), "FILE",
      "What the servers measured meanwhile: TOKIO HDF5, h5lmt, or a copy of an LMT "
      "database in SQLite; may be repeated." },
    { "zone", 'z', OPTION_TEXT, offsetof(struct args, zone), "ZONE",
      "The time zone of LMT databases (America/Los_Angeles); default: UTC." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORMAT",
      "table (default), csv or json." },
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
