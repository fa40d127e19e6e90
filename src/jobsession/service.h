/* SPDX-License-Identifier: Apache-2.0 */
/* service - a session without a command, which runs until it is stopped.
 *
 *     service_start ─ fork ─▶ its control process: own_session begins ─▶ stays ─▶ ends
 *        │  waits until it is up,         ▲ a request by control.sock, SIGTERM
 *        ▼  or why it is not              │
 *     a line for a person              service_stop, which waits until it has ended
 *
 * The process is of the user, in a session of the system's of its own, without a
 * terminal; its output is in control.log.  After any death of it, service_start() goes
 * on with what it had stored.
 * Threads  the main one, with no others.
 */
#ifndef JOBSESSION_SERVICE_H
#define JOBSESSION_SERVICE_H

#include "jobsession/own_session.h"
#include "jobsession/service_state.h"

enum service_origin {
    SERVICE_GIVEN, /* new, or with the options that it was started with */
    SERVICE_AGAIN, /* one that is there, with its options; none else are given */
};

/* opts.name is given, or opts.directory.  Append a line that states where it is.
 * Errors: -EINVAL (options), -EBUSY (it runs), -EBADMSG (its data are damaged, or
 * another's), -ENOENT (again, and there is none), -ECANCELED (it did not come up); each
 * with a line in err. */
int service_start(const struct own_session_opts *opts, enum service_origin origin,
                  struct strbuf *out, struct err *err);

/* End it in order, after wait_ns by SIGKILL; append what came of it.  One that has
 * ended is fine; of one that was killed what is left is ended. Errors: -ENOENT (there
 * is none), -EREMOTE (it is on another host, which err names), -EPERM, -EACCES (another
 * user's), -ETIMEDOUT (it was killed). */
int service_stop(const char *name, const char *directory, int64_t wait_ns,
                 struct strbuf *out, struct err *err);

#endif
