/* SPDX-License-Identifier: Apache-2.0 */
/* jobstats_job - baro jobstats job: one job on one page. */
#include "client/job/job.h"
#include "base/clock.h"
#include "base/span.h"
#include "cmd/commands.h"
#include "cmd/output.h"
#include "cmd/request_run.h"
#include "cmd/warning.h"
#include "report/report.h"

#include <stdio.h>

struct args {
    struct client_args client; /* first: the shared options lie in it */
    struct option_list jobs;
    const char *cluster;
};

/* The page: what the batch system says, where lists of jobs are given, and the parts.
 */
struct page {
    bool has_batch;
    struct table batch;
    struct table parts[QUERY_JOB_PART_COUNT];
};

/* CSV has one header: the parts are one table. */
static int print_joined(const struct page *page, const struct result_form *form,
                        struct strbuf *out, struct strbuf *notes)
{
    AUTO(table_done) struct table joined;
    struct table_part parts[1 + QUERY_JOB_PART_COUNT];
    size_t count = 0;
    table_init(&joined);
    if (page->has_batch)
        parts[count++] = (struct table_part){ "batch", &page->batch };
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        parts[count++] =
            (struct table_part){ query_job_part_name((enum query_job_part)i),
                                 &page->parts[i] };
    int rc = table_parts_join(parts, count, &joined);
    if (rc == 0)
        result_print(&joined, form, out, notes);
    return rc;
}

static void print_parts(const struct page *page, const struct result_form *form,
                        struct strbuf *out, struct strbuf *notes)
{
    const struct table *parts = page->parts;
    if (page->has_batch) {
        result_print(&page->batch, form, out, notes);
        strbuf_addc(out, '\n');
    }
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++) {
        if (i > 0)
            strbuf_addf(out, "\n%s\n", query_job_part_name((enum query_job_part)i));
        result_print(&parts[i], form, out, notes);
    }
}

/* The last run of the job that the lists know; a job that they do not know is said. */
static int batch_read(const struct args *args, struct page *page, struct err *err)
{
    const struct job_files_args none = { .log = warning_print_line };
    const struct job_list_table_opts opts = {
        .query = { .cluster = span_of(args->cluster ? args->cluster : ""),
                   .from_ns = INT64_MIN,
                   .to_ns = INT64_MAX },
        .id = args->client.job,
    };
    AUTO(job_list_done) struct job_list list;
    struct job_files files;
    job_list_init(&list);
    int rc = job_files_init(&files, &none, err);
    for (size_t i = 0; rc == 0 && i < args->jobs.count; i++)
        rc = job_files_read(&files, args->jobs.items[i], &list, err);
    if (rc < 0 || args->jobs.count == 0)
        return rc;
    job_list_table(&list, &opts, &page->batch);
    if (page->batch.row_count == 0)
        table_add_note(&page->batch, "the lists of jobs know no job %s",
                       args->client.job);
    page->has_batch = true;
    return table_error(&page->batch);
}

static int page_print(const struct args *all, struct page *page, struct err *err)
{
    const struct client_args *args = &all->client;
    AUTO(client_close) struct client *client = NULL;
    AUTO(selection_done) struct selection sel;
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    struct result_form form;
    selection_init(&sel, clock_now_ms());
    int rc = output_form(&form, args->output, args->raw, err);
    if (rc == 0)
        rc = client_args_select(args, &sel, err);
    if (rc == 0)
        rc = client_open(&args->endpoint, &client, err);
    if (rc == 0)
        rc = client_job(client, &sel, page->parts, err);
    if (rc == 0)
        rc = batch_read(all, page, err);
    if (rc < 0)
        return rc;
    if (form.form == TABLE_FORM_JSON)
        query_job_print_objects(page->parts, page->has_batch ? &page->batch : NULL,
                                &out);
    else if (form.form == TABLE_FORM_CSV)
        rc = print_joined(page, &form, &out, &notes);
    else
        print_parts(page, &form, &out, &notes);
    if (rc < 0)
        return err_set(err, -rc, "%s", strerror(-rc));
    return output_print_notes(&out, &notes, err);
}

static int jobstats_job_run(void *arg, int operand_count, char **operands)
{
    struct args *args = arg;
    struct err err = { 0 };
    struct page page = { 0 };
    if (operand_count != 1) {
        fprintf(stderr, "baro jobstats job: one job's id is wanted\n");
        return EXIT_USAGE;
    }
    args->client.job = operands[0];
    table_init(&page.batch);
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_init(&page.parts[i]);
    int rc = page_print(args, &page, &err);
    for (int i = 0; i < QUERY_JOB_PART_COUNT; i++)
        table_done(&page.parts[i]);
    table_done(&page.batch);
    return rc < 0 ? request_failed("jobstats job", rc, &err) : EXIT_OK;
}

static const struct option options[] = {
    { "fs", 0, OPTION_TEXT, CLIENT_FIELD(fs), "NAME",
      "The job's file system, where several know its id." },
    { "user", 'u', OPTION_TEXT, CLIENT_FIELD(user), "USER",
      "The job of this user: a name or a number." },
    { "from", 0, OPTION_TIME, CLIENT_FIELD(from), "TIME",
      "Not the whole job: from here on." },
    { "to", 0, OPTION_TIME, CLIENT_FIELD(to), "TIME",
      "Not the whole job: up to here." },
    { "jobs", 'j', OPTION_LIST, offsetof(struct args, jobs), "FILE",
      "The batch system's record of it, in any form that baro job list reads." },
    { "cluster", 'c', OPTION_TEXT, offsetof(struct args, cluster), "NAME",
      "The job of this cluster, in --jobs." },
    CLIENT_ENDPOINT_OPTIONS,
};

const struct command cmd_jobstats_job = {
    .name = "jobstats job",
    .operands = "ID",
    .help = "One job on one page: what it did, where and when.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = jobstats_job_run,
};
