/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - what barod does by itself with the records of jobs; the room's door. */
#ifndef DAEMON_JOBS_JOBS_H
#define DAEMON_JOBS_JOBS_H

#include "daemon/jobs/footprint_worker.h"
#include "daemon/jobs/running_hosts.h"

#endif
