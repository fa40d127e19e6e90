/* SPDX-License-Identifier: Apache-2.0 */
/* job_sender - the process that reports to barod what jobs had mounted. */
#include "dataset/mount/job_sender.h"

#include "base/cleanup.h"
#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"
#include "net/net.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define GATHER_NS (500 * NS_PER_MS) /* what comes together goes together */
#define PAUSE_MIN_NS (1 * NS_PER_S)
#define PAUSE_MAX_NS (60 * NS_PER_S)
#define TIMEOUT_NS (30 * NS_PER_S)
#define RESPONSE_BYTES_MAX ((size_t)1 << 20)

struct job_sender {
    int spool_fd, changes_fd;
    struct net_client *client;
    const struct forwarder_report *report;
    uint64_t lost; /* that were logged */
    uint64_t empty, unreadable;
    int64_t pause_ns;
    bool was_away, was_stuck;
};

static int rights_give_up(uid_t uid, gid_t gid)
{
    sigset_t none;
    (void)sigemptyset(&none);
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 ||
        setresuid(uid, uid, uid) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) < 0 || chdir("/") < 0)
        return -errno;
    return 0;
}

/* ---- the response ---- */

struct counts_reading {
    uint64_t accepted, refused;
    uint64_t *at; /* NULL: another member */
    bool has_accepted;
};

static int on_counts(void *arg, enum json_event event, struct span text, unsigned depth)
{
    struct counts_reading *r = arg;
    if (event == JSON_KEY && depth == 0) {
        r->at = span_is(text, "accepted")  ? &r->accepted
                : span_is(text, "refused") ? &r->refused
                                           : NULL;
        r->has_accepted |= r->at == &r->accepted;
    } else if (event == JSON_NUMBER && depth == 1 && r->at) {
        (void)number_parse_u64(text, r->at);
    }
    return 0;
}

static void refused_log(const struct job_sender *s, uint64_t count, struct span body)
{
    forwarder_report(s->report, LOG_LEVEL_ERROR, FORWARDER_CHANGE,
                     "barod refused %llu mounts of jobs, which are lost: %.*s",
                     (unsigned long long)count, body.size < 400 ? (int)body.size : 400,
                     body.data);
}

/* Whether barod has what it will have of it. */
static bool is_acknowledged(const struct job_sender *s, const struct net_response *got,
                            struct err *err)
{
    struct counts_reading r = { 0 };
    int rc = net_response_check(got, err);
    if (rc == 0 && got->status == 200)
        rc = json_read(strbuf_span(&got->body), on_counts, &r, err);
    if (rc == 0 && !r.has_accepted)
        rc = err_set(err, EBADMSG, "it is not the response of a barod");
    if (rc == 0 && r.refused > 0)
        refused_log(s, r.refused, strbuf_span(&got->body));
    return rc == 0;
}

static bool batch_post(struct job_sender *s, struct span body)
{
    AUTO(net_response_done) struct net_response got = { 0 };
    struct err err = { 0 };
    int rc = net_client_post(s->client, "/v1/datasets", "application/x-ndjson", NULL,
                             body, &got, &err);
    bool is_done = rc == 0 && is_acknowledged(s, &got, &err);
    if (!is_done && !s->was_away)
        forwarder_report(s->report, LOG_LEVEL_WARN, FORWARDER_CHANGE,
                         "what jobs have mounted waits for barod: %s",
                         err.text[0] ? err.text : strerror(-rc));
    if (is_done && s->was_away)
        forwarder_report(s->report, LOG_LEVEL_NOTICE, FORWARDER_CHANGE,
                         "barod has what jobs have mounted");
    s->was_away = !is_done;
    return is_done;
}

/* ---- the loop ---- */

static void lost_log(struct job_sender *s)
{
    uint64_t lost = job_spool_lost(s->spool_fd);
    if (lost > s->lost)
        forwarder_report(
            s->report, LOG_LEVEL_ERROR, FORWARDER_CHANGE,
            "%llu mounts of jobs are lost in all, %llu since the last such "
            "line: the spool is full (jobs.spool_max), or cannot be written",
            (unsigned long long)lost, (unsigned long long)(lost - s->lost));
    s->lost = lost;
}

