/* SPDX-License-Identifier: Apache-2.0 */
/* summary_run - the summaries of all that operands name. */
#include "client/job/summary_run.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "client/job/csv_file.h"
#include "client/job/log_list.h"
#include "client/job/operand.h"
#include "client/job/server.h"
#include "client/job/servers.h"
#include "client/job/summarize.h"

#define SERVER_NS (2 * NS_PER_S)

/* All that one run holds. */
struct running {
    const struct job_summary_run_opts *opts;
    const struct series_opts *access;
    struct client_endpoint endpoint;
    struct job_sources sources;
    char **ids; /* the operands', of jobs whose stored summaries are wanted */
    size_t id_count;
    struct log_list logs;    /* those that have no row yet */
    struct hashmap known;    /* logs that the barod has a summary of */
    struct job_csv_file csv; /* resumed; fd -1: none */
    struct job_server *server;
    int64_t flushed_ns;
    struct job_summary_counts *counts;
    struct err why; /* of a row that could not be written */
};

static void running_done(struct running *r)
{
    job_sources_done(&r->sources);
    log_list_done(&r->logs);
    hashmap_done(&r->known);
    job_csv_file_done(&r->csv);
    job_server_close(r->server);
    free(r->ids);
}
DEFINE_AUTO_DONE(struct running, running_done);

/* ---- what is to be read ---- */

static bool log_has_row(void *arg, const char *log)
{
    const struct running *r = arg;
    return job_csv_file_has(&r->csv, log) || hashmap_get(&r->known, span_of(log));
}

/* Logs and directories from ids, each kind in its order. */
static int operands_sort(struct running *r, char *const *operands, size_t count,
                         struct err *err)
{
    AUTO_FREE char **paths = calloc(count + 1, sizeof *paths);
    size_t path_count = 0;
    r->ids = calloc(count + 1, sizeof *r->ids);
    if (!paths || !r->ids)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++)
        if (job_operand_is_log(operands[i]))
            paths[path_count++] = operands[i];
        else
            r->ids[r->id_count++] = operands[i];
    return log_list_make(paths, path_count, &r->logs, &r->counts->unread,
                         r->access->log, r->access->log_arg, err);
}

static int summary_server_open(struct running *r, struct err *err)
{
    int rc = job_server_open(&r->endpoint, &r->server, err);
    if (rc < 0)
        return rc;
    job_server_set_log(r->server, r->access->log, r->access->log_arg);
    rc = log_list_resolve(&r->logs, err);
    return rc < 0
               ? rc
               : job_server_logs(r->server, r->opts->sources->cluster, &r->known, err);
}

static int running_open(struct running *r, char *const *operands, size_t count,
                        struct err *err)
{
    const struct job_summary_run_opts *opts = r->opts;
    int rc = opts->resume ? job_csv_file_open(&r->csv, opts->resume, err) : 0;
    if (rc == 0)
        rc = job_sources_open(opts->sources, &r->sources, err);
    if (rc == 0)
        rc = operands_sort(r, operands, count, err);
    if (rc == 0 && r->endpoint.server && r->logs.count > 0)
        rc = summary_server_open(r, err);
    if (rc < 0)
        return rc;
    const size_t all = r->logs.count;
    if (all == 0 && r->id_count == 0)
        series_log(r->access, "no *.darshan file, and no record of a probe, is there");
    if (!opts->again && log_list_drop(&r->logs, log_has_row, r) > 0)
        series_log(r->access, "%zu of %zu logs had a row already", all - r->logs.count,
                   all);
    r->counts->logs = r->logs.count;
    return 0;
}

/* ---- where rows go ---- */

static int csv_row_add(struct running *r, struct span row, struct err *err)
{
    AUTO(strbuf_done) struct strbuf header = STRBUF_INIT;
    summary_print_csv_header(&header);
    return strbuf_error(&header) < 0
               ? err_set(err, ENOMEM, "out of memory")
               : job_csv_file_add(&r->csv, strbuf_text(&header), row, err);
}

static int row_write(struct running *r, struct span row, struct err *err)
{
    if (row.size == 0)
        return 0;
    return r->opts->resume ? csv_row_add(r, row, err)
                           : r->opts->row(r->opts->arg, row, err);
}

/* What was built is stored soon, so that little is built again after an end. */
static int line_submit(struct running *r, struct span line, struct err *err)
{
    int rc = job_server_submit(r->server, JOB_SERVER_SUMMARIES, line, err);
    if (rc < 0 || clock_monotonic_ns() - r->flushed_ns < SERVER_NS)
        return rc;
    rc = job_server_flush(r->server, err);
    r->flushed_ns = clock_monotonic_ns();
    return rc;
}

