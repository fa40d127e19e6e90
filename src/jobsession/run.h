/* SPDX-License-Identifier: Apache-2.0 */
/* run - a command with a session around it: this program is its control node.
 *
 * What is wrong with the options is an error, and the command does not run.  What fails
 * of the session later is a warning: it costs the command nothing.
 * Threads  the main one, with no others.
 */
#ifndef JOBSESSION_RUN_H
#define JOBSESSION_RUN_H

#include "base/command.h"
#include "base/err.h"
#include "client/client.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session_run_opts {
    const char *name, *directory; /* NULL: see session_dir.h */
    const char *hosts;            /* NULL: those of the allocation */
    uint64_t size;                /* so many nodes on this machine instead; 0: no */
    const char *launch;           /* "ssh": hosts without an allocation */
    const char *address;          /* of this machine, for the nodes; NULL: found out */
    const char *const *plugins;   /* files and directories */
    size_t plugin_count;
    const char *const *reads; /* patterns of files that they may read */
    size_t read_count;
    const char *agent;              /* its socket; NULL: BARO_AGENT, or none */
    const char *const *site_events; /* names of events that the site hears of */
    size_t site_event_count;
    /* What its processes run and open is recorded, paths below these as they are. */
    const char *const *provenance;
    size_t provenance_count;
    uint64_t spares;                    /* so many of the last hosts */
    const char *condemn;                /* succession.h; NULL: "down" */
    const struct client_endpoint *site; /* where the health of its hosts is from */
    int64_t period_ns, heartbeat_ns, start_wait_ns; /* 0: 10s, 2s, 10s */
    uint64_t bytes_max;                             /* of the data; 0: 1 GiB */
    bool is_quiet;
    char *const *command; /* ends in NULL */
};

/* *ret_status: the command's exit status, 128 and the signal that ended it; 127 or 126
 * where it cannot be started.  Errors: -EINVAL and others before the command began. */
int session_run(const struct session_run_opts *opts, int *ret_status, struct err *err);

#endif
