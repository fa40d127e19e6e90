/* SPDX-License-Identifier: Apache-2.0 */
/* daemon - the door of the room, and barod from its start to its stop.
 *
 *     daemon_run ─▶ setup ─▶ steps (start, in order) ─▶ loop ─▶ steps (stop, reversed)
 *     daemon_check ─▶ setup ─▶ check ─▶ lines for a person
 *
 * Threads  the program's only one; the rooms start their own.
 */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "daemon/config/config.h"
#include "daemon/service_user.h"
#include "daemon/setup.h"

/* Until SIGTERM or SIGINT.  Logs, and tells systemd when it is ready.
 * Errors: -EINVAL (the configuration), those of the rooms that did not start. */
int daemon_run(const struct daemon_args *args, struct err *err);
/* --check: out receives what was found good.  Nothing is made and nothing listens.
 * Errors: what daemon_run() would end with. */
int daemon_check(const struct daemon_args *args, struct strbuf *out, struct err *err);

#endif
