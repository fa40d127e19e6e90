/* SPDX-License-Identifier: Apache-2.0 */
/* probe_run - a phase of a probe, out of the record that baro-abc stored, as a job's
 * context: what was around it is joined as around any job.
 *
 *     "probes/2026/11/21/ID.json:write" ──▶ facts of the phase ──▶ context
 *
 * Its id is that of the phase, "ID-write", as in runs.csv; darshan_jobid is the job of
 * the batch system that it ran in.
 */
#ifndef CLIENT_JOB_PROBE_RUN_H
#define CLIENT_JOB_PROBE_RUN_H

#include "analysis/job/job.h"

/* Whether a file's path is that of a record: ID.json. */
bool probe_run_is_record(const char *path);
/* Whether a file's name is that of a log beside a record: of a phase that is a run
 * already. */
bool probe_run_is_log(const char *name);
/* Whether a name is that of a record's phase; *ret_path, which may be NULL, gets the
 * size of the record's path in it. */
bool probe_run_is_phase(const char *name, size_t *ret_path);
/* ":write" and ":read". */
extern const char *const probe_run_suffixes[2];

/* context is initialised; after a failure it is to be done with, too.
 * Errors: as file_read() and probe_record_parse(), -ENODATA (the phase did
 * not come to its end), as job_build_around(); err names the phase. */
int probe_run_build(const struct job_inputs *inputs, const char *name,
                    struct job_context *context, struct err *err);

#endif
