/* SPDX-License-Identifier: Apache-2.0 */
/* own_session - a user's session of her own, from its options to its end: this program
 * is its control node.
 *
 *     prepare   hosts, directory, plugins    what is wrong with the options is an error
 *     begin     results, control, nodes      what fails of it is left to the caller
 *     await     the nodes have joined
 *     end       nodes leave, results are closed, the site has its end
 *
 * A run is a session around a command (run), a service one without (service).
 * Threads  the main one; there are no others before _begin().
 */
#ifndef JOBSESSION_OWN_SESSION_H
#define JOBSESSION_OWN_SESSION_H

#include "client/client.h"
#include "jobsession/allocation.h"
#include "jobsession/control.h"
#include "jobsession/control_listener.h"
#include "jobsession/launch.h"
#include "jobsession/service_state.h"
#include "jobsession/session_dir.h"
#include "jobsession/site/site_side.h"

struct own_session_opts {
    const char *name, *directory; /* NULL: see session_dir.h */
    const char *hosts;            /* NULL: those of the allocation */
    uint64_t size;                /* so many nodes on this machine instead; 0: no */
    const char *launch;           /* "ssh": hosts without an allocation */
    const char *address;          /* of this machine, for the nodes; NULL: found out */
    const char *const *plugins;   /* files and directories */
    size_t plugin_count;
    const char *const *reads; /* patterns of files that they may read */
    size_t read_count;
    const char *agent; /* its socket; NULL: BARO_AGENT, or none */
    /* The session that it is started in, and its directory; NULL: BARO_SESSION_ID,
     * BARO_SESSION_DIR. */
    const char *parent, *parent_dir;
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
    char *const *command; /* ends in NULL; NULL: a service, which has none */
};

struct own_session_opts own_session_defaults(const struct own_session_opts *given);

struct own_session {
    const struct own_session_opts *opts; /* with defaults; it outlives the session */
    struct session_dir dir;
    struct allocation allocation;
    struct plugins_opts plugins;
    struct results_file *results; /* NULL: nothing is stored */
    struct opinions *opinions;
    struct site_side site;
    struct succession *succession; /* NULL: no spares */
    struct strbuf hosts;           /* a set */
    struct strbuf working, spares; /* those of it */
    char id[SESSION_ID_BYTES + 1];
    int64_t begin_ns;        /* of the first process that it had */
    struct control *control; /* NULL: the command runs without a session */
    struct control_listener *listener;
    struct strbuf listener_address; /* "HOST:DIR/control.sock" */
    struct service_state state;     /* as it was written last */
    char host[65];
    struct launch launch;
    struct strbuf provenance, provenance_key; /* as the invitation has them */
    /* Wait for so long, or until it is not wanted any more: true. */
    bool (*is_unwanted_fn)(void *arg, int64_t wait_ns);
    void (*stop_fn)(void *arg, uid_t uid); /* as control_listener has it */
    void *arg;                             /* of both */
};

/* All that opts can be wrong about but its directory.  Zero before; then
 * own_session_done(), whatever came of it.  Errors: -EINVAL and others, with a line in
 * err. */
int own_session_prepare(struct own_session *session,
                        const struct own_session_opts *opts, struct err *err);
/* Its directory, where dir is not there yet, and copies of its plugins. */
int own_session_make_dir(struct own_session *session, struct err *err);
int own_session_copy_plugins(struct own_session *session, struct err *err);
/* Go on with what is in its directory, or begin there.  What could be started is there,
 * also after an error: own_session_end() ends it. */
int own_session_begin(struct own_session *session, struct err *err);
/* Until all nodes have joined, or start_wait_ns have passed; then spares have replaced
 * those that did not. */
void own_session_await(struct own_session *session);
/* Its nodes leave, the site hears of the end and its reason, results are closed; once:
 * status is of a command, -1: there was none.  False: a file system, or a query, does
 * not respond, and the program has to end by _exit(). */
bool own_session_end(struct own_session *session, int status, const char *reason);
/* Write what it is now; what fails is a warning. */
void own_session_state(struct own_session *session, enum service_phase phase,
                       const char *reason);
/* Nodes that are there. */
uint64_t own_session_online(struct own_session *session);
void own_session_done(struct own_session *session);

#endif
