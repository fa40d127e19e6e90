/* SPDX-License-Identifier: Apache-2.0 */
/* mount - the door of dataset/mount on a node: a small mounter, and who serves images.
 */
#include "dataset/mount/mount.h"

#include "base/clock.h"
#include "base/number.h"
#include "dataset/mount/held.h"
#include "dataset/mount/job_sender.h"
#include "dataset/mount/node_jobs.h"
#include "dataset/mount/node_uses.h"
#include "dataset/mount/server.h"
#include "dataset/mount/visitor.h"
#include "dataset/mount/visitors.h"

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

#define RESTART_MIN_NS (50 * NS_PER_MS)
#define RESTART_MAX_NS (5 * NS_PER_S)
#define SENDER_PAUSE_MAX_NS (60 * NS_PER_S)
#define STEADY_NS (10 * NS_PER_S)
#define RETURN_NS (3 * NS_PER_S)
#define CHECK_NS (10 * NS_PER_S)
#define BACKLOG 128
/* Starts of a server in a row that fail, before what the last one had in hand is ended.
 */
#define STARTS_FAILED_MAX 5U
#define SWEEP_MIN_NS (500 * NS_PER_MS)
#define SWEEP_MAX_NS (30 * NS_PER_S)

struct agent {
    const struct agent_opts *opts;
    struct node_mounts node;
    uid_t uid;
    gid_t gid;
    sigset_t signals;
    int listen_fd, signal_fd, fuse_fd, table_fd;
    struct image_table *table;
    pid_t server;
    int64_t started_ns, pause_ns, next_ns; /* of the server */
    bool is_ending, is_reloading;
    unsigned failed; /* starts of the server, in a row */
    struct visitors visitors;
    int64_t visit_ns; /* when to look at these again */
    pid_t sweeper;    /* unmounts what is used no more; 0: not running */
    pid_t sender;     /* reports what jobs had mounted; 0: not running */
    int64_t sender_ns, sender_started_ns, sender_pause_ns;
    int spool_fd; /* -1: nothing is reported */
    int64_t sweep_ns, sweep_pause_ns;
};

/* ---- the server ---- */

static void server_start_process(struct agent *agent)
{
    (void)fflush(NULL);
    agent->started_ns = clock_steady_ns();
    agent->next_ns = 0;
    agent->table->is_serving = false;
    agent->server = fork();
    if (agent->server == 0) {
        (void)close(agent->listen_fd);
        (void)close(agent->signal_fd);
        server_run(agent->opts, agent->uid, agent->gid, agent->fuse_fd, agent->table_fd,
                   agent->table);
    }
}

/* Who waits for what a process has in hand that has ended can be killed no more, but
 * for the next one, or for this. */
