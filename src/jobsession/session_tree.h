/* SPDX-License-Identifier: Apache-2.0 */
/* session_tree - a session by its name: where its control process serves its owner.
 *
 *     NAME          below ~/.local/share/barograph/sessions, else as the site lists it
 *     OUTER:INNER   INNER among the children of OUTER, and so on
 *     /DIR          the session in that directory
 *
 * Threads  one; the site is queried where the first name is in no directory here.
 */
#ifndef JOBSESSION_SESSION_TREE_H
#define JOBSESSION_SESSION_TREE_H

#include "client/client.h"
#include "jobsession/control_listener.h"

#define SESSION_TREE_DEPTH_MAX 8

struct tree_session {
    struct strbuf dir;
    char url[CONTROL_URL_SIZE]; /* valid while fd is open */
    int fd;
};

/* Its control process runs on this host, and may be queried by this user.
 * Errors: -ENOENT (a part of the name is not there: err states which, and which
 * children there are), -EINVAL (it names several), -ESRCH (it has ended, or is dead),
 * -EREMOTE (it is on another host, which err names), -EACCES, -EPERM (another user's).
 */
int session_tree_find(const char *name, const struct client_endpoint *site,
                      struct tree_session *ret, struct err *err);
void tree_session_done(struct tree_session *session);
DEFINE_AUTO_DONE(struct tree_session, tree_session_done);

#endif
