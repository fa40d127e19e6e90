/* SPDX-License-Identifier: Apache-2.0 */
/* local_listener - the socket on which programs of this node submit numbers of their
 * jobs, and events.
 *
 *     a job's program ──metric NAME VALUE──▶ whose? which job? ──▶ submit ──▶ "ok"
 *                                            (the kernel's word)  └▶ "refused: WHY"
 *
 * Who the program is, and in which job, is what the kernel states of the process that
 * connected; nothing of a request is believed but its name and its value.  One response
 * a line, in their order (doc/formats/agent-socket.md); what waits for the disk holds
 * back those behind it, of this connection alone.  One that watches reads lines from
 * then on; it is closed when it sends anything more, and one that watches the node when
 * it is in its job no more.
 *
 * Limits   LOCAL_PEERS_MAX connections, a quarter of them a user's; 10 s of silence,
 * but for those that watch; local_quota, local_watchers. Threads  the loop's; counts:
 * any.
 */
#ifndef AGENT_LOCAL_LOCAL_LISTENER_H
#define AGENT_LOCAL_LOCAL_LISTENER_H

#include "agent/local/local_watchers.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <sys/types.h>
#include <uv.h>

#define LOCAL_PEERS_MAX 64

struct local_submission {
    uid_t uid;
    const char *job; /* of a metric, of files; of a session, "" where it is in none */
    const struct local_request *request;
};

/* What submit returns where the response has to wait: for a disk, not for a program. */
extern const char local_waits[];

struct local_opts {
    const char *path; /* of the socket; not empty */
    const char *root; /* prefix of /proc */
    /* NULL: accepted, otherwise why not. */
    const char *(*submit)(void *arg, const struct local_submission *submission,
                          uint64_t *ret_ticket);
    /* Of a submission that waits, by its ticket: as submit, again and again. */
    const char *(*settle)(void *arg, uint64_t ticket);
    void *arg;
    struct local_watchers *watchers; /* NULL: none may watch */
    /* One more watches the node.  May be NULL. */
    void (*watched)(void *arg);
};

struct local_listener;

/* opts is copied; its texts and the loop outlive it.  A socket that an agent left there
 * is replaced.  Errors: those of bind and listen. */
int local_listener_start(const struct local_opts *opts, uv_loop_t *loop,
                         struct local_listener **ret, struct err *err);
/* The loop has to run once more.  NULL is fine. */
void local_listener_stop(struct local_listener *listener);

struct local_counts {
    uint64_t accepted, refused, turned_away; /* requests; connections */
};
/* All since the process began. */
void local_listener_count(struct local_counts *ret);

#endif
