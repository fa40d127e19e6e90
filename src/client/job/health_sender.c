/* SPDX-License-Identifier: Apache-2.0 */
/* health_sender - recorded samples of health, sent to a barod. */
#include "client/job/health_sender.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "source/health/health.h"

#include <limits.h>
#include <unistd.h>

#define DAY_NS (86400 * NS_PER_S)
#define MARK_BYTES_MAX 64

static const char *const mark_names[HEALTH_KIND_COUNT] = {
    [HEALTH_KIND_SPACE] = "df.sent",
    [HEALTH_KIND_SERVERS] = "dl.sent",
};

struct health_sending {
    const struct health_sender_opts *opts;
    struct job_server *server;
    struct strbuf line;
    struct err *err;
    char host[HOST_NAME_MAX + 1];
    int64_t newest_ns; /* of what was submitted */
};

static int mark_path(const struct health_sending *s, enum health_kind kind,
                     struct strbuf *ret)
{
    strbuf_addf(ret, "%s/%s", s->opts->dir, mark_names[kind]);
    return strbuf_error(ret) < 0 ? err_set(s->err, ENOMEM, "out of memory") : 0;
}

/* What is no time, or none yet, is of HEALTH_SENDER_DAYS ago. */
static int mark_read(const struct health_sending *s, enum health_kind kind,
                     int64_t *ret_ns)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int64_t oldest_ns = clock_now_ns() - HEALTH_SENDER_DAYS * DAY_NS;
    int rc = mark_path(s, kind, &path);
    if (rc < 0)
        return rc;
    *ret_ns = oldest_ns;
    if (file_read(strbuf_text(&path), MARK_BYTES_MAX, &text, NULL) < 0 ||
        number_parse_seconds(span_trim(strbuf_span(&text)), ret_ns) < 0 ||
        *ret_ns < oldest_ns)
        *ret_ns = oldest_ns;
    return 0;
}

static int mark_write(const struct health_sending *s, enum health_kind kind)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    char text[MARK_BYTES_MAX];
    int size =
        snprintf(text, sizeof text, "%lld\n", (long long)(s->newest_ns / NS_PER_S));
    int rc = mark_path(s, kind, &path);
    return rc < 0 ? rc
                  : file_replace(strbuf_text(&path), text, (size_t)size, 0644, s->err);
}

static int reading_submit(void *arg, const struct target_reading *reading)
{
    struct health_sending *s = arg;
    strbuf_clear(&s->line);
    target_reading_print_line(reading, &s->line);
    if (strbuf_error(&s->line) < 0)
        return err_set(s->err, ENOMEM, "out of memory");
    return job_server_submit(s->server, JOB_SERVER_READINGS, strbuf_span(&s->line),
                             s->err);
}

static int block_submit(struct health_sending *s, const struct health_block *block)
{
    AUTO(health_sample_done) struct health_sample sample;
    const struct health_readings_opts readings = {
        .cluster = span_of(s->opts->cluster ? s->opts->cluster : ""),
        .source = span_of(s->host),
        .t_ns = block->t_ns,
        .fn = reading_submit,
        .arg = s,
    };
    uint64_t left_out = 0;
    health_sample_init(&sample);
    if (health_sample_add(&sample, block, NULL, NULL) < 0)
        return err_set(s->err, ENOMEM, "out of memory");
    return health_sample_readings(&sample, &readings, &left_out);
}

/* The samples of one file that are after the mark, in the order of the file. */
static int text_submit(struct health_sending *s, struct span text, int64_t mark_ns)
{
    struct health_blocks blocks;
    struct health_block block;
    int rc = 0;
    health_blocks_init(&blocks, text);
    while (rc == 0 && health_blocks_next(&blocks, &block)) {
        if (!block.has_time || block.t_ns <= mark_ns || block.t_ns > clock_now_ns())
            continue;
        rc = block_submit(s, &block);
        s->newest_ns = block.t_ns > s->newest_ns ? block.t_ns : s->newest_ns;
    }
    return rc == 0 ? job_server_flush(s->server, s->err) : rc;
}

/* Day by day, so that what was acknowledged is not sent again. */
static int kind_send(struct health_sending *s, struct health_dir *dir,
                     enum health_kind kind)
{
    int64_t mark_ns = 0, now_ns = clock_now_ns();
    const char *last = NULL;
    int rc = mark_read(s, kind, &mark_ns);
    for (int64_t day = mark_ns / DAY_NS; rc == 0 && day <= now_ns / DAY_NS; day++) {
        int64_t end_ns = (day + 1) * DAY_NS - 1;
        struct span text;
        const char *name;
        rc = health_dir_at(dir, kind, end_ns < now_ns ? end_ns : now_ns, &text, &name,
                           s->err);
        bool is_there = rc == 0 && name != last;
        if (rc == -ENOENT)
            rc = 0;
        if (!is_there)
            continue;
        last = name;
        s->newest_ns = mark_ns;
        rc = text_submit(s, text, mark_ns);
        if (rc == 0 && s->newest_ns > mark_ns)
            rc = mark_write(s, kind);
    }
    return rc;
}

int health_send(const struct client_endpoint *endpoint,
                const struct health_sender_opts *opts, struct job_server_counts *ret,
                struct err *err)
{
    AUTO(health_dir_close) struct health_dir *dir = NULL;
    AUTO(job_server_close) struct job_server *server = NULL;
    struct health_sending s = { .opts = opts, .line = STRBUF_INIT, .err = err };
    if (gethostname(s.host, HOST_NAME_MAX) < 0)
        s.host[0] = 0;
    int rc = health_dir_open(opts->dir, &dir, err);
    if (rc == 0)
        rc = job_server_open(endpoint, &server, err);
    if (rc < 0)
        return rc;
    s.server = server;
    job_server_set_log(server, opts->log, opts->log_arg);
    for (unsigned kind = 0; rc == 0 && kind < HEALTH_KIND_COUNT; kind++)
        rc = kind_send(&s, dir, (enum health_kind)kind);
    strbuf_done(&s.line);
    *ret = *job_server_counts(server);
    if (rc == 0 && ret->refused > 0 &&
        ret->accepted + ret->changed + ret->duplicate == 0)
        return err_set(err, EBADMSG, "barod refused every reading");
    return rc;
}
