/* SPDX-License-Identifier: Apache-2.0 */
/* run - a command with datasets: in a mount namespace of its own, until it ends. */
#include "dataset/mount/run.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "dataset/mount/agent_line.h"
#include "dataset/mount/visitor.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_NOT_FOUND 127
#define STATUS_NOT_STARTED 126
#define STATUS_SIGNAL 128

struct run_mount {
    char name[NODE_MOUNTS_NAME_SIZE];
    char path[NODE_MOUNTS_PATH_SIZE];
    bool is_named; /* the path was; else it is below the agent's directory */
    int fd;
};

struct run {
    const struct run_opts *opts;
    int agent_fd;
    const char *here; /* below it is what has no path */
    bool has_here;
    size_t count;
    struct run_mount mounts[VISITOR_DATASETS_MAX];
};

static void run_done(struct run *run)
{
    for (size_t i = 0; i < run->count; i++)
        if (run->mounts[i].fd >= 0)
            (void)close(run->mounts[i].fd);
    if (run->agent_fd >= 0)
        (void)close(run->agent_fd);
}
DEFINE_AUTO_DONE(struct run, run_done);

/* ---- what is to be mounted where ---- */

static int mount_parse(struct run *run, const char *text, struct err *err)
{
    struct run_mount *mount = &run->mounts[run->count];
    const char *path = strstr(text, ":/");
    size_t size = path ? (size_t)(path - text) : strlen(text);
    if (size == 0 || size >= sizeof mount->name)
        return err_set(err, EINVAL, "dataset '%s': write NAME, or NAME:/path", text);
    if (path && strlen(path + 1) >= sizeof mount->path)
        return err_set(err, ENAMETOOLONG, "dataset '%s': a path that is too long",
                       text);
    memcpy(mount->name, text, size);
    mount->name[size] = '\0';
    mount->fd = -1;
    mount->is_named = path != NULL;
    run->has_here |= !path;
    int length = path ? snprintf(mount->path, sizeof mount->path, "%s", path + 1)
                      : snprintf(mount->path, sizeof mount->path, "%s/%.*s", run->here,
                                 (int)size, text);
    if (length < 0 || (size_t)length >= sizeof mount->path)
        return err_set(err, ENAMETOOLONG, "dataset '%s': a path that is too long",
                       text);
    run->count++;
    return 0;
}

static int run_parse(struct run *run, char here[static NODE_MOUNTS_PATH_SIZE],
                     struct err *err)
{
    const char *slash = strrchr(run->opts->socket, '/');
    int size = snprintf(here, NODE_MOUNTS_PATH_SIZE, "%.*s/here",
                        slash ? (int)(slash - run->opts->socket) : 1,
                        slash ? run->opts->socket : ".");
    if (size < 0 || (size_t)size >= NODE_MOUNTS_PATH_SIZE)
        return err_set(err, ENAMETOOLONG, "socket '%s': too long", run->opts->socket);
    if (run->opts->count == 0 || run->opts->count > VISITOR_DATASETS_MAX)
        return err_set(err, EINVAL, "name one to %u datasets (--dataset)",
                       VISITOR_DATASETS_MAX);
    run->here = here;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < run->opts->count; i++)
        rc = mount_parse(run, run->opts->datasets[i], err);
    return rc;
}

/* ---- the agent ---- */

static int agent_connect(struct run *run, struct err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *path = run->opts->socket;
    if (strlen(path) >= sizeof address.sun_path)
        return err_set(err, ENAMETOOLONG, "socket '%s': too long", path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    run->agent_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (run->agent_fd < 0 ||
        connect(run->agent_fd, (struct sockaddr *)&address, sizeof address) < 0)
        return err_set(err, errno,
                       "%s: %s; is baro-dataset-agent running on this node?", path,
                       strerror(errno));
    return 0;
}

static int mount_request(struct run *run, struct run_mount *mount, struct err *err)
{
    char line[AGENT_LINE_MAX];
    struct agent_response response = { 0 };
    size_t length = 0;
    int size = snprintf(line, sizeof line, "mount %s\n", mount->name);
    int rc = agent_line_send(run->agent_fd, line, (size_t)size, -1);
    if (rc == 0)
        rc = agent_line_receive(run->agent_fd, line, &length, &mount->fd);
    if (rc == 0)
        rc = agent_response_parse((struct span){ line, length }, &response);
    if (rc < 0)
        return err_set(err, -rc, "the agent at %s: %s", run->opts->socket,
                       rc == -ECONNRESET
                           ? "it ended the connection (too many commands, or a name "
                             "that cannot be one)"
                           : strerror(-rc));
    if (response.error)
        return err_set(err, response.error, "%s", response.text);
    return mount->fd < 0 ? err_set(err, EBADMSG, "the agent sent no mount") : 0;
}

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

static int user_map(uid_t uid, gid_t gid)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%u %u 1", uid, uid);
    int rc = text_write("/proc/self/setgroups", "deny");
    if (rc == 0)
        rc = text_write("/proc/self/uid_map", text);
    (void)snprintf(text, sizeof text, "%u %u 1", gid, gid);
    return rc < 0 ? rc : text_write("/proc/self/gid_map", text);
}

