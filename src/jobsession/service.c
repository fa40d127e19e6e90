/* SPDX-License-Identifier: Apache-2.0 */
/* service - a session without a command, which runs until it is stopped: its start,
 * and its control process. */
#include "jobsession/service.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"
#include "jobsession/start_file.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define STATE_NS (500 * NS_PER_MS) /* so often it is looked at what changed */
#define REPORT_BYTES_MAX 1024

struct service {
    struct own_session session;
    int lock_fd, report_fd; /* who started it waits at the other end */
    int signal_fd, stop_fd;
    bool is_stopping;
    char reason[96];
};

/* ---- why it ends ---- */

/* By its socket, on a thread of the listener. */
static void on_stop_request(void *arg, uid_t uid)
{
    const struct service *s = arg;
    uint64_t request = (uint64_t)uid + 1;
    (void)!write(s->stop_fd, &request, sizeof request);
}

static void __attribute__((format(printf, 2, 3)))
note_stop(struct service *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!s->is_stopping)
        (void)vsnprintf(s->reason, sizeof s->reason, format, args);
    va_end(args);
    s->is_stopping = true;
}

static void read_stops(struct service *s)
{
    struct signalfd_siginfo info;
    uint64_t request;
    while (read(s->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
        note_stop(s, "signal %u", info.ssi_signo);
    if (read(s->stop_fd, &request, sizeof request) == (ssize_t)sizeof request)
        note_stop(s, "stopped by user %u", (unsigned)(request - 1));
}

static bool is_service_unwanted(void *arg, int64_t wait_ns)
{
    struct service *s = arg;
    struct pollfd fds[] = { { s->signal_fd, POLLIN, 0 }, { s->stop_fd, POLLIN, 0 } };
    if (!s->is_stopping && poll(fds, 2, (int)(wait_ns / NS_PER_MS)) > 0)
        read_stops(s);
    return s->is_stopping;
}

static int hold_signals(struct service *s, struct err *err)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    s->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return s->signal_fd < 0 || s->stop_fd < 0
               ? err_set(err, errno, "signalfd: %s", strerror(errno))
               : 0;
}

/* ---- what it states ---- */

static void write_state(struct service *s, enum service_phase phase)
{
    own_session_state(&s->session, phase, s->reason);
}

/* To who started it; nothing once that is done. */
static void report(struct service *s, char kind, const char *text)
{
    char line[REPORT_BYTES_MAX];
    int size = snprintf(line, sizeof line, "%c%.1000s", kind, text);
    if (s->report_fd < 0)
        return;
    if (write(s->report_fd, line, (size_t)size) != size)
        note_stop(s, "who started it did not wait");
    (void)close(s->report_fd);
    s->report_fd = -1;
}

static void report_up(struct service *s)
{
    struct own_session *own = &s->session;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    strbuf_addf(&line, "%s is up: %llu of %llu nodes; process %lld on %s, directory %s",
                strbuf_text(&own->dir.name), (unsigned long long)own->state.online,
                (unsigned long long)own->state.nodes, (long long)getpid(), own->host,
                strbuf_text(&own->dir.path));
    report(s, '+', strbuf_text(&line));
}

/* ---- the control process ---- */

static void stay(struct service *s)
{
    int64_t beat_ns = s->session.site.opts.beat_ns;
    int64_t due_ns = clock_monotonic_ns() + beat_ns;
    while (!is_service_unwanted(s, STATE_NS)) {
        (void)launch_ended(&s->session.launch);
        if (own_session_online(&s->session) == s->session.state.online &&
            clock_monotonic_ns() < due_ns)
            continue;
        write_state(s, SERVICE_RUNNING);
        service_log_limit(&s->session.dir);
        due_ns = clock_monotonic_ns() + beat_ns;
    }
}

/* Errors: -ECANCELED: it ends before it was up. */
static int come_up(struct service *s, struct err *err)
{
    write_state(s, SERVICE_STARTING);
    int rc = own_session_begin(&s->session, err);
    if (rc < 0)
        return err->text[0] ? rc : err_set(err, -rc, "%s", strerror(-rc));
    own_session_await(&s->session);
    if (s->is_stopping)
        return err_set(err, ECANCELED, "%s", s->reason);
    uint64_t online = own_session_online(&s->session);
    size_t nodes = hostset_count(s->session.allocation.hosts);
    if (online == 0) {
        char wait[32];
        number_print_duration(wait, sizeof wait, s->session.opts->start_wait_ns);
        return err_set(err, ECANCELED, "no node of %s joined within %s",
                       strbuf_text(&s->session.hosts), wait);
    }
    if (online < nodes)
        log_warn("%llu of %zu nodes have not joined",
                 (unsigned long long)(nodes - online), nodes);
    write_state(s, SERVICE_RUNNING);
    return 0;
}

static int serve(struct service *s)
{
    struct err err = { 0 };
    int rc = hold_signals(s, &err);
    if (rc == 0)
        rc = come_up(s, &err);
    if (rc == 0) {
        report_up(s);
        stay(s);
        write_state(s, SERVICE_STOPPING);
    } else {
        (void)snprintf(s->reason, sizeof s->reason, "%.95s", err.text);
        log_error("%s does not come up: %s", strbuf_text(&s->session.dir.name),
                  err.text);
    }
    bool has_ended = own_session_end(&s->session, -1, s->reason);
    if (has_ended) /* else no write to its directory may ever return */
        write_state(s, rc == 0 ? SERVICE_ENDED : SERVICE_FAILED);
    if (rc < 0)
        report(s, '-', err.text);
    return rc == 0 && has_ended ? EXIT_OK : EXIT_FAILED;
}

/* ---- into the background ---- */

/* What its parent had open is not for it: a pipe that stays open holds up who reads
 * it.
 */
static void close_others(const struct service *s)
{
    AUTO_CLOSEDIR DIR *stream = opendir("/proc/self/fd");
    const struct dirent *entry;
    uint64_t fd;
    while (stream && (entry = readdir(stream)) != NULL)
        if (number_parse_u64(span_of(entry->d_name), &fd) == 0 && fd > STDERR_FILENO &&
            fd <= INT_MAX && (int)fd != dirfd(stream) && (int)fd != s->lock_fd &&
            (int)fd != s->report_fd)
            (void)close((int)fd);
}

static int detach(struct service *s, struct err *err)
{
    AUTO_CLOSE int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)umask(077);
    int rc = service_log_open(&s->session.dir, err);
    if (rc == 0 && (null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0))
        rc = err_set(err, errno, "/dev/null: %s", strerror(errno));
    if (rc == 0 && chdir(strbuf_text(&s->session.dir.path)) < 0)
        rc = err_set(err, errno, "chdir: %s", strerror(errno));
    return rc;
}