static void lost_fail(struct agent *agent)
{
    unsigned count = fuse_door_fail_lost(agent->fuse_fd, agent->table);
    if (count)
        forwarder_report(agent->opts->report, LOG_LEVEL_ERROR, FORWARDER_CHANGE,
                         "%u reads end with an I/O error: the process that serves "
                         "images could not be started %u times; later reads wait",
                         count, agent->failed);
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
    agent->failed = agent->table->is_serving ? 0 : agent->failed + 1;
    if (agent->failed >= STARTS_FAILED_MAX)
        lost_fail(agent);
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

static void visitor_run(struct agent *agent, const struct visitors_user *user, int fd)
{
    const struct visitor_opts opts = { .node = agent->node,
                                       .uid = user->uid,
                                       .login = user->login,
                                       .jobs = &agent->opts->forwarder->jobs,
                                       .spool_fd = agent->spool_fd,
                                       .spool_gid = agent->gid,
                                       .report = agent->opts->report };
    sigset_t none;
    (void)sigemptyset(&none);
    (void)signal(SIGTERM, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)close(agent->listen_fd);
    (void)close(agent->signal_fd);
    (void)close(agent->fuse_fd);
    (void)close(agent->table_fd);
    _exit(visitor_serve(&opts, fd) ? EXIT_SUCCESS : EXIT_FAILURE);
}

static void visitor_accept(struct agent *agent)
{
    struct visitors_user user = { 0 };
    int fd = accept4(agent->listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    int rc = visitors_identify(fd, &user);
    struct visitors_slot *slot =
        rc == 0 ? visitors_slot(&agent->visitors, &user) : NULL;
    (void)fflush(NULL);
    pid_t pid = slot ? fork() : -1;
    if (pid == 0)
        visitor_run(agent, &user, fd);
    if (pid > 0) {
        visitors_add(slot, pid, &user, fd);
        return;
    }
    forwarder_report(agent->opts->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                     "a command of user %u was refused: %s", user.uid,
                     rc < 0 ? "it has ended already" : "too many are connected");
    (void)close(fd);
}

/* ---- what is used no more ---- */

/* In a process of its own: the agent must not wait for it. */
static void sweep_start(struct agent *agent)
{
    agent->sweep_ns = INT64_MAX;
    (void)fflush(NULL);
    agent->sweeper = fork();
    if (agent->sweeper == 0) {
        sigset_t none;
        (void)sigemptyset(&none);
        (void)signal(SIGTERM, SIG_DFL);
        (void)sigprocmask(SIG_SETMASK, &none, NULL);
        bool is_right = node_mounts_sweep(&agent->node);
        is_right &= node_jobs_sweep(&agent->node);
        node_uses_sweep(&agent->node);
        _exit(is_right ? EXIT_SUCCESS : EXIT_FAILURE);
    }
}

static void sweep_need(struct agent *agent, int64_t pause_ns)
{
    int64_t at_ns = clock_steady_ns() + pause_ns;
    agent->sweep_pause_ns = pause_ns;
    if (at_ns < agent->sweep_ns)
        agent->sweep_ns = at_ns;
}

static void sweep_ended(struct agent *agent, bool is_right)
{
    int64_t pause_ns = agent->sweep_pause_ns * 2;
    agent->sweeper = 0;
    if (!is_right)
        sweep_need(agent, pause_ns < SWEEP_MAX_NS ? pause_ns : SWEEP_MAX_NS);
}

/* ---- what jobs had mounted ---- */

static void sender_start(struct agent *agent)
{
    (void)fflush(NULL);
    agent->sender_ns = INT64_MAX;
    agent->sender_started_ns = clock_steady_ns();
    agent->sender = fork();
    if (agent->sender == 0) {
        (void)close(agent->listen_fd);
        (void)close(agent->signal_fd);
        (void)close(agent->fuse_fd);
        (void)close(agent->table_fd);
        job_sender_run(&agent->opts->forwarder->jobs, agent->spool_fd, agent->uid,
                       agent->gid, agent->opts->report);
    }
    if (agent->sender < 0)
        agent->sender = 0;
}

static void sender_ended(struct agent *agent)
{
    int64_t now_ns = clock_steady_ns();
    bool was_steady = now_ns - agent->sender_started_ns > STEADY_NS;
    int64_t pause_ns = was_steady ? 0 : agent->sender_pause_ns * 2;
    pause_ns = pause_ns < RESTART_MIN_NS ? RESTART_MIN_NS : pause_ns;
    agent->sender_pause_ns =
        pause_ns < SENDER_PAUSE_MAX_NS ? pause_ns : SENDER_PAUSE_MAX_NS;
    agent->sender_ns = now_ns + agent->sender_pause_ns;
    agent->sender = 0;
}

/* A spool that cannot be made is no reason to mount nothing. */
static void spool_open(struct agent *agent)
{
    const struct job_report_opts *jobs = &agent->opts->forwarder->jobs;
    struct err err = { 0 };
    agent->spool_fd = -1;
    if (!jobs->server || !*jobs->server)
        return;
    int rc = job_spool_open(jobs->spool, agent->gid, &agent->spool_fd, &err);
    if (rc < 0)
        forwarder_report(agent->opts->report, LOG_LEVEL_ERROR, FORWARDER_CHANGE,
                         "what jobs have mounted is not recorded: %s", err.text);
    else
        agent->sender_ns = 0;
}

static void child_ended(struct agent *agent, pid_t pid, int status)
{
    bool is_right = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
    if (pid == agent->server)
        server_ended(agent, status);
    else if (pid == agent->sweeper)
        sweep_ended(agent, is_right);
    else if (pid == agent->sender)
        sender_ended(agent);
    else if (visitors_remove(&agent->visitors, pid) && !is_right)
        sweep_need(agent, SWEEP_MIN_NS);
}

static void children_reap(struct agent *agent)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        child_ended(agent, pid, status);
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
        else if (info.ssi_signo == SIGHUP)
            agent->is_reloading = true;
        else if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
            agent->is_ending = true;
    }
}

