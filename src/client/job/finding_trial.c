/* SPDX-License-Identifier: Apache-2.0 */
/* finding_trial - findings of a site tried on logs, or on the jobs of a barod. */
#include "client/job/finding_trial.h"

#include "base/span.h"
#include "client/job/log_list.h"
#include "client/job/operand.h"

#define REASONS_MAX 20 /* logs or jobs that are named; the others are counted */

/* ---- logs ---- */

static int log_try(const struct finding_trial_opts *opts, const char *path,
                   struct rule_trial *trial, struct err *err)
{
    AUTO(job_operand_done) struct job_operand job = { .text = path, .log = path };
    AUTO(job_assessment_done) struct job_assessment page = { 0 };
    AUTO(site_report_done) struct site_report report = { 0 };
    job_context_init(&job.stored);
    job_context_init(&job.of_log);
    int rc = job_operand_read(&job, err);
    if (rc < 0)
        return rc;
    page.run = job.run;
    page.has_run = true;
    job_assess(&page);
    rc = site_report_make(opts->rules, &page, &job.of_log, &report);
    return rc < 0 ? rc : rule_trial_add(trial, path, &report);
}

static int unread_add(const struct finding_trial_opts *opts, const char *what,
                      const struct err *why, struct rule_trial *trial)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (++trial->unread > REASONS_MAX || !opts->log)
        return 0;
    strbuf_addf(&text, "%s: %s", what, why->text);
    opts->log(opts->log_arg, strbuf_text(&text));
    return strbuf_error(&text);
}

int finding_trial_logs(const struct finding_trial_opts *opts, char **operands,
                       size_t count, struct rule_trial *trial, struct err *err)
{
    AUTO(log_list_done) struct log_list list = { 0 };
    size_t unread = 0;
    int rc =
        log_list_make(operands, count, &list, &unread, opts->log, opts->log_arg, err);
    if (rc == 0 && list.count == 0)
        rc = err_set(err, ENOENT, "there is no log *.darshan in %s", operands[0]);
    for (size_t i = 0; rc == 0 && i < list.count; i++) {
        struct err why = { 0 };
        opts->progress(opts->arg, i, list.count);
        rc = log_try(opts, list.paths[i], trial, &why);
        if (rc == -ENOMEM)
            return err_set(err, ENOMEM, "out of memory");
        if (rc < 0)
            rc = unread_add(opts, list.paths[i], &why, trial);
    }
    return rc;
}

/* ---- jobs of a barod ---- */

static void job_name_print(const struct job *job, struct strbuf *out)
{
    if (job->cluster.size > 0)
        strbuf_addf(out, SPAN_FMT "/", SPAN_ARG(job->cluster));
    strbuf_add_span(out, job->id);
}

static int values_get(struct client_http *http, const struct job *job, struct span *ret,
                      struct err *err)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    net_url_init(&url, "/v1/jobs");
    net_url_add_segment(&url, job->id);
    if (job->cluster.size > 0)
        net_url_add_span(&url, "cluster", job->cluster);
    net_url_add(&url, "format", "values");
    return client_http_get_url(http, &url, ret, err);
}

static int job_try(const struct finding_trial_opts *opts, struct client_http *http,
                   const struct job *job, struct rule_trial *trial, struct err *err)
{
    AUTO(site_report_done) struct site_report report = { 0 };
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    struct span body = { 0 };
    struct err why = { 0 };
    job_name_print(job, &name);
    int rc = strbuf_error(&name);
    if (rc == 0)
        rc = values_get(http, job, &body, &why);
    if (rc == 0)
        rc = site_report_read(opts->rules, body, &report, &why);
    if (rc == -ENOENT || rc == -EBADMSG)
        return unread_add(opts, strbuf_text(&name), &why, trial);
    if (rc == 0)
        rc = rule_trial_add(trial, strbuf_text(&name), &report);
    return rc < 0 ? err_set(err, -rc, "job %s: %s", strbuf_text(&name),
                            why.text[0] ? why.text : strerror(-rc))
                  : 0;
}

int finding_trial_jobs(const struct finding_trial_opts *opts,
                       const struct client_endpoint *endpoint,
                       const struct job_list *list, const struct job_query *query,
                       struct rule_trial *trial, struct err *err)
{
    AUTO(client_http_close) struct client_http *http = NULL;
    const struct job *job;
    size_t cursor = 0, count = 0, done = 0;
    while (job_list_next(list, query, &cursor))
        count++;
    int rc = client_http_open(endpoint, &http, err);
    cursor = 0;
    while (rc == 0 && (job = job_list_next(list, query, &cursor))) {
        opts->progress(opts->arg, done++, count);
        /* Of a job that was requeued a barod shows the last run. */
        if (job_list_find(list, job->cluster, job->id) == job)
            rc = job_try(opts, http, job, trial, err);
    }
    return rc;
}
