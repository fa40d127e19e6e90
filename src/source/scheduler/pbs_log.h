/* SPDX-License-Identifier: Apache-2.0 */
/* pbs_log - the accounting log of PBS and Torque.
 *
 *     11/21/2026 02:25:33;E;12.pbs01;user=ann group=phys jobname=a.sh queue=batch
 *         ctime=1795227920 start=1795227930 exec_host=n1/0+n2/0 end=1795227933 ...
 *
 * One line a record.  S begins a run, E ends it, as do R (it is run again later) and A
 * where they tell a start; other records tell no more of a job than these.  The line's
 * own time has no zone and is not used.
 */
#ifndef SOURCE_SCHEDULER_PBS_LOG_H
#define SOURCE_SCHEDULER_PBS_LOG_H

#include "source/scheduler/job_form.h"

/* Whether line is a record: "MM/DD/YYYY hh:mm:ss;X;". */
bool pbs_log_is_record(struct span line);

/* The next line, from 1; fields is the caller's, for reuse.  Errors: as job_list_add.
 */
int pbs_log_line(struct span line, uint64_t number, const struct job_text_opts *opts,
                 struct job_fields *fields, struct job_list *list);

#endif
