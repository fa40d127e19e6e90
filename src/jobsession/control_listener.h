/* SPDX-License-Identifier: Apache-2.0 */
/* control_listener - the socket in a session's directory by which its control process
 * serves its owner.
 *
 *     DIR/control.sock, mode 0600 ─▶ uid by SO_PEERCRED: the owner's, or root ─▶
 *         GET  /v1/session, /v1/session/nodes, /v1/events; POST /v1/events/{name}
 *         GET  /v1/sessions          the sessions that were started in this one
 *         POST /v1/session/stop      its end begins; who waits for it watches the lock
 *
 * Threads  open, close: the main one; stop_fn comes on a thread of the listener, and
 *          must not wait.
 */
#ifndef JOBSESSION_CONTROL_LISTENER_H
#define JOBSESSION_CONTROL_LISTENER_H

#include "api/session/session.h"
#include "base/err.h"

#include <sys/types.h>

#define CONTROL_SOCKET "control.sock"

struct control_listener;

struct control_listener_opts {
    const char *dir;           /* of the session; both outlive it */
    struct session_view *view; /* that has not been registered yet */
    /* NULL: it ends with its command alone, and a stop is refused. */
    void (*stop_fn)(void *arg, uid_t uid);
    void *arg;
};

/* Errors: those of bind and listen, -EADDRINUSE (another process has it), -ENOMEM. */
int control_listener_open(const struct control_listener_opts *opts,
                          struct control_listener **ret, struct err *err);
/* The view is stopped before it, so that nothing waits.  NULL is fine. */
void control_listener_close(struct control_listener *listener);
DEFINE_AUTO(struct control_listener, control_listener_close);

/* ---- at the other end ---- */

/* The URL of the socket of the session in dir; *ret_fd has to be open while it is used,
 * -1: nothing has.  A path that is too long for a socket leads by an open directory.
 * Errors: those of open. */
#define CONTROL_URL_SIZE 128
int control_socket_url(const char *dir, int *ret_fd, char ret[static CONTROL_URL_SIZE],
                       struct err *err);

#endif