/* In the child.  Between is a process that has ended, so that ours is no leader of its
 * session, and never gets a terminal. */
static _Noreturn void become_control(struct service *s)
{
    struct err err = { 0 };
    (void)setsid();
    pid_t pid = fork();
    if (pid != 0)
        _exit(pid < 0 ? EXIT_FAILED : EXIT_OK);
    close_others(s);
    int rc = detach(s, &err);
    if (rc < 0) {
        report(s, '-', err.text);
        _exit(EXIT_FAILED);
    }
    log_start("baro-session");
    service_lock_name(s->lock_fd);
    _exit(serve(s));
}

/* What the process reports, or that it ended without. */
static int await_report(struct service *s, int fd, struct strbuf *out, struct err *err)
{
    char text[REPORT_BYTES_MAX];
    size_t size = 0;
    ssize_t n;
    while (size < sizeof text - 1 &&
           ((n = read(fd, text + size, sizeof text - 1 - size)) > 0 ||
            (n < 0 && errno == EINTR)))
        size += n > 0 ? (size_t)n : 0;
    text[size] = '\0';
    if (size > 0 && text[0] == '+') {
        strbuf_addf(out, "%s\n", text + 1);
        return strbuf_error(out);
    }
    AUTO(strbuf_done) struct strbuf last = STRBUF_INIT;
    service_log_last(&s->session.dir, &last);
    return size > 0 ? err_set(err, ECANCELED, "%s is not up: %s",
                              strbuf_text(&s->session.dir.name), text + 1)
                    : err_set(err, ECANCELED,
                              "%s is not up: its process has ended; %s/control.log: %s",
                              strbuf_text(&s->session.dir.name),
                              strbuf_text(&s->session.dir.path), strbuf_text(&last));
}

static int start_process(struct service *s, struct strbuf *out, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_set(err, errno, "pipe: %s", strerror(errno));
    AUTO_CLOSE int report_fd = ends[0];
    s->report_fd = ends[1];
    pid_t pid = fork();
    if (pid == 0)
        become_control(s);
    (void)close(ends[1]);
    s->report_fd = -1;
    if (pid < 0)
        return err_set(err, errno, "fork: %s", strerror(errno));
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return await_report(s, report_fd, out, err);
}

/* ---- start ---- */

static bool is_there(const struct session_dir *dir, const char *name)
{
    struct stat st;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    strbuf_addf(&path, "%s/%s", strbuf_text(&dir->path), name);
    return lstat(strbuf_text(&path), &st) == 0;
}