/* A spool that is bad altogether is a line now and then, not one a batch. */
static void bad_log(struct job_sender *s, const struct job_spool_batch *batch)
{
    s->empty += batch->empty;
    s->unreadable += batch->unreadable;
    if (batch->empty + batch->unreadable > 0)
        forwarder_report(s->report, LOG_LEVEL_ERROR, FORWARDER_CLIENT,
                         "%llu mounts of jobs are lost in all that were not whole in "
                         "the spool; %llu cannot be read, and are set aside there as "
                         ".bad-*%s%s",
                         (unsigned long long)s->empty,
                         (unsigned long long)s->unreadable, batch->error ? ": " : "",
                         batch->error ? strerror(batch->error) : "");
}

static void stuck_log(struct job_sender *s, int rc)
{
    if (rc < 0 && !s->was_stuck)
        forwarder_report(s->report, LOG_LEVEL_ERROR, FORWARDER_CHANGE,
                         "the spool of what jobs have mounted cannot be read or "
                         "emptied, which is tried again: %s",
                         strerror(-rc));
    if (rc == 0 && s->was_stuck)
        forwarder_report(s->report, LOG_LEVEL_NOTICE, FORWARDER_CHANGE,
                         "the spool of what jobs have mounted is emptied");
    s->was_stuck = rc < 0;
}

static void pause_for(int64_t pause_ns)
{
    const struct timespec pause = { pause_ns / NS_PER_S, pause_ns % NS_PER_S };
    (void)nanosleep(&pause, NULL);
}

/* Nothing runs while nothing is mounted. */
static void changes_wait(const struct job_sender *s)
{
    char events[4096];
    struct pollfd fd = { s->changes_fd, POLLIN, 0 };
    if (poll(&fd, 1, -1) > 0)
        (void)!read(s->changes_fd, events, sizeof events);
    pause_for(GATHER_NS);
}

/* False: it is to be tried again, later. */
static bool batch_send(struct job_sender *s, const struct job_spool_batch *batch,
                       struct span body)
{
    if (batch->count > 0 && !batch_post(s, body))
        return false;
    int rc = job_spool_remove(s->spool_fd, batch);
    stuck_log(s, rc);
    return rc == 0;
}

static void sender_turn(struct job_sender *s)
{
    static struct job_spool_batch batch;
    AUTO(strbuf_done) struct strbuf body = STRBUF_INIT;
    int rc = job_spool_read(s->spool_fd, &batch, &body);
    lost_log(s);
    bad_log(s, &batch);
    if (rc < 0)
        stuck_log(s, rc);
    if (rc == 0 && batch.count + batch.empty + batch.unreadable == 0) {
        stuck_log(s, 0);
        changes_wait(s);
        return;
    }
    if (rc == 0 && batch_send(s, &batch, strbuf_span(&body))) {
        s->pause_ns = 0;
        return;
    }
    s->pause_ns = s->pause_ns ? 2 * s->pause_ns : PAUSE_MIN_NS;
    if (s->pause_ns > PAUSE_MAX_NS)
        s->pause_ns = PAUSE_MAX_NS;
    pause_for(s->pause_ns);
}

static int sender_open(struct job_sender *s, const struct job_report_opts *opts,
                       struct err *err)
{
    const struct net_client_opts client = { .url = opts->server,
                                            .token_file = opts->token_file,
                                            .ca_file = opts->ca_file,
                                            .timeout_ns = TIMEOUT_NS,
                                            .reply_bytes_max = RESPONSE_BYTES_MAX,
                                            .is_closing = true };
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", s->spool_fd);
    s->changes_fd = inotify_init1(IN_CLOEXEC);
    if (s->changes_fd < 0 ||
        inotify_add_watch(s->changes_fd, path, IN_MOVED_TO | IN_CLOSE_WRITE) < 0)
        return err_set(err, errno, "%s: %s", opts->spool, strerror(errno));
    return net_client_new(&client, &s->client, err);
}

void job_sender_run(const struct job_report_opts *opts, int spool_fd, uid_t uid,
                    gid_t gid, const struct forwarder_report *report)
{
    static struct job_sender sender;
    struct err err = { 0 };
    sender = (struct job_sender){ .spool_fd = spool_fd, .report = report };
    int rc = rights_give_up(uid, gid);
    if (rc == 0)
        rc = sender_open(&sender, opts, &err);
    while (rc == 0)
        sender_turn(&sender);
    forwarder_report(report, LOG_LEVEL_ERROR, FORWARDER_CHANGE,
                     "what jobs have mounted is not reported: %s",
                     err.text[0] ? err.text : strerror(-rc));
    _exit(EXIT_FAILURE);
}
