/* SPDX-License-Identifier: Apache-2.0 */
/* local_watchers - who reads on the socket what the site has for a job, and what waits
 * for each.
 *
 *     events of this node ──▶ the last 64 ──┐             ┌─▶ lines of one (64 KiB) ─▶
 *     its health at the site ─▶ the last ───┼─▶ whose? ───┤
 *     reports of inner sessions ────────────┘             └─▶ lines of another ─▶
 *
 * One that reads too slowly costs no other anything: lines that have no place are lost,
 * and it reads how many.  What of the site's events may be given away is decided by who
 * calls; an event that a user published ("user.") is that user's alone.
 *
 * Bounds   LOCAL_WATCHERS_MAX, the last LOCAL_WATCHERS_OF_NEW for users that have
 *          none; LOCAL_WATCHERS_OF_USER of one user in a job, each with
 *          LOCAL_WATCH_BYTES_MAX; LOCAL_EVENTS_STORED of at most 8 KiB;
 *          LOCAL_JOBS_KNOWN: the one that watched least recently is new again.
 * Threads  the loop's; counts: any.
 */
#ifndef AGENT_LOCAL_LOCAL_WATCHERS_H
#define AGENT_LOCAL_LOCAL_WATCHERS_H

#include "agent/local/local_request.h"
#include "base/system/process_job.h"
#include "session/session.h"

#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

enum {
    LOCAL_WATCHERS_MAX = 32,
    LOCAL_WATCHERS_OF_USER = 8,
    LOCAL_WATCHERS_OF_NEW = 8,
    LOCAL_JOBS_KNOWN = 64,
    LOCAL_WATCH_BYTES_MAX = 65536,
    LOCAL_EVENTS_STORED = 64
};

struct local_watchers;
struct local_watcher;

/* Errors: -ENOMEM. */
int local_watchers_new(struct local_watchers **ret);
void local_watchers_free(struct local_watchers *watchers); /* NULL is fine */

/* job: its id, "" of one in none, which may not watch the node: nothing that came
 * before its job first watched is for it.  Why not, or NULL.  Nothing is written to
 * stream before local_watcher_begin(), so that the response comes first; stream
 * outlives the watcher. */
const char *local_watchers_add(struct local_watchers *watchers, uid_t uid,
                               const char *job, const struct local_request *request,
                               uv_stream_t *stream, struct local_watcher **ret);
bool local_watcher_is_of_node(const struct local_watcher *watcher);
void local_watcher_begin(struct local_watcher *watcher, int64_t now_ns);
/* Before stream is closed, and after it was.  NULL is fine. */
void local_watcher_end(struct local_watcher *watcher);
void local_watcher_free(struct local_watcher *watcher);

/* How many watch this node, and may be given what the site has of it. */
size_t local_watchers_of_node(const struct local_watchers *watchers);

/* Each event in the site's session, in its order; is_given: it is about this node, and
 * may be given away. */
void local_watchers_event(struct local_watchers *watchers,
                          const struct session_event *event, bool is_given);
void local_watchers_gap(struct local_watchers *watchers, const struct session_gap *gap);
/* How far the events are, for all that watch the node. */
void local_watchers_position(struct local_watchers *watchers);
/* line: a statement (model/resource.h), without its newline, which is so now; one that
 * is as the last one was is not sent again.  It is forgotten when none watches the
 * node, and after ten seconds one that begins is not given it. */
void local_watchers_health(struct local_watchers *watchers, struct span line,
                           int64_t now_ns);
/* A report that was accepted of a session whose parent is one of uid's: its line. */
void local_watchers_report(struct local_watchers *watchers, uid_t uid,
                           struct span parent, struct span line);

struct local_watch_counts {
    uint64_t watchers, given, lost; /* now; lines */
};
/* All since the process began. */
void local_watchers_count(struct local_watch_counts *ret);

#endif