/* Its lock may be one of another host's, which is not seen here. */
static int check_elsewhere(const struct session_dir *dir, struct err *err)
{
    AUTO(service_state_done) struct service_state state = { .config = NULL };
    int rc = service_state_read(dir, &state, err);
    return rc < 0 ? rc : service_state_check_here(dir, &state, err);
}

/* One that is there: with the same options, and not running.  One that a start did not
 * come to write has nothing but plugins. */
static int go_on(struct service *s, const struct own_session_opts *given,
                 enum service_origin origin, struct err *err)
{
    struct own_session *own = &s->session;
    int rc = session_dir_open(given->name, given->directory, &own->dir, err);
    if (rc < 0)
        return rc;
    bool has_file = is_there(&own->dir, "control.start");
    bool is_unwritten = !has_file && is_there(&own->dir, "control.lock") &&
                        !is_there(&own->dir, "session.db");
    if (origin == SERVICE_GIVEN && has_file)
        rc = start_file_compare(&own->dir, given, err);
    if (!has_file && (origin == SERVICE_AGAIN || !is_unwritten))
        return err_set(err, EEXIST,
                       "'%s' is of no session that was started by baro session start",
                       strbuf_text(&own->dir.path));
    if (rc == 0)
        rc = check_elsewhere(&own->dir, err);
    if (rc == 0)
        rc = service_lock(&own->dir, &s->lock_fd, err);
    if (rc < 0 || has_file)
        return rc;
    rc = session_dir_remove_plugins(&own->dir, err);
    if (rc == 0)
        rc = own_session_copy_plugins(own, err);
    return rc < 0 ? rc : start_file_write(&own->dir, given, err);
}

static int begin_new(struct service *s, const struct own_session_opts *given,
                     struct err *err)
{
    int rc = own_session_make_dir(&s->session, err);
    if (rc == 0)
        rc = service_lock(&s->session.dir, &s->lock_fd, err);
    if (rc == 0)
        rc = own_session_copy_plugins(&s->session, err);
    return rc < 0 ? rc : start_file_write(&s->session.dir, given, err);
}

/* The process is in its own directory: what a client reads has its path. */
static int make_whole(const char *variable)
{
    char cwd[PATH_MAX];
    const char *path = getenv(variable);
    AUTO(strbuf_done) struct strbuf whole = STRBUF_INIT;
    if (!path || !*path || path[0] == '/' || !getcwd(cwd, sizeof cwd))
        return 0;
    strbuf_addf(&whole, "%s/%s", cwd, path);
    return strbuf_error(&whole) < 0 || setenv(variable, strbuf_text(&whole), 1) < 0
               ? -ENOMEM
               : 0;
}

static int open_given(struct service *s, const struct own_session_opts *given,
                      struct start_file *file, struct own_session_opts *opts,
                      struct err *err)
{
    int rc = start_file_resolve(given, file, err);
    if (rc < 0)
        return rc;
    file->opts.site = &file->site;
    *opts = own_session_defaults(&file->opts);
    rc = own_session_prepare(&s->session, opts, err);
    if (rc < 0)
        return rc;
    rc = begin_new(s, given, err);
    return rc == -EEXIST ? go_on(s, given, SERVICE_GIVEN, err) : rc;
}

/* Its options are those of its file. */
static int open_again(struct service *s, const struct own_session_opts *given,
                      struct start_file *file, struct own_session_opts *opts,
                      struct err *err)
{
    if (!start_file_is_default(given))
        return err_set(err, EINVAL,
                       "--again goes on with the options that it was started with: "
                       "give none but --dir");
    int rc = go_on(s, given, SERVICE_AGAIN, err);
    if (rc == 0)
        rc = start_file_read(&s->session.dir, file, err);
    if (rc < 0)
        return rc;
    file->opts.site = &file->site;
    file->opts.name = strbuf_text(&s->session.dir.name);
    *opts = own_session_defaults(&file->opts);
    return own_session_prepare(&s->session, opts, err);
}

int service_start(const struct own_session_opts *given, enum service_origin origin,
                  struct strbuf *out, struct err *err)
{
    AUTO(start_file_done) struct start_file file = { .config = NULL };
    struct own_session_opts opts = { .agent = NULL };
    struct service s = { .session = { .is_unwanted_fn = is_service_unwanted,
                                      .stop_fn = on_stop_request },
                         .lock_fd = -1,
                         .report_fd = -1,
                         .signal_fd = -1,
                         .stop_fd = -1 };
    s.session.arg = &s;
    int rc = make_whole("BARO_TOKEN_FILE");
    if (rc == 0)
        rc = (origin == SERVICE_GIVEN ? open_given : open_again)(&s, given, &file,
                                                                 &opts, err);
    if (rc == 0)
        rc = start_process(&s, out, err);
    auto_close(&s.lock_fd);
    own_session_done(&s.session);
    return rc;
}
