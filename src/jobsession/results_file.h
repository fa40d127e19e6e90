/* SPDX-License-Identifier: Apache-2.0 */
/* results_file - what a job's session found, in a SQLite file of its owner.
 *
 *     session's thread ── rows (32 MiB at most) ──▶ writer's thread ──▶ session.db
 *
 * The session does not wait for a disk: rows that have no place are lost, and counted.
 * Tables: session, results, samples, events, health, files
 * (doc/formats/session-db.md).
 * Threads  open, close, note: one; result, event: any one; count: any.
 */
#ifndef JOBSESSION_RESULTS_FILE_H
#define JOBSESSION_RESULTS_FILE_H

#include "session/session.h"

#define RESULTS_QUEUE_BYTES_MAX ((size_t)32 << 20)
#define RESULTS_WAIT_NS INT64_C(30000000000)

struct results_file;

/* A new file of mode 0600 that grows to bytes_max at most.
 * Errors: -EEXIST, -EIO and those of open, with a line in err. */
int results_file_open(const char *path, uint64_t bytes_max, struct results_file **ret,
                      struct err *err);
/* The file of a session that had another process, with what that one left: see
 * results_past.h, also for errors. */
struct results_past;
int results_file_resume(const char *path, uint64_t bytes_max, struct results_past *past,
                        struct results_file **ret, struct err *err);
/* What is queued is written first, for wait_ns and some seconds at most.  False: a
 * write is under way that does not return, and file is left as it is: end the program
 * without more ado.  NULL is fine. */
bool results_file_end(struct results_file *file, int64_t wait_ns);
void results_file_close(struct results_file *file); /* for RESULTS_WAIT_NS */
DEFINE_AUTO(struct results_file, results_file_close);

/* One fact of the session: "command", "begin". */
void results_file_note(struct results_file *file, const char *key, const char *value);
void results_file_result(struct results_file *file,
                         const struct session_result *result);
void results_file_event(struct results_file *file, const struct session_event *event,
                        const char *host);
/* The event of files that its processes ran with (provenance/): a row each. */
void results_file_files(struct results_file *file, const struct session_event *event,
                        const char *host);

/* What is stated about a node.  origin: "site", what its parent had at the start;
 * "own", by the plugins of this session; the id of a session that was started in it. */
void results_file_health(struct results_file *file, const char *origin,
                         const struct resource_statement *statement);

/* Wait until what is queued is written, for wait_ns and some seconds at most; then the
 * rest is lost, and nothing more is written. */
void results_file_flush(struct results_file *file, int64_t wait_ns);

struct results_counts {
    uint64_t written, lost; /* rows */
    char error[128];        /* why they are; "": none is */
};
void results_file_count(struct results_file *file, struct results_counts *ret);

#endif
