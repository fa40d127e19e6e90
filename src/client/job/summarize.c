/* SPDX-License-Identifier: Apache-2.0 */
/* summarize - each log's context, built by worker processes, in the order of the logs.
 */
#include "client/job/summarize.h"

#include "base/number.h"
#include "base/span.h"
#include "base/system/pool.h"
#include "client/job/probe_run.h"

#include <string.h>

#define LOG_TIME_MAX_NS (300 * NS_PER_S)

/* ---- what a worker sends: texts with their sizes in front ---- */

#define PARTS 3

static void parts_print(const struct span *parts, struct strbuf *out)
{
    for (size_t i = 0; i < PARTS; i++) {
        uint64_t size = parts[i].size;
        strbuf_add(out, &size, sizeof size);
        strbuf_add_span(out, parts[i]);
    }
}

static int parts_read(struct span bytes, struct span *parts)
{
    for (size_t i = 0; i < PARTS; i++) {
        uint64_t size;
        if (bytes.size < sizeof size)
            return -EBADMSG;
        memcpy(&size, bytes.data, sizeof size);
        bytes = span_skip(bytes, sizeof size);
        if (size > bytes.size)
            return -EBADMSG;
        parts[i] = (struct span){ bytes.data, size };
        bytes = span_skip(bytes, size);
    }
    return 0;
}

/* ---- in a worker ---- */

static void on_task(void *arg, size_t task, struct strbuf *ret)
{
    const struct job_summarize_opts *opts = arg;
    const char *log = opts->logs[task];
    AUTO(job_context_done) struct job_context context;
    AUTO(strbuf_done) struct strbuf faults = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf notes = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf row = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    struct err err = { 0 };
    job_context_init(&context);
    int rc = probe_run_is_phase(log, NULL)
                 ? probe_run_build(opts->inputs, log, &context, &err)
                 : job_build(opts->inputs, log, &context, &faults, &err);
    if (faults.size > 0)
        strbuf_addf(&notes, "%s: %s", log, strbuf_text(&faults));
    if (rc < 0)
        strbuf_addf(&notes, "%s\n", err.text[0] ? err.text : strerror(-rc));
    if (rc == 0 && opts->print)
        opts->print(opts->arg, &context, &row);
    if (rc == 0 && opts->wants_lines)
        job_context_print_line(&context, &line);
    const struct span parts[PARTS] = { strbuf_span(&row), strbuf_span(&line),
                                       strbuf_span(&notes) };
    parts_print(parts, ret);
    if (strbuf_error(&row) < 0 || strbuf_error(&notes) < 0 || strbuf_error(&line) < 0)
        ret->error = -ENOMEM;
}

/* ---- in the caller's process ---- */

static int on_result(void *arg, const struct pool_result *result)
{
    const struct job_summarize_opts *opts = arg;
    AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
    struct span parts[PARTS] = { 0 };
    struct job_summarized summarized = { .log = opts->logs[result->task],
                                         .done = result->task + 1 };
    int rc = result->fate == POOL_DONE ? parts_read(result->bytes, parts) : 0;
    if (rc < 0)
        return rc;
    summarized.row = parts[0];
    summarized.line = parts[1];
    summarized.notes = parts[2];
    summarized.is_lost = parts[0].size == 0 && parts[1].size == 0;
    if (result->fate == POOL_LATE)
        strbuf_addf(&why, "%s: took longer than --log-time-max: given up\n",
                    summarized.log);
    else if (result->fate != POOL_DONE)
        strbuf_addf(&why, "%s: the process that read it ended twice: %s\n",
                    summarized.log,
                    result->signal ? strsignal(result->signal) : "by itself");
    if (result->fate != POOL_DONE)
        summarized.notes = strbuf_span(&why);
    return opts->result(opts->arg, &summarized);
}

int job_summarize(const struct job_summarize_opts *opts, struct err *err)
{
    uint64_t workers = opts->workers ? opts->workers : pool_workers_default();
    const struct pool_opts pool = {
        .workers = workers < POOL_WORKERS_MAX ? (unsigned)workers : POOL_WORKERS_MAX,
        .count = opts->count,
        .task_ns_max = opts->log_time_max_ns ? opts->log_time_max_ns : LOG_TIME_MAX_NS,
        .arg = (void *)(uintptr_t)opts,
        .work = on_task,
        .take = on_result,
    };
    return pool_run(&pool, err);
}
