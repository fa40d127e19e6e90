/* SPDX-License-Identifier: Apache-2.0 */
/* darshan_log - logs that libdarshan writes of a campaign's processes, beside their
 * records.
 *
 *     children: DARSHAN_LOGFILE of each ─▶ 2026/11/21/ID-write.3.darshan   a process
 *     ranks of MPI: of the leader ───────▶ 2026/11/21/STAMP-PID.darshan    all of them
 *
 * libdarshan reads that variable when the process ends, or in MPI_Finalize, makes the
 * file anew and never writes over another: the names are those of their records.  What
 * was written is known of children when they have ended, of ranks after all is over.
 */
#ifndef PROBE_DARSHAN_LOG_H
#define PROBE_DARSHAN_LOG_H

#include "probe/run.h"

#define DARSHAN_LOG_SUFFIX ".darshan"

/* libdarshan was loaded into this program, and is not disabled. */
bool darshan_log_is_expected(void);

/* "2026/11/21", of UTC. */
#define DARSHAN_LOG_DAY_BYTES 40
void darshan_log_day(char day[static DARSHAN_LOG_DAY_BYTES], int64_t t_ns);

/* Of one process: stem is ARCHIVE/2026/11/21/ID, or from the day on.
 * Errors: -ENAMETOOLONG. */
int darshan_log_path(char path[static RUN_PATH_MAX], const char *stem,
                     enum shape_phase phase, unsigned rank);
/* Where libdarshan will write the log of this process.  Errors: -ENAMETOOLONG,
 * -ENOMEM. */
int darshan_log_set(const char *path);

/* Set is_logged of the processes whose log is there; returns how many have none. */
unsigned darshan_log_find(const char *stem, struct run_result *result);

/* Remove the logs of the processes of a record, "DIR/ID.json", that is removed. */
void darshan_log_drop(const char *document);
/* Whether a file's name is that of the log of all ranks of a campaign. */
bool darshan_log_is_of_all(const char *name);
/* Whether it is of the campaign that a record is of; both are paths. */
bool darshan_log_is_of(const char *log, const char *document);

#endif
