/* SPDX-License-Identifier: Apache-2.0 */
/* mount - the door of dataset/mount on a node: a small mounter, and who serves images.
 */
#include "dataset/mount/mount.h"

#include "base/clock.h"
#include "base/number.h"
#include "dataset/mount/server.h"
#include "dataset/mount/visitor.h"

#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define VISITORS_MAX 512U
#define VISITORS_OF_USER_MAX 128U
#define RESTART_MIN_NS (50 * NS_PER_MS)
#define RESTART_MAX_NS (5 * NS_PER_S)
#define STEADY_NS (10 * NS_PER_S)
#define RETURN_NS (3 * NS_PER_S)
#define BACKLOG 128

struct visitor_process {
    pid_t pid; /* 0: none */
    uid_t uid;
};

struct agent {
    const struct agent_opts *opts;
    struct node_mounts node;
    uid_t uid;
    gid_t gid;
    int listen_fd, signal_fd, fuse_fd;
    struct image_table *table;
    pid_t server;
    int64_t started_ns, pause_ns, next_ns; /* of the server */
    bool is_ending;
    struct visitor_process visitors[VISITORS_MAX];
};

/* ---- the server ---- */

static void server_start_process(struct agent *agent)
{
    (void)fflush(NULL);
    agent->started_ns = clock_steady_ns();
    agent->next_ns = 0;
    agent->server = fork();
    if (agent->server == 0) {
        (void)close(agent->listen_fd);
        (void)close(agent->signal_fd);
        server_run(agent->opts, agent->uid, agent->gid, agent->fuse_fd, agent->table);
    }
}

/* The kernel's requests wait meanwhile. */
static void server_ended(struct agent *agent, int status)
{
    int64_t now_ns = clock_steady_ns();
    bool was_steady = now_ns - agent->started_ns > STEADY_NS;
    int64_t pause_ns = was_steady ? 0 : agent->pause_ns * 2;
    agent->server = 0;
    if (agent->is_ending)
        return;
    pause_ns = pause_ns < RESTART_MIN_NS ? RESTART_MIN_NS : pause_ns;
    agent->pause_ns = pause_ns < RESTART_MAX_NS ? pause_ns : RESTART_MAX_NS;
    agent->next_ns = now_ns + agent->pause_ns;
    bool was_killed = WIFSIGNALED(status);
    forwarder_report(agent->opts->report, LOG_LEVEL_ERROR, FORWARDER_CHANGE,
                     "the process that serves images %s %d: another is started, reads "
                     "wait for it",
                     was_killed ? "was killed by signal" : "ended with status",
                     was_killed ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* ---- visitors ---- */

static struct visitor_process *visitor_slot(struct agent *agent, uid_t uid)
{
    struct visitor_process *found = NULL;
    unsigned count = 0;
    for (unsigned i = 0; i < VISITORS_MAX; i++) {
        struct visitor_process *visitor = &agent->visitors[i];
        count += visitor->pid && visitor->uid == uid;
        if (!visitor->pid && !found)
            found = visitor;
    }
    return count < VISITORS_OF_USER_MAX || uid == 0 ? found : NULL;
}

static void visitor_run(struct agent *agent, uid_t uid, int fd)
{
    const struct visitor_opts opts = { agent->node, uid, agent->opts->report };
    sigset_t none;
    (void)sigemptyset(&none);
    (void)signal(SIGTERM, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)close(agent->listen_fd);
    (void)close(agent->signal_fd);
    (void)close(agent->fuse_fd);
    visitor_serve(&opts, fd);
    exit(EXIT_SUCCESS);
}

static void visitor_accept(struct agent *agent)
{
    struct ucred user = { 0 };
    socklen_t size = sizeof user;
    int fd = accept4(agent->listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    int rc = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &size);
    struct visitor_process *slot = rc == 0 ? visitor_slot(agent, user.uid) : NULL;
    (void)fflush(NULL);
    pid_t pid = slot ? fork() : -1;
    if (pid == 0)
        visitor_run(agent, user.uid, fd);
    if (pid > 0)
        *slot = (struct visitor_process){ pid, user.uid };
    else
        forwarder_report(agent->opts->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                         "a command of user %u was refused: too many are connected",
                         user.uid);
    (void)close(fd);
}

static void children_reap(struct agent *agent)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == agent->server)
            server_ended(agent, status);
        for (unsigned i = 0; i < VISITORS_MAX; i++)
            if (agent->visitors[i].pid == pid)
                agent->visitors[i].pid = 0;
    }
}

/* ---- the loop ---- */

