/* SPDX-License-Identifier: Apache-2.0 */
/* slurm - sinfo and scontrol, each a process with a deadline. */
#include "act/slurm.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define OUTPUT_BYTES_MAX ((size_t)64 << 20)
#define MESSAGE_BYTES_MAX ((size_t)4096)

extern char **environ;

/* ---- the environment ---- */

/* Clusters, configuration, formats, filters, those to come too; who one is, by a token
 * or a socket, is passed on. */
bool slurm_variable_is_dropped(const char *variable)
{
    static const char *const prefixes[] = { "SLURM_", "SINFO_", "SQUEUE_", "SCONTROL_",
                                            "SACCT_" };
    static const char *const passed[] = { "SLURM_JWT=", "SLURM_SACK_" };
    for (size_t i = 0; i < COUNT_OF(passed); i++)
        if (strncmp(variable, passed[i], strlen(passed[i])) == 0)
            return false;
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* *ret: an array to be freed, of texts that are not.  conf: "SLURM_CONF=...", or NULL.
 */
static int environment_make(const char *conf, char ***ret)
{
    size_t count = 0, left = 0;
    while (environ[count])
        count++;
    char **made = calloc(count + 2, sizeof *made);
    if (!made)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        if (!slurm_variable_is_dropped(environ[i]))
            made[left++] = environ[i];
    made[left] = (char *)(uintptr_t)conf;
    *ret = made;
    return 0;
}

/* ---- a process ---- */

/* In a group of its own, to be ended as one. */
static int process_spawn(const char *const *argv, char *const *environment, int out,
                         int messages, pid_t *ret)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, out, 1);
    (void)posix_spawn_file_actions_adddup2(&actions, messages, 2);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    int errnum = posix_spawnp(ret, argv[0], &actions, &attributes,
                              (char *const *)(uintptr_t)argv, environment);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    return -errnum;
}

static int process_start(const struct slurm_opts *opts, const char *const *argv,
                         int out, int messages, pid_t *ret)
{
    AUTO(strbuf_done) struct strbuf conf = STRBUF_INIT;
    AUTO_FREE char **environment = NULL;
    if (opts->conf)
        strbuf_addf(&conf, "SLURM_CONF=%s", opts->conf);
    int rc = strbuf_error(&conf);
    if (rc == 0)
        rc = environment_make(opts->conf ? strbuf_text(&conf) : NULL, &environment);
    return rc < 0 ? rc : process_spawn(argv, environment, out, messages, ret);
}

/* Until its end, or the deadline. */
static int output_read(int fd, int64_t until_ns, struct strbuf *out)
{
    char bytes[65536];
    for (;;) {
        int64_t left_ms = (until_ns - clock_monotonic_ns()) / NS_PER_MS;
        struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
        int ready = left_ms > 0 ? poll(&poll_fd, 1, (int)left_ms) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return ready < 0 ? -errno : -ETIMEDOUT;
        ssize_t size = read(fd, bytes, sizeof bytes);
        if (size <= 0)
            return size < 0 ? -errno : 0;
        if (out->size + (size_t)size > OUTPUT_BYTES_MAX)
            return -EMSGSIZE;
        strbuf_add(out, bytes, (size_t)size);
    }
}

/* It has closed its output; a moment later it has ended. */
static int process_wait(pid_t pid, int64_t until_ns, int *ret_status)
{
    const struct timespec pause = { .tv_nsec = 2 * NS_PER_MS };
    pid_t ended;
    while ((ended = waitpid(pid, ret_status, WNOHANG)) == 0) {
        if (clock_monotonic_ns() >= until_ns)
            return -ETIMEDOUT;
        (void)nanosleep(&pause, NULL);
    }
    return ended == pid ? 0 : -errno;
}

