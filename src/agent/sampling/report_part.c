/* SPDX-License-Identifier: Apache-2.0 */
/* report_part - what sessions of this node's users report, on its way to barod. */
#include "agent/sampling/report_part.h"

#include "agent/send/submission_response.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "model/model.h"

#define IDLE_NS (3600 * NS_PER_S)

struct report_part {
    const char *cluster, *host;
    struct text_queue *queue;
    struct local_watchers *watchers; /* NULL: none */
    struct reported_session {
        uid_t uid;
        char id[SESSION_ID_BYTES];
        int64_t used_ns; /* steady; 0: not in use */
    } sessions[REPORT_SESSIONS_MAX];
    char why[sizeof((struct err *)NULL)->text]; /* of the last that was refused */
};

int report_part_open(const struct agent_opts *opts, const struct agent_report *report,
                     uv_loop_t *loop, struct local_watchers *watchers,
                     struct report_part **ret, struct err *err)
{
    static const struct text_queue_opts queue = {
        .name = "sessions",
        .path = "/v1/sessions",
        .content_type = "application/x-ndjson",
        .what = "reports of users' sessions",
        .lines = "reports of users' sessions",
        .refused_event = AGENT_EVENT_SESSIONS_REFUSED,
        .lost_event = AGENT_EVENT_SESSIONS_LOST,
        .bytes_max = REPORT_QUEUE_BYTES_MAX,
        .judge = submission_judge,
    };
    struct report_part *part = calloc(1, sizeof *part);
    if (!part)
        return -ENOMEM;
    part->cluster =
        opts->node.cluster && *opts->node.cluster ? opts->node.cluster : opts->cluster;
    part->host = opts->host;
    part->watchers = watchers;
    int rc = text_queue_open(&queue, opts, report, loop, &part->queue, err);
    if (rc < 0) {
        report_part_close(part);
        return rc;
    }
    *ret = part;
    return 0;
}

void report_part_close(struct report_part *part)
{
    if (!part)
        return;
    text_queue_close(part->queue);
    free(part);
}

/* Sessions that a user makes up cost the site no more than this. */
static bool is_within_quota(struct report_part *part, uid_t uid, struct span id)
{
    int64_t now_ns = clock_steady_ns() + 1; /* never 0 */
    struct reported_session *unused = NULL;
    size_t of_user = 0;
    for (size_t i = 0; i < REPORT_SESSIONS_MAX; i++) {
        struct reported_session *s = &part->sessions[i];
        if (!s->used_ns || now_ns - s->used_ns > IDLE_NS) {
            unused = s;
            continue;
        }
        if (s->uid != uid)
            continue;
        of_user++;
        if (span_eq(id, (struct span){ s->id, sizeof s->id })) {
            s->used_ns = now_ns;
            return true;
        }
    }
    if (!unused || of_user >= REPORT_SESSIONS_OF_USER)
        return false;
    unused->uid = uid;
    unused->used_ns = now_ns;
    memcpy(unused->id, id.data, sizeof unused->id);
    return true;
}

static const char *report_refused(struct report_part *part, int rc,
                                  const struct err *err)
{
    (void)snprintf(part->why, sizeof part->why, "%s",
                   rc == -ENOMEM ? LOCAL_LATER "memory is out" : err->text);
    return part->why;
}

const char *report_part_put(struct report_part *part,
                            const struct local_submission *submission,
                            uint64_t *ret_ticket)
{
    AUTO(arena_done) struct arena arena;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct session_report report;
    struct err err = { 0 };
    char uid[16];
    arena_init(&arena, 0);
    int rc =
        session_report_read_line(submission->request->payload, &arena, &report, &err);
    if (rc < 0)
        return report_refused(part, rc, &err);
    if (!is_within_quota(part, submission->uid, report.session))
        return "a user has at most 16 sessions of an hour on this node, and all users "
               "256";
    (void)snprintf(uid, sizeof uid, "%u", (unsigned)submission->uid);
    report.uid = span_of(uid);
    report.cluster = part->cluster ? span_of(part->cluster) : SPAN("");
    report.host = span_of(part->host);
    report.job = span_of(submission->job);
    report.t_ns = clock_now_ns();
    session_report_print_line(&report, &text);
    /* What is not stored then is sent again: it has a number. */
    if (part->watchers && report.parent.size > 0 && text.size > 0)
        local_watchers_report(part->watchers, submission->uid, report.parent,
                              (struct span){ text.data, text.size - 1 });
    *ret_ticket = text_queue_put(part->queue, &text, 1);
    return local_waits;
}

const char *report_part_settle(struct report_part *part, uint64_t ticket)
{
    switch (text_queue_state(part->queue, ticket)) {
    case TEXT_WAITS:
        return local_waits;
    case TEXT_STORED:
        return NULL;
    default:
        return LOCAL_LATER "the spool of this node cannot be written";
    }
}

void report_part_count(struct report_part *part, struct post_queue_counts *ret)
{
    *ret = (struct post_queue_counts){ 0 };
    if (part)
        text_queue_count(part->queue, ret);
}
