/* SPDX-License-Identifier: Apache-2.0 */
/* service_stop - the end of a session that was started: by its control process, or of
 * what one that was killed has left. */
#include "jobsession/service.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "jobsession/results_past.h"
#include "jobsession/start_file.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>

#define POLL_MS 50
/* After SIGKILL: what the kernel needs. */
#define KILL_WAIT_NS (5 * NS_PER_S)

static const char *stopped_name(const struct session_dir *dir)
{
    return strbuf_text(&dir->name);
}

static bool has_ended(const struct session_dir *dir, int64_t wait_ns)
{
    int64_t end_ns = clock_monotonic_ns() + wait_ns;
    bool is_held = true;
    while (service_lock_probe(dir, &is_held) == 0 && is_held) {
        if (clock_monotonic_ns() > end_ns)
            return false;
        (void)poll(NULL, 0, POLL_MS);
    }
    return !is_held;
}

static int request_stop(const struct session_dir *dir, struct err *err)
{
    AUTO(client_http_close) struct client_http *http = NULL;
    AUTO_CLOSE int fd = -1;
    char url[CONTROL_URL_SIZE];
    struct span response;
    int rc = control_socket_url(strbuf_text(&dir->path), &fd, url, err);
    const struct client_endpoint endpoint = { .server = url, .token_file = "" };
    if (rc == 0)
        rc = client_http_open(&endpoint, &http, err);
    if (rc == 0)
        rc = client_http_post(http, "/v1/session/stop", "text/plain", SPAN(""),
                              &response, err);
    return rc;
}

/* The process is the one that holds the lock: a process id that another one has by now
 * is not in it. */
static int kill_process(const struct session_dir *dir,
                        const struct service_state *state, struct err *err)
{
    AUTO_CLOSE int fd = (int)syscall(SYS_pidfd_open, (pid_t)state->pid, 0);
    bool is_held = false;
    if (fd >= 0 && service_lock_probe(dir, &is_held) == 0 && is_held)
        (void)syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
    return has_ended(dir, KILL_WAIT_NS)
               ? 0
               : err_set(err, ETIMEDOUT, "session %s: process %llu does not end",
                         stopped_name(dir), (unsigned long long)state->pid);
}

/* ---- one that was killed ---- */

static void ignore_statement(void *arg, const struct resource_statement *statement)
{
    (void)arg, (void)statement;
}

static int note_end(const struct session_dir *dir, struct results_past *past,
                    const char *reason, struct err *err)
{
    AUTO(results_file_close) struct results_file *file = NULL;
    char text[24];
    int rc = results_file_resume(strbuf_text(&dir->database), UINT64_C(1) << 40, past,
                                 &file, err);
    if (rc < 0)
        return rc;
    (void)snprintf(text, sizeof text, "%lld", (long long)clock_now_ms());
    results_file_note(file, "end_reason", reason);
    results_file_note(file, "end_ms", text);
    return 0;
}

/* The site has its end, as the process would have reported it. */
static int report_end(const struct session_dir *dir, const struct service_state *state,
                      const struct results_past *past, const char *reason,
                      struct err *err)
{
    AUTO(start_file_done) struct start_file file = { .config = NULL };
    struct site_side side;
    int rc = start_file_read(dir, &file, err);
    if (rc < 0)
        return rc;
    const struct own_session_opts opts = own_session_defaults(&file.opts);
    const struct site_side_opts site = {
        .agent = opts.agent,
        .self = { .session = span_of(past->session),
                  .name = strbuf_span(&dir->name),
                  .parent = span_of(opts.parent),
                  .hosts = span_of(state->hosts),
                  .ranks = state->nodes,
                  .start_ns = past->begin_ms * NS_PER_MS },
        .beat_ns = (int64_t)state->beat_ms * NS_PER_MS,
        .numbers = strbuf_text(&dir->numbers),
    };
    site_side_open(&side, &site);
    site_side_begin(&side, state->address, NULL);
    site_side_leave(&side);
    site_side_end(&side, reason);
    site_side_close(&side);
    return 0;
}

static int end_dead(const struct session_dir *dir, struct service_state *state,
                    struct strbuf *out, struct err *err)
{
    static const char reason[] = "its control process was killed, then it was stopped";
    struct results_past past = { .name = stopped_name(dir),
                                 .state = strbuf_text(&dir->path),
                                 .statement_fn = ignore_statement };
    AUTO_CLOSE int lock_fd = -1;
    int rc = service_lock(dir, &lock_fd, err);
    if (rc == 0)
        rc = note_end(dir, &past, reason, err);
    if (rc == 0 && past.session[0])
        rc = report_end(dir, state, &past, reason, err);
    if (rc < 0)
        return rc;
    state->phase = SERVICE_ENDED;
    state->reason = reason;
    state->online = 0;
    state->t_ms = (uint64_t)clock_now_ms();
    strbuf_addf(out, "%s was dead: process %llu had been killed; it has ended now\n",
                stopped_name(dir), (unsigned long long)state->pid);
    return service_state_write(dir, state, err);
}

/* ---- the door ---- */

static int end_running(const struct session_dir *dir, const struct service_state *state,
                       int64_t wait_ns, struct strbuf *out, struct err *err)
{
    char wait[32];
    struct err why = { 0 };
    /* A request that fails, of one that hangs or is about to end, has the same end. */
    (void)request_stop(dir, &why);
    if (has_ended(dir, wait_ns)) {
        strbuf_addf(out, "%s has ended\n", stopped_name(dir));
        return strbuf_error(out);
    }
    number_print_duration(wait, sizeof wait, wait_ns);
    int rc = kill_process(dir, state, err);
    return rc < 0 ? rc
                  : err_set(err, ETIMEDOUT,
                            "session %s did not end within %s%s%s: process %llu was "
                            "killed; stop it again to close what it left",
                            stopped_name(dir), wait, why.text[0] ? ", " : "", why.text,
                            (unsigned long long)state->pid);
}

int service_stop(const char *name, const char *directory, int64_t wait_ns,
                 struct strbuf *out, struct err *err)
{
    AUTO(session_dir_done) struct session_dir dir = { .name = STRBUF_INIT };
    AUTO(service_state_done) struct service_state state = { .config = NULL };
    AUTO(start_file_done) struct start_file file = { .config = NULL };
    int rc = session_dir_open(name, directory, &dir, err);
    if (rc == 0)
        rc = start_file_read(&dir, &file, err); /* a run ends with its command */
    if (rc == 0)
        rc = service_state_read(&dir, &state, err);
    if (rc == 0)
        rc = service_state_check_here(&dir, &state, err);
    if (rc < 0)
        return rc;
    switch (state.phase) {
    case SERVICE_NONE:
        strbuf_addf(out, "%s never ran\n", stopped_name(&dir));
        return strbuf_error(out);
    case SERVICE_DEAD:
        return end_dead(&dir, &state, out, err);
    case SERVICE_ENDED:
    case SERVICE_FAILED:
        strbuf_addf(out, "%s had ended already: %s\n", stopped_name(&dir),
                    state.reason);
        return strbuf_error(out);
    default:
        return end_running(&dir, &state, wait_ns, out, err);
    }
}
