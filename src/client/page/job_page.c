/* SPDX-License-Identifier: Apache-2.0 */
/* job_page - the page of a job as baro job show prints it. */
#include "client/page/page.h"

#include "base/terminal/wrap.h"

#include <sys/stat.h>

static bool form_is(const struct job_show_args *args, const char *form)
{
    return args->client.output && strcmp(args->client.output, form) == 0;
}

static int form_check(const struct job_show_args *args, struct err *err)
{
    const char *form = args->client.output;
    if (!form || form_is(args, "json") || form_is(args, "html") ||
        form_is(args, "text"))
        return 0;
    return err_set(err, EINVAL,
                   "--output: invalid value '%s' (choose text, json, html)", form);
}

/* For a person, as wide as it is read. */
static void wrapped_add(const struct strbuf *text, struct strbuf *out)
{
    wrap_lines(strbuf_span(text), wrap_columns(STDOUT_FILENO), out);
    if (strbuf_error(text) < 0)
        out->error = -ENOMEM;
}

/* ---- of a log, or of a stored summary ---- */

/* Of a log that is not here its summary speaks. */
static int page_print(const struct job_assessment *page,
                      const struct job_operand *operand,
                      const struct job_show_args *args, struct strbuf *out,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct job_stored job = { operand->text, &operand->stored,
                                    operand->unreadable_errno };
    int rc = form_check(args, err);
    if (rc < 0)
        return rc;
    if (form_is(args, "html"))
        job_html_print(page, out);
    else if (form_is(args, "json") && page->has_run)
        job_page_print_json(page, out);
    else if (form_is(args, "json"))
        job_stored_print_json(&job, page, out);
    else if (args->line)
        run_line_print(page, job.summary, out);
    else if (page->has_run)
        job_page_print_text(page, &text);
    else
        job_stored_print_text(&job, page, &text);
    if (text.size > 0)
        wrapped_add(&text, out);
    return 0;
}

static int run_load(const struct job_show_args *args, struct job_operand *job,
                    struct job_assessment *page, series_log_fn *log, struct err *err)
{
    struct stat st;
    if (stat(job->log, &st) == 0 && S_ISDIR(st.st_mode))
        return err_set(err, EISDIR,
                       "%s is a directory: 'baro job summarize' reads all logs in it",
                       job->log);
    int rc = job_operand_read(job, err);
    if (rc < 0)
        return rc;
    page->run = job->run;
    page->has_run = true;
    rc = form_is(args, "html") ? job_operand_detail(job, page, err) : 0;
    return rc < 0
               ? rc
               : job_barod_rows_add(&args->client.endpoint, job, page, log, NULL, err);
}

static int operand_print(const struct job_show_args *args,
                         const struct job_gather_args *around, struct job_operand *job,
                         series_log_fn *log, struct strbuf *out, struct err *err)
{
    AUTO(job_gather_done) struct job_gather gather = { 0 };
    AUTO(rules_file_done) struct rules_file rules = { 0 };
    AUTO(job_assessment_done) struct job_assessment page = { 0 };
    const struct client_endpoint *endpoint = &args->client.endpoint;
    int rc = job->is_readable ? run_load(args, job, &page, log, err) : 0;
    if (rc == 0)
        rc = job_barod_nodes_add(endpoint, around->sources.cluster, job, &page, err);
    if (rc == 0)
        rc = job_gather(around, job, 1, &gather, &page.comparison, err);
    if (rc < 0)
        return rc;
    job_assess(&page);
    rc = rules_file_apply(args->findings, job->is_readable ? &job->of_log : NULL, &page,
                          &rules, err);
    return rc < 0 ? rc : page_print(&page, job, args, out, err);
}

/* ---- of a job without a log that is known here ---- */

/* All that the barod knows. */
static int served_print(const struct job_show_args *args, const char *id,
                        struct strbuf *out, struct err *err)
{
    AUTO(strbuf_done) struct strbuf page = STRBUF_INIT;
    const char *form = args->client.output ? args->client.output
                       : args->comment     ? args->comment
                       : args->line        ? "line"
                                           : "text";
    bool is_text = strcmp(form, "text") == 0;
    const struct job_page_request request = { args->around.sources.cluster, id,
                                              args->step, form };
    int rc =
        job_served_page(&args->client.endpoint, &request, is_text ? &page : out, err);
    if (rc == 0 && is_text)
        wrapped_add(&page, out);
    return rc;
}

/* All that the database has: the same page. */
static int database_print(const struct job_show_args *args, const char *id,
                          struct strbuf *out, struct err *err)
{
    AUTO(rules_file_done) struct rules_file rules = { 0 };
    AUTO(job_assessment_done) struct job_assessment page = { .comparison.count = 1 };
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct job_context *context = &page.comparison.jobs[0];
    job_context_init(context);
    int rc = form_check(args, err);
    if (rc == 0)
        rc = job_database_build(&args->client.endpoint, args->around.sources.cluster,
                                id, context, err);
    if (rc < 0)
        return rc;
    page.servers = context->has_servers ? &context->servers : NULL;
    page.targets = &context->targets;
    page.nodes = &context->nodes;
    page.record = &context->identity;
    job_assess(&page);
    rc = rules_file_apply(args->findings, NULL, &page, &rules, err);
    if (rc < 0)
        return rc;
    if (form_is(args, "html")) {
        job_html_print(&page, out);
    } else if (form_is(args, "json")) {
        job_context_print_document(&page, out);
    } else if (args->line) {
        job_sentence_print(&page, out);
        strbuf_addc(out, '\n');
    } else {
        job_context_print_text(&page, &text);
        wrapped_add(&text, out);
    }
    return 0;
}

static void logs_count_log(const char *operand, const struct job_operand *job,
                           series_log_fn *log)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_addf(&text, "job %s has %zu logs; of the last: %s", operand,
                job->summaries_count, job->log);
    log(NULL, strbuf_text(&text));
}

int job_page_make(const struct job_show_args *args, const char *operand,
                  series_log_fn *log, struct strbuf *out, struct err *err)
{
    const struct client_endpoint *endpoint = &args->client.endpoint;
    AUTO(job_operand_done) struct job_operand job = { 0 };
    /* --series barod is the one that the rows are asked of, too. */
    struct job_gather_args around = args->around;
    around.sources.access.server = endpoint->server;
    around.sources.access.token_file = endpoint->token_file;
    around.sources.access.ca_file = endpoint->ca_file;
    around.sources.access.log = log;
    around.map_default = RUNS_MAP_DEFAULT;
    if (args->comment || args->step)
        return served_print(args, operand, out, err);
    if (endpoint->records && job_operand_is_id(operand))
        return database_print(args, operand, out, err);
    int rc = job_operand_find(endpoint, around.sources.cluster, operand, &job, err);
    if (job_is_served(endpoint, operand, rc) &&
        (rc = served_print(args, operand, out, err)) == 0)
        return 0;
    if (rc == 0 && job.summaries_count > 1 && log)
        logs_count_log(operand, &job, log);
    return rc < 0 ? rc : operand_print(args, &around, &job, log, out, err);
}
