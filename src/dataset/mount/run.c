/* SPDX-License-Identifier: Apache-2.0 */
/* run - a command with datasets: in a mount namespace of its own, until it ends. */
#include "dataset/mount/run.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "dataset/visit/visit.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_SIGNAL 128

/* ---- the namespace ---- */

static int text_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : write(fd, text, strlen(text));
    int rc = size < 0 ? -errno : 0;
    if (fd >= 0)
        (void)close(fd);
    return rc;
}

static int user_map(uid_t uid, gid_t gid, bool is_root)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%u %u 1", is_root ? 0 : uid, uid);
    int rc = text_write("/proc/self/setgroups", "deny");
    if (rc == 0)
        rc = text_write("/proc/self/uid_map", text);
    (void)snprintf(text, sizeof text, "%u %u 1", is_root ? 0 : gid, gid);
    return rc < 0 ? rc : text_write("/proc/self/gid_map", text);
}

static int namespace_enter(bool is_root, struct err *err)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    if (unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return err_set(err, errno, "a mount namespace: %s%s", strerror(errno),
                       uid == 0 ? ""
                                : " (this kernel gives users none: see sysctl "
                                  "user.max_user_namespaces)");
    int rc = uid == 0 ? 0 : user_map(uid, gid, is_root);
    if (rc < 0)
        return err_set(err, -rc, "a user namespace: %s", strerror(-rc));
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        return err_set(err, errno, "a mount namespace: %s", strerror(errno));
    return 0;
}

/* ---- the command ---- */

static pid_t running; /* for the handler */

static void signal_pass(int number)
{
    if (running > 0)
        (void)kill(running, number);
}

/* The terminal sends these to both. */
static void signals_prepare(void)
{
    const struct sigaction pass = { .sa_handler = signal_pass, .sa_flags = SA_RESTART };
    const struct sigaction ignore = { .sa_handler = SIG_IGN };
    (void)sigaction(SIGTERM, &pass, NULL);
    (void)sigaction(SIGHUP, &pass, NULL);
    (void)sigaction(SIGINT, &ignore, NULL);
    (void)sigaction(SIGQUIT, &ignore, NULL);
}

__attribute__((noreturn)) static void command_exec(const struct run_opts *opts)
{
    char **command = calloc(opts->word_count + 1, sizeof *command);
    if (!command)
        _exit(RUN_STATUS_NOT_STARTED);
    memcpy(command, opts->command, opts->word_count * sizeof *command);
    static const int numbers[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGPIPE };
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        (void)signal(numbers[i], SIG_DFL);
    (void)execvp(command[0], command);
    int status = errno == ENOENT ? RUN_STATUS_NOT_FOUND : RUN_STATUS_NOT_STARTED;
    fprintf(stderr, "baro dataset run: %s: %s\n", command[0], strerror(errno));
    _exit(status);
}

static int command_run(const struct run_opts *opts, int *ret_status, struct err *err)
{
    int status = 0;
    (void)fflush(NULL);
    signals_prepare();
    running = fork();
    if (running < 0)
        return err_set(err, errno, "fork: %s", strerror(errno));
    if (running == 0)
        command_exec(opts);
    while (waitpid(running, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, errno, "waitpid: %s", strerror(errno));
    *ret_status =
        WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
    return 0;
}

static int datasets_add(const struct run_opts *opts, struct visit *visit,
                        struct err *err)
{
    int rc = visit_begin(visit, opts->socket, err);
    for (size_t i = 0; rc == 0 && i < opts->count; i++)
        rc = visit_add(visit, span_of(opts->datasets[i]), err);
    if (rc == 0 && opts->root)
        rc = visit_add_root(visit, span_of(opts->root), err);
    if (rc == 0 && visit->count == 0)
        rc = err_set(err, EINVAL, "name one to %u datasets (--dataset)",
                     VISIT_DATASETS_MAX);
    return rc;
}

/* So that a command can state what it ran with. */
static int environment_set(const struct visit *visit, struct err *err)
{
    char mounts[VISIT_MOUNTS_SIZE];
    visit_print(visit, mounts);
    return setenv(VISIT_VARIABLE, mounts, 1) < 0
               ? err_set(err, errno, "%s", strerror(errno))
               : 0;
}

static const char *variable_find(void *arg, const char *name)
{
    (void)arg;
    return getenv(name);
}

static int variable_set(void *arg, const char *name, const char *value, struct err *err)
{
    (void)arg;
    return setenv(name, value, 1) < 0
               ? err_set(err, errno, "%s: %s", name, strerror(errno))
               : 0;
}

static int views_apply(const struct run_opts *opts, const struct visit *visit,
                       struct err *err)
{
    static const struct visit_environment environment = { variable_find, variable_set,
                                                          NULL };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < opts->view_count; i++)
        rc = visit_view_apply(visit, span_of(opts->views[i]), &environment, err);
    return rc;
}

#define HOMES 3U

