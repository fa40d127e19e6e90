/* SPDX-License-Identifier: Apache-2.0 */
/* provenance - what a run's processes on this node ran and opened, while it runs; the
 * room's door.
 *
 *     trigger ─▶ a thread: run_processes ─▶ file_table ─┬▶ publish: events of the
 *     (a second apart at least, a 20th of the time)     │   session, "provenance.files"
 *                                                       └▶ the agent's socket: "files"
 *
 * The session's thread waits for nothing: /proc, file systems and the agent are the
 * thread's.  One that hangs is left behind when the node ends.
 *
 * Threads  new, free: while the session does not run; the others: the session's.
 */
#ifndef JOBSESSION_PROVENANCE_PROVENANCE_H
#define JOBSESSION_PROVENANCE_PROVENANCE_H

#include "jobsession/provenance/owner_key.h"
#include "jobsession/provenance/run_processes.h"

#define PROVENANCE_EVENT "provenance.files"

struct uv_loop_s;

struct provenance_opts {
    struct run_opts run;
    struct path_names names;
    const char *host;
    const char *agent; /* its socket; NULL or "": the site hears of nothing */
    /* A list of files with tabs between, on the session's thread.  False: not now. */
    bool (*publish)(void *arg, struct span files);
    void *arg;
};

struct provenance;

/* The texts of opts outlive it.  Errors: -ENOMEM, those of pthread_create. */
int provenance_new(const struct provenance_opts *opts, struct provenance **ret);
void provenance_free(struct provenance *provenance); /* NULL is fine */
int provenance_begin(struct provenance *provenance, struct uv_loop_s *loop);
void provenance_trigger(struct provenance *provenance);
void provenance_end(struct provenance *provenance);

#endif
