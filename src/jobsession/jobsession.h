/* SPDX-License-Identifier: Apache-2.0 */
/* jobsession - a session that a user starts for her own command; the room's door.
 *
 *     session_run() ── invitation, by standard input ──▶ session_node_run() on each
 * node │  rank 0: trigger, results, events                 ranks 1..N: her plugins ├─▶
 * session.db in her directory └─▶ her command, whose exit status it is
 */
#ifndef JOBSESSION_JOBSESSION_H
#define JOBSESSION_JOBSESSION_H

#include "jobsession/args.h"
#include "jobsession/member.h"
#include "jobsession/run.h"
#include "jobsession/service.h"
#include "jobsession/session_tree.h"

#endif