/* What has to be known before the namespace is entered, or a view is applied. */
struct run_site {
    struct visit_hooks hooks;
    uint32_t uid;
    char homes[HOMES][VISIT_PATH_SIZE]; /* "": none */
};

/* Home, and scratch as most sites name it, which the command knows by the environment:
 * its user's, of which no view has changed anything. */
static int homes_read(struct run_site *site, struct err *err)
{
    static const char *const names[HOMES] = { "HOME", "SCRATCH", "WORK" };
    for (size_t i = 0; i < HOMES; i++) {
        const char *path = getenv(names[i]);
        if (!path || path[0] != '/')
            continue;
        if (strlen(path) >= VISIT_PATH_SIZE)
            return err_set(err, ENAMETOOLONG, "%s: too long", names[i]);
        (void)snprintf(site->homes[i], VISIT_PATH_SIZE, "%s", path);
    }
    return 0;
}

static int root_enter(const struct run_opts *opts, const struct run_site *site,
                      struct visit *visit, struct err *err)
{
    const char *paths[RUN_BINDS_MAX + HOMES];
    size_t count = 0;
    for (size_t i = 0; i < HOMES; i++)
        if (site->homes[i][0])
            paths[count++] = site->homes[i];
    for (size_t i = 0; i < opts->bind_count; i++)
        paths[count++] = opts->binds[i];
    const struct visit_root root = { .size_bytes = opts->writable_bytes,
                                     .paths = paths,
                                     .path_count = count,
                                     .hooks = &site->hooks,
                                     .uid = site->uid };
    int rc = visit_enter_root(visit, &root, NULL, err);
    if (rc == 0 && visit->note.text[0])
        (void)fprintf(stderr, "baro dataset run: %s\n", visit->note.text);
    return rc;
}

static int datasets_attach(const struct run_opts *opts, const struct run_site *site,
                           struct visit *visit, struct err *err)
{
    int rc = 0;
    if (opts->writable_bytes)
        rc = visit_make_writable(visit, opts->writable_bytes, err);
    if (rc == 0 && visit->root >= 0)
        rc = root_enter(opts, site, visit, err);
    return rc < 0 ? rc : visit_attach(visit, NULL, err);
}

/* Before the namespace is entered, in which the path may be another's. */
static int record_begin(const struct run_opts *opts, const struct visit *visit,
                        int *ret_fd, struct err *err)
{
    if (!opts->record_path && !opts->recorded)
        return 0;
    if (opts->record_path) {
        *ret_fd =
            open(opts->record_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (*ret_fd < 0)
            return err_set(err, errno, "%s: %s", opts->record_path, strerror(errno));
    }
    return visit_record(visit, err);
}

static int record_end(const struct run_opts *opts, const struct visit *visit, int fd,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf own = STRBUF_INIT;
    struct strbuf *text = opts->recorded ? opts->recorded : &own;
    if (!opts->record_path && !opts->recorded)
        return 0;
    int rc = visit_profile(visit, text, err);
    if (rc == 0 && fd >= 0 && write(fd, text->data, text->size) != (ssize_t)text->size)
        rc = err_set(err, errno ? errno : EIO, "%s: %s", opts->record_path,
                     strerror(errno ? errno : EIO));
    return rc;
}

int run_with_datasets(const struct run_opts *opts, int *ret_status, struct err *err)
{
    AUTO(visit_done) struct visit visit = { .fd = -1, .root = -1 };
    struct run_site site = { .uid = getuid() };
    char directory[PATH_MAX];
    AUTO_CLOSE int record_fd = -1;
    bool has_directory = getcwd(directory, sizeof directory) != NULL;
    int rc = datasets_add(opts, &visit, err);
    if (rc == 0 && opts->root)
        rc = homes_read(&site, err);
    if (rc == 0)
        rc = visit_connect(&visit, err);
    if (rc == 0)
        rc = visit_mount(&visit, NULL, err);
    if (rc == 0)
        rc = views_apply(opts, &visit, err);
    if (rc == 0)
        rc = record_begin(opts, &visit, &record_fd, err);
    if (rc == 0 && (opts->writable_bytes || opts->root))
        rc = visit_own(&visit, !opts->writable_bytes, err);
    if (rc == 0 && opts->root && opts->hooks)
        rc = visit_hooks_open(opts->hooks, &site.hooks, err);
    if (rc == 0)
        rc = namespace_enter(opts->is_mapped_to_root, err);
    if (rc == 0)
        rc = datasets_attach(opts, &site, &visit, err);
    visit_hooks_close(&site.hooks);
    if (rc == 0)
        rc = environment_set(&visit, err);
    if (rc == 0)
        visit_report(&visit, "baro");
    if (rc == 0 && has_directory)
        (void)!chdir(directory); /* into what is mounted there now */
    if (rc == 0)
        rc = command_run(opts, ret_status, err);
    return rc < 0 ? rc : record_end(opts, &visit, record_fd, err);
}
