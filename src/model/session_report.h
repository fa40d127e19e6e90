/* SPDX-License-Identifier: Apache-2.0 */
/* session_report - what a session that a user started reports to the site: itself, and
 * events of it that the site is to have.
 *
 *     {"session":"1f0c...","sequence":0,"name":"step0.job-4711.alex","state":"running",
 *      "hosts":"a[0001-0002]","ranks":2,"address":"10.0.0.1:20011","start":1669014000,
 *      "beat":30000}
 *     {"session":"1f0c...","sequence":3,"event":"fds.high","payload":"{...}",
 *      "start":1669014060}
 *
 * Sequence 0 is the session itself, which is reported again and again; an event has a
 * number of its own from 1.  Who it is, where and when is what the agent of the node
 * adds: uid, host, cluster, job, t.
 */
#ifndef MODEL_SESSION_REPORT_H
#define MODEL_SESSION_REPORT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

#define SESSION_ID_BYTES ((size_t)32) /* hexadecimal digits */
#define SESSION_NAME_BYTES_MAX ((size_t)128)
#define SESSION_HOSTS_BYTES_MAX ((size_t)2048)
#define SESSION_ADDRESS_BYTES_MAX ((size_t)300)
#define SESSION_PAYLOAD_BYTES_MAX ((size_t)3072)
/* Twice the line of the agent's socket: what it adds has to have a place. */
#define SESSION_REPORT_LINE_BYTES_MAX ((size_t)8704)
/* An opinion about the health of a node: the payload is a line of a statement whose
 * component is session/HOST. */
#define SESSION_EVENT_HEALTH "health"
/* Of one session. */
#define SESSION_EVENTS_MAX UINT64_C(10000)

struct session_report {
    struct span session; /* SESSION_ID_BYTES */
    uint64_t sequence;
    struct span name;   /* of the session, or of the event */
    struct span parent; /* the session that it was started in; empty: the site's */
    struct span hosts, address;
    struct span reason; /* why it ended */
    struct span payload;
    bool has_ended;
    uint64_t ranks, beat_ms; /* it is reported so often */
    uint64_t events;         /* that it had for the site until then */
    int64_t start_ns;        /* of the session, or of the event */
    /* By the agent. */
    struct span uid;                /* in digits */
    struct span cluster, host, job; /* job empty: it is in none */
    int64_t t_ns;                   /* when the agent had it; 0: not yet */
};

/* Why it cannot be stored, or NULL.  Static text.  What the agent adds is not looked
 * at. */
const char *session_report_check(const struct session_report *report);
/* The same of what the agent adds. */
const char *session_report_check_sender(const struct session_report *report);

/* With a newline at its end. */
void session_report_print_line(const struct session_report *report, struct strbuf *out);
/* Texts of *ret lie in arena; it was checked.  Errors: -EBADMSG (err has the reason),
 * -ENOMEM. */
int session_report_read_line(struct span line, struct arena *arena,
                             struct session_report *ret, struct err *err);

#endif