static int wait_ms(const struct agent *agent, int64_t now_ns)
{
    int64_t next_ns = agent->server ? INT64_MAX : agent->next_ns;
    if (!agent->sweeper && agent->sweep_ns < next_ns)
        next_ns = agent->sweep_ns;
    if (!agent->sender && agent->sender_ns < next_ns)
        next_ns = agent->sender_ns;
    if (agent->visit_ns < next_ns)
        next_ns = agent->visit_ns;
    if (next_ns == INT64_MAX)
        return -1;
    return next_ns <= now_ns ? 0 : (int)((next_ns - now_ns) / NS_PER_MS) + 1;
}

static void agent_turn(struct agent *agent)
{
    struct pollfd fds[2 + VISITORS_MAX] = { { agent->listen_fd, POLLIN, 0 },
                                            { agent->signal_fd, POLLIN, 0 } };
    visitors_watch(&agent->visitors, fds + 2);
    if (poll(fds, COUNT_OF(fds), wait_ms(agent, clock_steady_ns())) < 0)
        return;
    agent->visit_ns = visitors_check(&agent->visitors, fds + 2, clock_steady_ns());
    if (fds[1].revents)
        signals_read(agent);
    if (fds[0].revents)
        visitor_accept(agent);
}

/* ---- the program anew ---- */

static struct held held_of(const struct agent *agent)
{
    return (struct held){ agent->fuse_fd, agent->table_fd, agent->listen_fd };
}

