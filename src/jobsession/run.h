/* SPDX-License-Identifier: Apache-2.0 */
/* run - a command with a session around it: this program is its control node.
 *
 *     own_session begins ─▶ the command, from its start to its exit ─▶ own_session ends
 *
 * What is wrong with the options is an error, and the command does not run.  What fails
 * of the session later is a warning: it costs the command nothing.
 * Threads  the main one, with no others.
 */
#ifndef JOBSESSION_RUN_H
#define JOBSESSION_RUN_H

#include "jobsession/own_session.h"

/* *ret_status: the command's exit status, 128 and the signal that ended it; 127 or 126
 * where it cannot be started.  Errors: -EINVAL and others before the command began. */
int session_run(const struct own_session_opts *opts, int *ret_status, struct err *err);

#endif
