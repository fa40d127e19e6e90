/* SPDX-License-Identifier: Apache-2.0 */
/* run - a command with a session around it: this program is its control node. */
#include "jobsession/run.h"

#include "base/log.h"
#include "base/span.h"
#include "jobsession/command_child.h"

#include <unistd.h>

static int run_owner_command(struct own_session *s, struct command_child *child)
{
    struct err err = { 0 };
    int status = 0;
    const struct command_variable variables[] = {
        { "BARO_SESSION", strbuf_text(&s->dir.name) },
        { "BARO_SESSION_ID", s->id },
        { "BARO_SESSION_DIR", strbuf_text(&s->dir.path) },
        { "BARO_SESSION_HOSTS", strbuf_text(s->succession ? &s->working : &s->hosts) },
        { "BARO_SESSION_SPARES", strbuf_text(&s->spares) },
    };
    int rc = command_child_start(child, s->opts->command, variables,
                                 COUNT_OF(variables), &err);
    if (rc < 0) {
        log_error("%s", err.text);
        return rc == -ENOENT ? 127 : 126;
    }
    (void)command_child_wait(child, INT64_MAX, &status);
    return status;
}

static bool is_command_unwanted(void *arg, int64_t wait_ns)
{
    return command_child_is_unwanted(arg, wait_ns);
}

/* What fails of the session costs the command nothing. */
static int run_inside(struct own_session *s, struct command_child *child)
{
    struct err err = { 0 };
    char reason[32];
    int rc = own_session_begin(s, &err);
    if (rc < 0)
        log_warn("the command runs without all of its session: %s",
                 err.text[0] ? err.text : strerror(-rc));
    own_session_await(s);
    own_session_state(s, SERVICE_RUNNING, "");
    int status = run_owner_command(s, child);
    (void)snprintf(reason, sizeof reason, "exit status %d", status);
    bool has_ended = own_session_end(s, status, reason);
    command_child_release(child);
    if (has_ended)
        own_session_state(s, SERVICE_ENDED, reason);
    else /* what runs at exit could wait for the same file system */
        _exit(status);
    return status;
}

int session_run(const struct own_session_opts *given, int *ret_status, struct err *err)
{
    const struct own_session_opts opts = own_session_defaults(given);
    struct command_child child;
    struct err why = { 0 };
    AUTO_CLOSE int lock_fd = -1;
    struct own_session session = { .is_unwanted_fn = is_command_unwanted,
                                   .arg = &child };
    int rc = own_session_prepare(&session, &opts, err);
    if (rc == 0)
        rc = own_session_make_dir(&session, err);
    if (rc == 0 && service_lock(&session.dir, &lock_fd, &why) < 0)
        log_warn("it cannot be known later whether this process runs: %s", why.text);
    if (rc == 0)
        rc = own_session_copy_plugins(&session, err);
    if (rc == 0)
        rc = command_child_hold(&child, err);
    if (rc == 0)
        *ret_status = run_inside(&session, &child);
    own_session_done(&session);
    return rc;
}