static void signals_unblock(void)
{
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A configuration that the next start would refuse must not end all mounts. */
static bool is_startable(void)
{
    const struct timespec pause = { 0, 10 * NS_PER_MS };
    int64_t until_ns = clock_steady_ns() + CHECK_NS;
    int status = 0;
    (void)fflush(NULL);
    pid_t checker = fork(), ended = 0;
    if (checker == 0) {
        signals_unblock();
        (void)held_exec(&HELD_NONE, "--check", NULL);
        _exit(EXIT_FAILURE);
    }
    while (checker > 0 && (ended = waitpid(checker, &status, WNOHANG)) == 0 &&
           clock_steady_ns() < until_ns)
        (void)nanosleep(&pause, NULL);
    if (checker > 0 && ended == 0) {
        (void)kill(checker, SIGKILL);
        (void)waitpid(checker, NULL, 0);
    }
    return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

/* The server is ended first: it holds the cache, which the check opens. */
static void agent_reload(struct agent *agent)
{
    struct err err = { 0 };
    const struct held held = held_of(agent);
    agent->is_reloading = false;
    if (agent->server) {
        (void)kill(agent->server, SIGKILL);
        (void)waitpid(agent->server, NULL, 0);
    }
    if (agent->sender) /* it has the configuration of before */
        (void)kill(agent->sender, SIGTERM);
    agent->server = 0;
    agent->next_ns = 0; /* where this one stays it starts the next */
    if (!is_startable()) {
        forwarder_report(
            agent->opts->report, LOG_LEVEL_ERROR, FORWARDER_CHANGE,
            "SIGHUP: the configuration is refused; the agent goes on as it "
            "was");
        return;
    }
    forwarder_report(agent->opts->report, LOG_LEVEL_NOTICE, FORWARDER_CHANGE,
                     "SIGHUP: the program is started anew; what is mounted stays");
    (void)fflush(NULL);
    signals_unblock();
    (void)held_exec(&held, NULL, &err);
    forwarder_report(agent->opts->report, LOG_LEVEL_ERROR, FORWARDER_CHANGE, "%s",
                     err.text);
    (void)sigprocmask(SIG_BLOCK, &agent->signals, NULL);
}

static void agent_loop(struct agent *agent)
{
    while (!agent->is_ending) {
        int64_t now_ns = clock_steady_ns();
        if (agent->is_reloading)
            agent_reload(agent);
        if (!agent->server && now_ns >= agent->next_ns)
            server_start_process(agent);
        if (!agent->sweeper && now_ns >= agent->sweep_ns)
            sweep_start(agent);
        if (!agent->sender && now_ns >= agent->sender_ns)
            sender_start(agent);
        agent_turn(agent);
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
        if (agent->visitors.slots[i].pid)
            (void)kill(agent->visitors.slots[i].pid, SIGTERM);
    if (agent->sweeper)
        (void)kill(agent->sweeper, SIGTERM);
    if (agent->sender)
        (void)kill(agent->sender, SIGTERM);
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
    static const int numbers[] = { SIGTERM, SIGINT, SIGCHLD, SIGUSR1, SIGHUP };
    (void)sigemptyset(&agent->signals);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        (void)sigaddset(&agent->signals, numbers[i]);
    if (sigprocmask(SIG_BLOCK, &agent->signals, NULL) < 0)
        return -errno;
    agent->signal_fd = signalfd(-1, &agent->signals, SFD_CLOEXEC | SFD_NONBLOCK);
    return agent->signal_fd < 0 ? -errno : 0;
}

static int mounts_begin(struct agent *agent, struct err *err)
{
    int rc = image_table_new(&agent->table, &agent->table_fd);
    agent->node.table = agent->table;
    if (rc == 0)
        rc = node_mounts_make(&agent->node, err);
    if (rc < 0)
        return rc;
    agent->table->is_bound = agent->node.is_bound;
    return node_mounts_mount_images(&agent->node, &agent->fuse_fd, err);
}

/* False: there is nothing of an earlier agent, or it is of no use. */
static bool mounts_adopt(struct agent *agent, struct held *held)
{
    if (held->images < 0 || held->table < 0)
        return false;
    bool is_readable = image_table_open(held->table, &agent->table) == 0;
    agent->node.is_bound = is_readable && agent->table->is_bound;
    if (!is_readable || node_mounts_adopt(&agent->node, held->images) < 0) {
        forwarder_report(
            agent->opts->report, LOG_LEVEL_WARN, FORWARDER_CHANGE,
            "what an earlier agent had mounted has ended with it: the mount "
            "is gone, or its program is too different");
        return false;
    }
    agent->node.table = agent->table;
    agent->fuse_fd = TAKE_FD(held->images);
    agent->table_fd = TAKE_FD(held->table);
    forwarder_report(agent->opts->report, LOG_LEVEL_NOTICE, FORWARDER_CHANGE,
                     "what an earlier agent has mounted stays");
    return true;
}

static int agent_start(struct agent *agent, struct held *held, struct err *err)
{
    if (geteuid() != 0)
        return err_set(err, EPERM, "only root can mount: run it as root");
    int rc = user_find(agent->opts->user, &agent->uid, &agent->gid, err);
    if (rc == 0 && !mounts_adopt(agent, held))
        rc = mounts_begin(agent, err);
    if (rc == 0)
        rc = signals_block(agent);
    if (rc == 0 && held->listen >= 0)
        agent->listen_fd = TAKE_FD(held->listen);
    else if (rc == 0)
        rc = socket_listen(agent, err);
    return rc;
}

static int lease_check(const struct agent_opts *opts, struct err *err)
{
    return opts->lease_s < AGENT_LEASE_S_MIN || opts->lease_s > AGENT_LEASE_S_MAX
               ? err_set(err, EINVAL, "--lease: write a duration from 1m to 7d")
               : 0;
}

int agent_run(const struct agent_opts *opts, struct err *err)
{
    static struct agent agent;
    agent = (struct agent){ .opts = opts,
                            .node = { .dir = opts->directory },
                            .visit_ns = INT64_MAX,
                            .sweep_ns = INT64_MAX,
                            .sender_ns = INT64_MAX,
                            .spool_fd = -1 };
    struct held held = held_find();
    visitors_init(&agent.visitors);
    int rc = lease_check(opts, err);
    if (rc == 0)
        rc = agent_start(&agent, &held, err);
    held_close(&held);
    if (rc < 0)
        return rc;
    held = held_of(&agent);
    held_store(&held);
    spool_open(&agent);
    forwarder_report(opts->report, LOG_LEVEL_NOTICE, FORWARDER_CHANGE,
                     "datasets are mounted below %s; %s serves them", opts->directory,
                     opts->user);
    sweep_need(&agent, SWEEP_MIN_NS); /* jobs that ended while there was no agent */
    agent_loop(&agent);
    agent_end(&agent);
    return 0;
}

int agent_check(const struct agent_opts *opts, const struct forwarder_opts *forwarder,
                struct err *err)
{
    uid_t uid;
    gid_t gid;
    int rc = lease_check(opts, err);
    if (rc == 0)
        rc = user_find(opts->user, &uid, &gid, err);
    return rc < 0 ? rc : forwarder_check_with(forwarder, err);
}
