/* SPDX-License-Identifier: Apache-2.0 */
/* job_comments - commands that write what jobs used into their AdminComment. */
#include "client/job/job_comments.h"

#include "base/input.h"
#include "base/span.h"
#include "source/scheduler/scheduler.h"

#include <ctype.h>
#include <string.h>

#define LIST_BYTES_MAX ((size_t)1 << 30)

const char *const job_comments_form_names[JOB_COMMENTS_FORM_COUNT] = {
    [JOB_COMMENTS_SACCTMGR] = "sacctmgr",
    [JOB_COMMENTS_SQL] = "sql",
};

struct commenting {
    const struct job_comments_opts *opts;
    struct job_comments_counts *counts;
    struct client_http *http;
    struct err *err;
};

static int unknown_report(struct commenting *c, const struct sacct_comment *job,
                          const char *reason)
{
    const struct series_opts reports = { .log = c->opts->log,
                                         .log_arg = c->opts->log_arg };
    c->counts->unknown++;
    series_log(&reports, "no comment for job " SPAN_FMT ": %s", SPAN_ARG(job->id),
               reason);
    return 0;
}

/* ---- what a shell or a database reads ---- */

static bool has_only(struct span text, const char *extra)
{
    for (size_t i = 0; i < text.size; i++)
        if (!isalnum((unsigned char)text.data[i]) && !strchr(extra, text.data[i]))
            return false;
    return text.size > 0 && text.size <= 64;
}

static bool has_digits_only(struct span text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!isdigit((unsigned char)text.data[i]))
            return false;
    return text.size > 0 && text.size <= 10;
}

/* The number of an array's last element is the array's, too: by it all of them would
 * get the comment.  A part of a heterogeneous job (12+1) has a number of its own. */
static struct span sacctmgr_id(const struct sacct_comment *job)
{
    return memchr(job->id.data, '_', job->id.size) ? job->id : job->raw_id;
}

static const char *refusal_of(const struct commenting *c,
                              const struct sacct_comment *job)
{
    bool is_sql = c->opts->form == JOB_COMMENTS_SQL;
    if (!has_only(job->id, "_+") || !has_digits_only(job->raw_id))
        return "its id is not Slurm's";
    if (job->cluster.size > 0 ? !has_only(job->cluster, "_-.") : is_sql)
        return is_sql ? "its cluster is not known, and names the table"
                      : "its cluster is not Slurm's";
    return is_sql && job->start_s < 0
               ? "its start is no number: run sacct with SLURM_TIME_FORMAT=%s"
               : NULL;
}

/* A run is known by its number and start: numbers come again. */
static void command_print(const struct commenting *c, const struct sacct_comment *job,
                          struct span comment, struct strbuf *out)
{
    if (c->opts->form == JOB_COMMENTS_SACCTMGR) {
        strbuf_addf(out, "sacctmgr -i modify job where jobid=" SPAN_FMT,
                    SPAN_ARG(sacctmgr_id(job)));
        if (job->cluster.size > 0)
            strbuf_addf(out, " cluster=" SPAN_FMT, SPAN_ARG(job->cluster));
        strbuf_addf(out, " set AdminComment=" SPAN_FMT "\n", SPAN_ARG(comment));
        return;
    }
    strbuf_addf(out,
                "UPDATE `" SPAN_FMT "_job_table` SET admin_comment='" SPAN_FMT
                "' WHERE id_job=" SPAN_FMT " AND time_start=%lld",
                SPAN_ARG(job->cluster), SPAN_ARG(comment), SPAN_ARG(job->raw_id),
                (long long)job->start_s);
    if (c->opts->is_for_missing)
        strbuf_adds(out, " AND coalesce(admin_comment, '') = ''");
    strbuf_adds(out, ";\n");
}

/* ---- a job ---- */

static int comment_get(struct commenting *c, const struct sacct_comment *job,
                       struct span *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    struct span body = { 0 };
    net_url_init(&url, "/v1/jobs");
    net_url_add_segment(&url, job->id);
    if (job->cluster.size > 0)
        net_url_add_span(&url, "cluster", job->cluster);
    net_url_add(&url, "format", "js1");
    int rc = client_http_get_url(c->http, &url, &body, err);
    if (rc < 0)
        return rc;
    body = span_trim(body);
    if (!span_starts(body, "JS1:") || !has_only(span_skip(body, body.size - 1), "="))
        return err_set(err, EBADMSG, "the server's response is no comment");
    for (size_t i = 4; i < body.size; i++)
        if (!isalnum((unsigned char)body.data[i]) && !strchr("+/=", body.data[i]))
            return err_set(err, EBADMSG, "the server's response is no comment");
    *ret = body;
    return 0;
}

static int on_job(void *arg, const struct sacct_comment *job)
{
    struct commenting *c = arg;
    AUTO(strbuf_done) struct strbuf command = STRBUF_INIT;
    struct err why = { 0 };
    struct span comment = { 0 };
    if (c->opts->is_for_missing && job->comment.size > 0) {
        c->counts->present++;
        return 0;
    }
    const char *refusal = refusal_of(c, job);
    if (refusal)
        return unknown_report(c, job, refusal);
    int rc = comment_get(c, job, &comment, &why);
    if (rc == -ENOENT || rc == -ERANGE)
        return unknown_report(c, job, why.text);
    if (rc < 0)
        return err_set(c->err, -rc, "job " SPAN_FMT ": %s", SPAN_ARG(job->id),
                       why.text);
    if (span_is(comment, "JS1:None")) {
        c->counts->empty++;
        return 0;
    }
    command_print(c, job, comment, &command);
    rc = strbuf_error(&command);
    if (rc == 0)
        rc = c->opts->print(c->opts->print_arg, strbuf_span(&command));
    c->counts->printed += rc == 0;
    return rc;
}

int job_comments_make(const struct job_comments_opts *opts, const char *path,
                      struct job_comments_counts *counts, struct err *err)
{
    AUTO(client_http_close) struct client_http *http = NULL;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    uint64_t unreadable = 0;
    struct err own = { 0 };
    struct commenting c = { .opts = opts, .counts = counts, .err = &own };
    int rc = input_read_all(path, LIST_BYTES_MAX, &text, err);
    if (rc == 0)
        rc = client_http_open(opts->endpoint, &http, err);
    if (rc < 0)
        return rc;
    c.http = http;
    rc = sacct_comments_read(strbuf_span(&text), on_job, &c, &unreadable, &own);
    counts->unreadable += unreadable;
    return rc < 0 ? err_set(err, -rc, "%s: %s", path,
                            own.text[0] ? own.text : strerror(-rc))
                  : 0;
}
