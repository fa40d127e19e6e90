/* SPDX-License-Identifier: Apache-2.0 */
/* client/job - what is known of jobs, out of files and of barods: job_inputs filled for
 * the command line; the room's door.
 */
#ifndef CLIENT_JOB_JOB_H
#define CLIENT_JOB_JOB_H

#include "client/job/barod_parts.h"
#include "client/job/csv_file.h"
#include "client/job/database.h"
#include "client/job/files.h"
#include "client/job/finding_trial.h"
#include "client/job/gather.h"
#include "client/job/health_sender.h"
#include "client/job/job_comments.h"
#include "client/job/job_io.h"
#include "client/job/job_selection.h"
#include "client/job/log_list.h"
#include "client/job/operand.h"
#include "client/job/probe_run.h"
#include "client/job/progress.h"
#include "client/job/served_page.h"
#include "client/job/server.h"
#include "client/job/servers.h"
#include "client/job/sources.h"
#include "client/job/summarize.h"
#include "client/job/summary_run.h"
#include "client/job/window_sources.h"

#endif
