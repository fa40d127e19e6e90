/* SPDX-License-Identifier: Apache-2.0 */
/* service_state - what the control process of a started session states about itself, in
 * its directory.
 *
 *     control.state   [control] state = running, pid = 4711, host = ..., written anew
 *                     whenever something of it changes, and every beat
 *     control.lock    held for as long as the process runs (flock): who does not hold
 * it, and states that it runs, was killed control.log     warnings, what plugins print;
 * 16 MiB, and as many before
 *
 * Threads  one.
 */
#ifndef JOBSESSION_SERVICE_STATE_H
#define JOBSESSION_SERVICE_STATE_H

#include "base/config.h"
#include "jobsession/session_dir.h"

#include <sys/types.h>

enum service_phase {
    SERVICE_NONE, /* it never ran */
    SERVICE_STARTING,
    SERVICE_RUNNING,
    SERVICE_STOPPING,
    SERVICE_ENDED,
    SERVICE_FAILED, /* it did not come up */
    SERVICE_DEAD    /* its process was killed: no process states this */
};
const char *service_phase_name(enum service_phase phase);

struct service_state {
    enum service_phase phase;
    const char *name, *session; /* its number */
    const char *host;           /* where the process is */
    const char *address;        /* as the site lists it */
    const char *hosts;          /* of its nodes */
    const char *reason;         /* why it ended, or failed */
    uint64_t pid, nodes, online;
    uint64_t begin_ms, t_ms, beat_ms;
    const char *phase_name;
    struct config *config; /* the texts are its, of one that was read */
};

/* Errors: those of writing, -EINVAL (a text of it has a line end). */
int service_state_write(const struct session_dir *dir,
                        const struct service_state *state, struct err *err);
/* What is stated, or SERVICE_DEAD where that is not true any more.  Of a process on
 * another host that is not known here: not every file system has locks of all hosts.
 * Without a file: SERVICE_NONE.  Errors: -EBADMSG (damaged), -ENOMEM, those of open. */
int service_state_read(const struct session_dir *dir, struct service_state *ret,
                       struct err *err);
/* Of one that was started: 0, or -EREMOTE of one that another host has, and why nothing
 * may be done to it here: it runs, or has not been heard of, and what to do then. */
int service_state_check_here(const struct session_dir *dir,
                             const struct service_state *state, struct err *err);
void service_state_done(struct service_state *state);
DEFINE_AUTO_DONE(struct service_state, service_state_done);

/* Held until *ret_fd is closed here and in each child that it was forked to.
 * Errors: -EBUSY (a process has it, which err names), those of open. */
int service_lock(const struct session_dir *dir, int *ret_fd, struct err *err);
/* The lock names this process. */
void service_lock_name(int fd);
/* Whether a process holds it now.  Errors: those of open and flock. */
int service_lock_probe(const struct session_dir *dir, bool *ret_is_held);

/* Standard output and error go to control.log.  Errors: those of open. */
int service_log_open(const struct session_dir *dir, struct err *err);
/* One that is too long is copied to control.log.1, and begins anew. */
void service_log_limit(const struct session_dir *dir);
/* Append its last line, what a person reads why it failed. */
void service_log_last(const struct session_dir *dir, struct strbuf *out);

/* This machine, as state and addresses name it. */
const char *service_host(char ret[static 65]);

#endif