static int namespace_enter(struct err *err)
{
    uid_t uid = geteuid();
    gid_t gid = getegid();
    if (unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return err_set(err, errno, "a mount namespace: %s%s", strerror(errno),
                       uid == 0 ? ""
                                : " (this kernel gives users none: see sysctl "
                                  "user.max_user_namespaces)");
    int rc = uid == 0 ? 0 : user_map(uid, gid);
    if (rc < 0)
        return err_set(err, -rc, "a user namespace: %s", strerror(-rc));
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        return err_set(err, errno, "a mount namespace: %s", strerror(errno));
    return 0;
}

/* ---- mounts ---- */

/* Each directory of a path below the first root bytes of it. */
static int directories_make(const char *path, size_t root)
{
    char part[NODE_MOUNTS_PATH_SIZE];
    for (size_t i = root + 1; path[i - 1]; i++) {
        if (path[i] != '/' && path[i])
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0755) < 0 && errno != EEXIST)
            return -errno;
    }
    return 0;
}

static int mount_attach(const struct run *run, const struct run_mount *mount,
                        struct err *err)
{
    int rc = mount->is_named ? 0 : directories_make(mount->path, strlen(run->here));
    if (rc == 0 && syscall(SYS_move_mount, mount->fd, "", AT_FDCWD, mount->path,
                           MOVE_MOUNT_F_EMPTY_PATH) < 0)
        rc = -errno;
    if (rc == 0)
        return 0;
    return err_set(
        err, -rc, "dataset '%s': mounting it at %s: %s%s", mount->name, mount->path,
        strerror(-rc),
        rc == -ENOENT || rc == -ENOTDIR
            ? " (the directory has to be there; without a path it is mounted "
              "below the agent's directory)"
            : "");
}

static int mounts_attach(struct run *run, struct err *err)
{
    int rc = 0;
    if (run->has_here &&
        mount("barograph", run->here, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") < 0)
        return err_set(err, errno, "%s: %s", run->here, strerror(errno));
    for (size_t i = 0; rc == 0 && i < run->count; i++)
        rc = mount_attach(run, &run->mounts[i], err);
    return rc;
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
        _exit(STATUS_NOT_STARTED);
    memcpy(command, opts->command, opts->word_count * sizeof *command);
    static const int numbers[] = { SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGPIPE };
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        (void)signal(numbers[i], SIG_DFL);
    (void)execvp(command[0], command);
    int status = errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_STARTED;
    fprintf(stderr, "baro dataset run: %s: %s\n", command[0], strerror(errno));
    _exit(status);
}

static int command_run(struct run *run, int *ret_status, struct err *err)
{
    int status = 0;
    (void)fflush(NULL);
    signals_prepare();
    running = fork();
    if (running < 0)
        return err_set(err, errno, "fork: %s", strerror(errno));
    if (running == 0)
        command_exec(run->opts);
    while (waitpid(running, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, errno, "waitpid: %s", strerror(errno));
    *ret_status =
        WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
    return 0;
}

int run_with_datasets(const struct run_opts *opts, int *ret_status, struct err *err)
{
    AUTO(run_done) struct run run = { .opts = opts, .agent_fd = -1 };
    char directory[PATH_MAX], here[NODE_MOUNTS_PATH_SIZE];
    bool has_directory = getcwd(directory, sizeof directory) != NULL;
    int rc = run_parse(&run, here, err);
    if (rc == 0)
        rc = agent_connect(&run, err);
    for (size_t i = 0; rc == 0 && i < run.count; i++)
        rc = mount_request(&run, &run.mounts[i], err);
    if (rc == 0)
        rc = namespace_enter(err);
    if (rc == 0)
        rc = mounts_attach(&run, err);
    if (rc == 0 && has_directory)
        (void)!chdir(directory); /* into what is mounted there now */
    return rc < 0 ? rc : command_run(&run, ret_status, err);
}
