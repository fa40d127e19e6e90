/* SPDX-License-Identifier: Apache-2.0 */
/* recorder - raw dumps of this server, stored in a directory round after round. */
#include "agent/capture/recorder.h"

#include "agent/capture/anonymize.h"
#include "agent/capture/capture_file.h"
#include "agent/param.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"

#include <dirent.h>
#include <sys/stat.h>
#include <time.h>

struct recorder {
    const struct recorder_opts *opts;
    struct recorder_counts *counts;
};

static int read_param(const struct recorder *r, const char *flag, const char *one,
                      const char *two, struct param_result *ret)
{
    recorder_read_fn *fn = r->opts->read_fn ? r->opts->read_fn : get_param_wait;
    return fn(&r->opts->source, flag, one, two, ret);
}

/* ---- one round ---- */

static int record_text(struct recorder *r, int64_t t_ms, struct span param,
                       struct span text, struct err *err)
{
    AUTO(strbuf_done) struct strbuf other = STRBUF_INIT;
    if (r->opts->anonymize && !span_is(param, CAPTURE_LIST)) {
        capture_anonymize(text, r->opts->key, &other);
        if (strbuf_error(&other))
            return -ENOMEM;
        text = strbuf_span(&other);
    }
    r->counts->bytes += text.size;
    return capture_write(r->opts->dir, r->opts->host, t_ms, param, text, err);
}

static int record_target(struct recorder *r, struct span param, struct err *err)
{
    AUTO(param_result_done) struct param_result result = { 0 };
    AUTO_FREE char *text = span_dup(param);
    if (!text)
        return -ENOMEM;
    int64_t t_ms = clock_now_ms();
    int rc = read_param(r, "-n", text, NULL, &result);
    if (rc < 0 || result.error || result.status) {
        struct span complaint = strbuf_span(&result.complaint);
        agent_report(r->opts->report, LOG_LEVEL_WARN, AGENT_EVENT_READ_FAILED,
                     "%s: %s " SPAN_FMT "; left out", text,
                     result.error ? strerror(-result.error) : "cannot be read:",
                     SPAN_ARG(complaint));
        return 0;
    }
    r->counts->dumps++;
    param.size -= strlen(".job_stats");
    return record_text(r, t_ms, param, strbuf_span(&result.text), err);
}

static int record_round(struct recorder *r, struct err *err)
{
    AUTO(param_result_done) struct param_result list = { 0 };
    AUTO(param_result_done) struct param_result cleanup = { 0 };
    int64_t t_ms = clock_now_ms();
    int rc = read_param(r, "-N", "obdfilter.*.job_stats", "mdt.*.job_stats", &list);
    if (rc < 0)
        return err_set(err, -rc, "start '%s': %s", r->opts->source.lctl, strerror(-rc));
    (void)read_param(r, NULL, "obdfilter.*.job_cleanup_interval",
                     "mdt.*.job_cleanup_interval", &cleanup);
    size_t list_size = list.text.size;
    strbuf_add_span(&list.text, strbuf_span(&cleanup.text));
    rc = record_text(r, t_ms, span_of(CAPTURE_LIST), strbuf_span(&list.text), err);
    struct span rest = { strbuf_text(&list.text), list_size }, line, name;
    enum target_kind kind;
    while (rc == 0 && rest.size && !*r->opts->is_ended) {
        (void)span_cut(&rest, '\n', &line);
        line = span_trim(line);
        if (agent_parse_param(line, "job_stats", &name, &kind) == 0)
            rc = record_target(r, line, err);
    }
    return rc;
}

/* ---- bounded ---- */

static int is_of_capture(const struct dirent *entry)
{
    struct capture_file file;
    return capture_parse_name(span_of(entry->d_name), &file) == 0;
}

/* The oldest files go until the rest fits; names of one length sort by time. */
static int record_prune(const struct recorder *r)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "%s/%s", r->opts->dir, r->opts->host);
    struct dirent **names = NULL;
    int count = scandir(strbuf_text(&path), &names, is_of_capture, alphasort);
    uint64_t bytes = 0;
    for (int i = count - 1; i >= 0; i--) {
        struct stat st;
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s/%s", r->opts->dir, r->opts->host, names[i]->d_name);
        if (!strbuf_error(&path) && stat(path.data, &st) == 0)
            bytes += (uint64_t)st.st_size;
        if (bytes > r->opts->bytes_max && !strbuf_error(&path))
            (void)unlink(path.data);
        free(names[i]);
    }
    free(names);
    return count < 0 ? -errno : 0;
}

/* ---- rounds ---- */

/* Until the next multiple of every, or a signal. */
static void record_wait(const struct recorder *r)
{
    int64_t interval_ns = r->opts->interval_ns;
    int64_t next_ns = agent_round_at(clock_now_ns() + 1, interval_ns);
    while (!*r->opts->is_ended) {
        int64_t wait_ms = clock_wait_ms(next_ns);
        if (wait_ms <= 0)
            return;
        if (wait_ms > interval_ns / NS_PER_MS) { /* the clock was set back */
            next_ns = agent_round_at(clock_now_ns() + 1, interval_ns);
            continue;
        }
        struct timespec t = { wait_ms / MS_PER_S, wait_ms % MS_PER_S * NS_PER_MS };
        (void)nanosleep(&t, NULL);
    }
}

int recorder_check(const struct recorder_opts *opts, struct err *err)
{
    if (!*opts->host || strchr(opts->host, '/'))
        return err_set(err, EINVAL, "--host: invalid name \"%s\"", opts->host);
    return 0;
}

int recorder_run(const struct recorder_opts *opts, struct recorder_counts *ret,
                 struct err *err)
{
    struct recorder r = { opts, ret };
    struct uuid ignored;
    *ret = (struct recorder_counts){ 0 };
    int rc = capture_uuid(opts->dir, &ignored, err);
    for (uint64_t round = 0; rc == 0 && !*opts->is_ended; round++) {
        if (round)
            record_wait(&r);
        if (*opts->is_ended)
            break;
        rc = record_round(&r, err);
        if (rc == 0)
            rc = record_prune(&r);
        if (opts->rounds && round + 1 >= opts->rounds)
            break;
    }
    return rc;
}