static void notes_log(const struct running *r, struct span notes)
{
    while (notes.size > 0) {
        struct span line;
        (void)span_cut(&notes, '\n', &line);
        series_log(r->access, SPAN_FMT, SPAN_ARG(line));
    }
}

static void log_row_print(void *arg, const struct job_context *context,
                          struct strbuf *out)
{
    const struct running *r = arg;
    r->opts->print(r->opts->arg, context, false, out);
}

static int on_summarized(void *arg, const struct job_summarized *result)
{
    struct running *r = arg;
    int rc = 0;
    notes_log(r, result->notes);
    r->counts->lost += result->is_lost;
    if (result->line.size > 0)
        rc = line_submit(r, result->line, &r->why);
    if (rc == 0)
        rc = row_write(r, result->row, &r->why);
    if (r->opts->progress)
        r->opts->progress(r->opts->arg, result->done, r->logs.count);
    return rc;
}

static int stored_row_write(struct running *r, const struct job_context *stored,
                            struct err *err)
{
    AUTO(strbuf_done) struct strbuf row = STRBUF_INIT;
    r->opts->print(r->opts->arg, stored, true, &row);
    return strbuf_error(&row) < 0 ? err_set(err, ENOMEM, "out of memory")
                                  : row_write(r, strbuf_span(&row), err);
}

/* ---- the run ---- */

/* The summaries that a barod has of jobs called by their ids. */
static int ids_write(struct running *r, struct err *err)
{
    struct job_endpoint endpoint = { &r->endpoint, r->opts->sources->cluster, false };
    const struct job_inputs inputs = job_endpoint_inputs(&endpoint);
    int rc = 0;
    for (size_t i = 0; i < r->id_count && rc == 0; i++) {
        AUTO(job_context_done) struct job_context stored;
        struct err why = { 0 };
        job_context_init(&stored);
        rc = inputs.stored(inputs.arg, r->ids[i], &stored, &why);
        if (rc == 0)
            rc = stored_row_write(r, &stored, &why);
        if (rc == -ENOENT) {
            series_log(r->access, "%s", why.text);
            r->counts->lost++;
            rc = 0;
        } else if (rc < 0)
            rc = err_set(err, -rc, "%s", why.text);
    }
    return rc;
}

static int logs_write(struct running *r, struct err *err)
{
    const struct job_summarize_opts opts = {
        .inputs = &r->sources.inputs,
        .logs = r->logs.paths,
        .count = r->logs.count,
        .workers = r->opts->workers,
        .log_time_max_ns = r->opts->log_time_max_ns,
        .wants_lines = r->server != NULL,
        .arg = r,
        .print = log_row_print,
        .result = on_summarized,
    };
    int rc = job_summarize(&opts, err);
    if (rc < 0 && r->why.text[0] && err)
        *err = r->why;
    return rc;
}

/* All that was built is in the database then. */
static int server_finish(struct running *r, struct err *err)
{
    int rc = job_server_flush(r->server, err);
    const struct job_server_counts *counts = job_server_counts(r->server);
    series_log(
        r->access, "%llu new, %llu changed, %llu known, %llu refused",
        (unsigned long long)counts->accepted, (unsigned long long)counts->changed,
        (unsigned long long)counts->duplicate, (unsigned long long)counts->refused);
    r->counts->lost += counts->refused;
    return rc;
}

int job_summary_run(const struct job_summary_run_opts *opts, char *const *operands,
                    size_t count, struct job_summary_counts *ret, struct err *err)
{
    const struct series_opts *access = &opts->sources->access;
    AUTO(running_done)
    struct running r = { .opts = opts,
                         .access = access,
                         .endpoint = { .server = access->server,
                                       .token_file = access->token_file,
                                       .ca_file = access->ca_file },
                         .sources = { .opts = opts->sources },
                         .csv = { .fd = -1 },
                         .flushed_ns = clock_monotonic_ns(),
                         .counts = ret };
    *ret = (struct job_summary_counts){ 0 };
    int rc = running_open(&r, operands, count, err);
    if (rc < 0)
        return rc;
    rc = ids_write(&r, err);
    if (rc == 0)
        rc = logs_write(&r, err);
    if (r.server) {
        struct err why = { 0 };
        int ended = server_finish(&r, &why);
        if (rc == 0 && ended < 0)
            rc = err_set(err, -ended, "%s", why.text);
    }
    if (rc == 0 && ret->lost > 0 && ret->logs > 1)
        series_log(access, "%zu of %zu logs gave no row", ret->lost, ret->logs);
    return rc;
}
