/* SPDX-License-Identifier: Apache-2.0 */
/* service_state - what the control process of a started session states about itself, in
 * its directory. */
#include "jobsession/service_state.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/number.h"
#include "base/span.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#define STATE_BYTES_MAX ((size_t)1 << 20)
#define LOG_BYTES_MAX ((off_t)16 << 20)
#define LOG_LINE_MAX 400
/* So many beats of one that runs may be missing. */
#define BEATS_MISSED_MAX 3

static const char *const phase_names[] = {
    [SERVICE_NONE] = "none",       [SERVICE_STARTING] = "starting",
    [SERVICE_RUNNING] = "running", [SERVICE_STOPPING] = "stopping",
    [SERVICE_ENDED] = "ended",     [SERVICE_FAILED] = "failed",
    [SERVICE_DEAD] = "dead",
};

const char *service_phase_name(enum service_phase phase)
{
    return phase_names[phase];
}

const char *service_host(char ret[static 65])
{
    if (gethostname(ret, 64) < 0)
        (void)snprintf(ret, 65, "localhost");
    ret[64] = '\0';
    return ret;
}

/* Its path, as text of out. */
static const char *state_path_of(const struct session_dir *dir, const char *name,
                                 struct strbuf *out)
{
    strbuf_clear(out);
    strbuf_addf(out, "%s/%s", strbuf_text(&dir->path), name);
    return strbuf_text(out);
}

/* ---- control.state ---- */

#define STATE_AT(member) offsetof(struct service_state, member)
#define STATE_TEXT(name, member, help)                      \
    {                                                       \
        name, CONFIG_TEXT, STATE_AT(member), "", 0, 0, help \
    }
#define STATE_COUNT(name, member, help)                       \
    {                                                         \
        name, CONFIG_COUNT, STATE_AT(member), "0", 0, 0, help \
    }

static const struct config_key state_keys[] = {
    STATE_TEXT("state", phase_name, "starting, running, stopping, ended or failed."),
    STATE_TEXT("name", name, "The session's name."),
    STATE_TEXT("session", session, "Its number."),
    STATE_TEXT("host", host, "Where its control process is."),
    STATE_TEXT("address", address, "Its socket."),
    STATE_TEXT("hosts", hosts, "Its nodes."),
    STATE_TEXT("reason", reason, "Why it ended, or failed."),
    STATE_COUNT("pid", pid, "Its control process."),
    STATE_COUNT("nodes", nodes, "So many nodes."),
    STATE_COUNT("online", online, "Of these, so many are there."),
    STATE_COUNT("begin_ms", begin_ms, "When this process began, since 1970."),
    STATE_COUNT("t_ms", t_ms, "When this was written."),
    STATE_COUNT("beat_ms", beat_ms, "It is written anew so often."),
};

static const struct config_section state_section = {
    "control", false, state_keys, COUNT_OF(state_keys), "A started session.",
};

int service_state_write(const struct session_dir *dir,
                        const struct service_state *state, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct service_state named = *state;
    named.phase_name = service_phase_name(state->phase);
    strbuf_adds(&text, "[control]\n");
    for (size_t i = 0; i < COUNT_OF(state_keys); i++) {
        const void *at = (const char *)&named + state_keys[i].offset;
        const char *value = *(const char *const *)at;
        if (state_keys[i].type == CONFIG_COUNT)
            strbuf_addf(&text, "%s = %llu\n", state_keys[i].name,
                        (unsigned long long)*(const uint64_t *)at);
        else if (value && *value)
            strbuf_addf(&text, "%s = %s\n", state_keys[i].name, value);
    }
    const char *to = state_path_of(dir, "control.state", &path);
    if (strbuf_error(&text) < 0 || strbuf_error(&path) < 0)
        return -ENOMEM;
    return file_replace(to, text.data, text.size, 0600, err);
}

static int state_parse(const char *path, struct span text, struct service_state *ret,
                       struct err *err)
{
    int rc = config_parse(path, text, &state_section, 1, &ret->config, err);
    if (rc == 0)
        rc = config_fill(ret->config, "control", NULL, ret, err);
    if (rc < 0)
        return rc == -EINVAL ? -EBADMSG : rc;
    for (unsigned i = 0; i < COUNT_OF(phase_names); i++)
        if (strcmp(phase_names[i], ret->phase_name) == 0) {
            ret->phase = (enum service_phase)i;
            return 0;
        }
    return err_set(err, EBADMSG, "'%s' has no state that is one", path);
}

/* Root reads the directories of others: what is there may lead elsewhere, or block. */
static int state_file_read(const char *path, struct strbuf *ret, struct err *err)
{
    struct stat st;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return err_set(err, EBADMSG, "'%s' is not a file", path);
    int rc = file_read_fd(fd, STATE_BYTES_MAX, ret);
    return rc < 0 ? err_set(err, -rc, "read '%s': %s", path, strerror(-rc)) : 0;
}

static bool is_up(enum service_phase phase)
{
    return phase == SERVICE_STARTING || phase == SERVICE_RUNNING ||
           phase == SERVICE_STOPPING;
}

static bool is_elsewhere(const struct service_state *state)
{
    char here[65];
    return is_up(state->phase) && state->host && *state->host &&
           strcmp(state->host, service_host(here)) != 0;
}

