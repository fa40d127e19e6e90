/* SPDX-License-Identifier: Apache-2.0 */
/* member - a node of a job's session: the owner's plugins at each trigger. */
#ifndef JOBSESSION_MEMBER_H
#define JOBSESSION_MEMBER_H

#include "base/err.h"

/* Read the invitation from fd, be a node of that session until fd ends (the program
 * that started it has ended, however), or the control node has not been heard of for
 * long.  Reports to the log.
 * Errors: -EINVAL (the invitation), -ETIMEDOUT (it does not come), as
 * session_start(). */
int session_member_run(int fd, struct err *err);

#endif