static void signals_read(struct agent *agent)
{
    struct signalfd_siginfo info;
    while (read(agent->signal_fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            children_reap(agent);
        else if (info.ssi_signo == SIGUSR1 && agent->server)
            (void)kill(agent->server, SIGUSR1);
        else if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
            agent->is_ending = true;
    }
}

static int wait_ms(const struct agent *agent)
{
    int64_t rest_ns = agent->next_ns - clock_steady_ns();
    if (agent->server)
        return -1;
    return rest_ns <= 0 ? 0 : (int)(rest_ns / NS_PER_MS) + 1;
}

static void agent_loop(struct agent *agent)
{
    while (!agent->is_ending) {
        struct pollfd fds[] = { { agent->listen_fd, POLLIN, 0 },
                                { agent->signal_fd, POLLIN, 0 } };
        if (!agent->server && clock_steady_ns() >= agent->next_ns)
            server_start_process(agent);
        if (poll(fds, 2, wait_ms(agent)) <= 0)
            continue;
        if (fds[1].revents)
            signals_read(agent);
        if (fds[0].revents)
            visitor_accept(agent);
    }
}

/* ---- the end ---- */

/* Leases are given back by the server: once more it has time for that. */
static void leases_wait(const struct agent *agent)
{
    int64_t until_ns = clock_steady_ns() + RETURN_NS;
    const struct timespec pause = { 0, 10 * NS_PER_MS };
    while (agent->server && image_table_is_busy(agent->table) &&
           clock_steady_ns() < until_ns)
        (void)nanosleep(&pause, NULL);
}

static void agent_end(struct agent *agent)
{
    for (unsigned i = 0; i < VISITORS_MAX; i++)
        if (agent->visitors[i].pid)
            (void)kill(agent->visitors[i].pid, SIGTERM);
    node_mounts_clear(&agent->node);
    leases_wait(agent);
    if (agent->server) {
        (void)kill(agent->server, SIGTERM);
        (void)waitpid(agent->server, NULL, 0);
    }
    (void)close(agent->fuse_fd);
}

/* ---- start ---- */

static int user_find(const char *name, uid_t *ret_uid, gid_t *ret_gid, struct err *err)
{
    const struct passwd *user = getpwnam(name);
    if (!user)
        return err_set(err, ENOENT,
                       "there is no user '%s' to serve images: name one (--user)",
                       name);
    *ret_uid = user->pw_uid;
    *ret_gid = user->pw_gid;
    return 0;
}

static int socket_listen(struct agent *agent, struct err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int size = snprintf(address.sun_path, sizeof address.sun_path, "%s/agent.sock",
                        agent->node.dir);
    if (size < 0 || (size_t)size >= sizeof address.sun_path)
        return err_set(err, ENAMETOOLONG, "%s/agent.sock: too long for a socket",
                       agent->node.dir);
    (void)unlink(address.sun_path);
    agent->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (agent->listen_fd < 0 ||
        bind(agent->listen_fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        chmod(address.sun_path, 0666) < 0 || listen(agent->listen_fd, BACKLOG) < 0)
        return err_set(err, errno, "%s: %s", address.sun_path, strerror(errno));
    return 0;
}

static int signals_block(struct agent *agent)
{
    static const int numbers[] = { SIGTERM, SIGINT, SIGCHLD, SIGUSR1 };
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        (void)sigaddset(&set, numbers[i]);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return -errno;
    agent->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return agent->signal_fd < 0 ? -errno : 0;
}

static int agent_start(struct agent *agent, struct err *err)
{
    if (geteuid() != 0)
        return err_set(err, EPERM, "only root can mount: run it as root");
    int rc = user_find(agent->opts->user, &agent->uid, &agent->gid, err);
    if (rc == 0)
        rc = image_table_new(&agent->table);
    if (rc == 0)
        rc = node_mounts_make(&agent->node, err);
    if (rc == 0)
        rc = node_mounts_mount_images(&agent->node, &agent->fuse_fd, err);
    if (rc == 0)
        rc = signals_block(agent);
    return rc < 0 ? rc : socket_listen(agent, err);
}

int agent_run(const struct agent_opts *opts, struct err *err)
{
    static struct agent agent;
    agent = (struct agent){ .opts = opts, .node = { opts->directory } };
    int rc = agent_start(&agent, err);
    if (rc < 0)
        return rc;
    forwarder_report(opts->report, LOG_LEVEL_NOTICE, FORWARDER_CHANGE,
                     "datasets are mounted below %s; %s serves them", opts->directory,
                     opts->user);
    agent_loop(&agent);
    agent_end(&agent);
    return 0;
}

int agent_check(const struct agent_opts *opts, const struct forwarder_opts *forwarder,
                struct err *err)
{
    uid_t uid;
    gid_t gid;
    int rc = user_find(opts->user, &uid, &gid, err);
    return rc < 0 ? rc : forwarder_check_with(forwarder, err);
}