int service_state_check_here(const struct session_dir *dir,
                             const struct service_state *state, struct err *err)
{
    char since[32];
    const char *name = strbuf_text(&dir->name);
    if (!is_elsewhere(state))
        return 0;
    int64_t silent_ms = clock_now_ms() - (int64_t)state->t_ms;
    if (silent_ms <= BEATS_MISSED_MAX * (int64_t)state->beat_ms)
        return err_set(err, EREMOTE, "session %s runs on %s: go there", name,
                       state->host);
    number_print_duration(since, sizeof since, silent_ms / MS_PER_S * NS_PER_S);
    return err_set(err, EREMOTE,
                   "session %s on %s has not been heard of for %s: go there; if "
                   "that host is gone for good, remove '%s/control.state'",
                   name, state->host, since, strbuf_text(&dir->path));
}

int service_state_read(const struct session_dir *dir, struct service_state *ret,
                       struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(service_state_done) struct service_state state = { .phase = SERVICE_NONE };
    const char *from = state_path_of(dir, "control.state", &path);
    bool is_held = false;
    if (strbuf_error(&path) < 0)
        return -ENOMEM;
    int rc = state_file_read(from, &text, err);
    if (rc == -ENOENT)
        strbuf_adds(&text, "[control]\nstate = none\n");
    if (rc == 0 || rc == -ENOENT)
        rc = state_parse(from, strbuf_span(&text), &state, err);
    if (rc < 0)
        return rc;
    if (is_up(state.phase) && !is_elsewhere(&state) &&
        service_lock_probe(dir, &is_held) == 0 && !is_held)
        state.phase = SERVICE_DEAD;
    *ret = state;
    state.config = NULL;
    return 0;
}

void service_state_done(struct service_state *state)
{
    config_free(state->config);
    state->config = NULL;
}

/* ---- control.lock ---- */

/* Whom it names is for people: a full disk must not prevent a start. */
void service_lock_name(int fd)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%lld\n", (long long)getpid());
    if (ftruncate(fd, 0) == 0)
        (void)!pwrite(fd, text, (size_t)size, 0);
}

int service_lock(const struct session_dir *dir, int *ret_fd, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    char text[24] = "";
    const char *at = state_path_of(dir, "control.lock", &path);
    if (strbuf_error(&path) < 0)
        return -ENOMEM;
    AUTO_CLOSE int fd = open(at, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_set(err, errno, "'%s': %s", at, strerror(errno));
    int rc = file_lock(fd);
    if (rc == -EBUSY && pread(fd, text, sizeof text - 1, 0) >= 0)
        return err_set(err, EBUSY, "session %s runs: process " SPAN_FMT,
                       strbuf_text(&dir->name), SPAN_ARG(span_trim(span_of(text))));
    if (rc < 0)
        return err_set(err, -rc, "lock '%s': %s", at, strerror(-rc));
    *ret_fd = TAKE_FD(fd);
    return 0;
}

int service_lock_probe(const struct session_dir *dir, bool *ret_is_held)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    const char *at = state_path_of(dir, "control.lock", &path);
    if (strbuf_error(&path) < 0)
        return -ENOMEM;
    AUTO_CLOSE int fd = open(at, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno != ENOENT)
        return -errno;
    *ret_is_held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0;
    return *ret_is_held && errno != EWOULDBLOCK ? -errno : 0;
}

/* ---- control.log ---- */

int service_log_open(const struct session_dir *dir, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    const char *to = state_path_of(dir, "control.log", &path);
    if (strbuf_error(&path) < 0)
        return -ENOMEM;
    AUTO_CLOSE int fd =
        open(to, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
        return err_set(err, errno, "'%s': %s", to, strerror(errno));
    return 0;
}

/* Nodes have the same open file, so that it cannot be renamed: all append to it. */
void service_log_limit(const struct session_dir *dir)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf old_path = STRBUF_INIT;
    struct stat st;
    const char *from = state_path_of(dir, "control.log", &path);
    const char *to = state_path_of(dir, "control.log.1", &old_path);
    if (fstat(STDERR_FILENO, &st) < 0 || st.st_size <= LOG_BYTES_MAX)
        return;
    AUTO_CLOSE int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    AUTO_CLOSE int out =
        open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    off_t at = st.st_size - LOG_BYTES_MAX;
    while (in >= 0 && out >= 0 && sendfile(out, in, &at, (size_t)LOG_BYTES_MAX) > 0)
        continue;
    if (ftruncate(STDERR_FILENO, 0) == 0)
        log_notice("the log was longer than 16 MiB, and begins anew: control.log.1 has "
                   "the end of what was before");
}

void service_log_last(const struct session_dir *dir, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    char text[LOG_LINE_MAX];
    struct stat st;
    AUTO_CLOSE int fd = open(state_path_of(dir, "control.log", &path),
                             O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &st) < 0)
        return;
    off_t at = st.st_size > LOG_LINE_MAX ? st.st_size - LOG_LINE_MAX : 0;
    ssize_t size = pread(fd, text, sizeof text, at);
    struct span rest = span_trim((struct span){ text, size > 0 ? (size_t)size : 0 });
    for (size_t i = rest.size; i-- > 0;)
        if (rest.data[i] == '\n') {
            rest = span_skip(rest, i + 1);
            break;
        }
    strbuf_add_span(out, rest);
}