static int failed(const char *program, int messages, int status, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (lseek(messages, 0, SEEK_SET) == 0)
        (void)file_read_fd(messages, MESSAGE_BYTES_MAX, &text);
    struct span line, rest = span_trim(strbuf_span(&text));
    (void)span_cut(&rest, '\n', &line);
    return err_set(err, EIO, "%s: %.*s (status %d)", program,
                   (int)(line.size < 300 ? line.size : 300), line.size ? line.data : "",
                   WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static int program_run(const struct slurm_opts *opts, const char *const *argv,
                       struct strbuf *out, struct err *err)
{
    AUTO_CLOSE int messages = memfd_create("messages", MFD_CLOEXEC);
    int ends[2], status = 0;
    pid_t pid;
    if (messages < 0 || pipe2(ends, O_CLOEXEC) < 0)
        return err_set(err, errno, "%s: %s", argv[0], strerror(errno));
    AUTO_CLOSE int reading = ends[0];
    int64_t until_ns = clock_monotonic_ns() + opts->timeout_ns;
    int rc = process_start(opts, argv, ends[1], messages, &pid);
    (void)close(ends[1]);
    if (rc < 0)
        return err_set(err, -rc, "%s: %s", argv[0], strerror(-rc));
    rc = output_read(reading, until_ns, out);
    if (rc == 0)
        rc = process_wait(pid, until_ns, &status);
    if (rc < 0) {
        (void)kill(-pid, SIGKILL);
        (void)waitpid(pid, &status, 0);
        return err_set(err, -rc, "%s: %s", argv[0],
                       rc == -ETIMEDOUT ? "no response in time" : strerror(-rc));
    }
    return status == 0 ? 0 : failed(argv[0], messages, status, err);
}

/* ---- calls ---- */

int slurm_config_cluster(struct span text, struct span *ret)
{
    while (text.size > 0) {
        struct span line, key;
        (void)span_cut(&text, '\n', &line);
        (void)span_cut(&line, '=', &key);
        if (!span_is(span_trim(key), "ClusterName"))
            continue;
        line = span_trim(line);
        if (line.size == 0 || span_is(line, "(null)"))
            break;
        *ret = line;
        return 0;
    }
    return -EBADMSG;
}

int slurm_cluster(const struct slurm_opts *opts, struct strbuf *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const char *const argv[] = { opts->scontrol, "show", "config", NULL };
    struct span name;
    int rc = program_run(opts, argv, &out, err);
    if (rc == 0)
        rc = strbuf_error(&out);
    if (rc < 0)
        return rc;
    if (slurm_config_cluster(strbuf_span(&out), &name) < 0)
        return err_set(err, EBADMSG, "'%s show config' has no ClusterName",
                       opts->scontrol);
    strbuf_add(ret, name.data, name.size);
    return strbuf_error(ret);
}

int slurm_nodes(const struct slurm_opts *opts, const char *node, struct node_list *ret,
                struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    const char *const argv[] = {
        opts->sinfo,
        "--noheader",
        "--local",
        "--Node",
        NODE_LIST_OPTION,
        node ? "--nodes" : NULL,
        node,
        NULL,
    };
    int rc = program_run(opts, argv, &out, err);
    if (rc == 0)
        rc = strbuf_error(&out);
    if (rc == 0)
        rc = node_list_read(strbuf_span(&out), ret, err);
    return rc;
}

static int node_update(const struct slurm_opts *opts, const char *node,
                       const char *state, const char *reason, struct err *err)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf name = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf why = STRBUF_INIT;
    strbuf_addf(&name, "nodename=%s", node);
    strbuf_addf(&why, "reason=%s", reason ? reason : "");
    if (strbuf_error(&name) < 0 || strbuf_error(&why) < 0)
        return -ENOMEM;
    const char *const argv[] = {
        opts->scontrol,
        "update",
        strbuf_text(&name),
        state,
        reason ? strbuf_text(&why) : NULL,
        NULL,
    };
    return program_run(opts, argv, &out, err);
}

int slurm_drain(const struct slurm_opts *opts, const char *node, const char *reason,
                struct err *err)
{
    return node_update(opts, node, "state=drain", reason, err);
}

int slurm_resume(const struct slurm_opts *opts, const char *node, struct err *err)
{
    return node_update(opts, node, "state=resume", NULL, err);
}
