/* SPDX-License-Identifier: Apache-2.0 */
/* launch - the programs of a session's nodes: children here, by srun, or by ssh. */
#include "jobsession/launch.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/helper.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#define WRITE_WAIT_MS 10000
#define REAP_MS 20

enum { ARGUMENTS_MAX = 32 };

struct node_command {
    const char *argv[ARGUMENTS_MAX + 1];
    size_t count;
};

extern char **environ;

/* ---- one program ---- */

static void add_word(struct node_command *command, const char *word)
{
    if (command->count < ARGUMENTS_MAX)
        command->argv[command->count++] = word;
}

/* Standard output is that of the owner's command alone.  A group of its own: what a
 * terminal sends to the command's ends the command first. */
static int spawn_node(const struct node_command *command, int in_fd, pid_t *ret)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, in_fd, STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF |
                                                    POSIX_SPAWN_SETSIGMASK |
                                                    POSIX_SPAWN_SETPGROUP);
    (void)posix_spawnattr_setsigdefault(&attributes, &all);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    int rc = posix_spawnp(ret, command->argv[0], &actions, &attributes,
                          (char *const *)(uintptr_t)command->argv, environ);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return -rc;
}

/* A pipe holds 64 KiB; what is more waits for the program, not without end. */
static int write_invitation(int fd, struct span text)
{
    while (text.size > 0) {
        ssize_t size = write(fd, text.data, text.size);
        if (size > 0) {
            text = span_skip(text, (size_t)size);
            continue;
        }
        struct pollfd poll_fd = { fd, POLLOUT, 0 };
        if (size < 0 && errno == EAGAIN && poll(&poll_fd, 1, WRITE_WAIT_MS) > 0)
            continue;
        if (size < 0 && errno == EINTR)
            continue;
        return size < 0 && errno != EAGAIN ? -errno : -ETIMEDOUT;
    }
    return 0;
}

static int start_program(const struct node_command *command,
                         const struct invitation *invitation, uint32_t rank,
                         struct node_program *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int ends[2];
    int rc = invitation_print(invitation, rank, &text);
    if (rc < 0)
        return err_set(err, -rc,
                       "a name or a path has a line end, or blanks around it");
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_set(err, errno, "pipe: %s", strerror(errno));
    rc = spawn_node(command, ends[0], &ret->pid);
    (void)close(ends[0]);
    ret->fd = ends[1];
    if (rc < 0) {
        ret->pid = 0;
        return err_set(err, -rc, "start '%s': %s", command->argv[0], strerror(-rc));
    }
    (void)fcntl(ret->fd, F_SETFL, O_NONBLOCK);
    rc = write_invitation(ret->fd, strbuf_span(&text));
    memset(text.data, 0, text.size);
    return rc < 0 ? err_set(err, -rc, "'%s' does not read its standard input",
                            command->argv[0])
                  : 0;
}

/* ---- which programs ---- */

/* env: options of the batch job are not those of this step. */
static int start_srun(const struct launch_opts *opts, const char *program,
                      const struct invitation *invitation, struct launch *launch,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    char nodes[48], tasks[48];
    unsigned long long count = hostset_count(opts->hosts);
    strbuf_adds(&list, "--nodelist=");
    hostset_print(opts->hosts, &list);
    if (strbuf_error(&list) < 0)
        return -ENOMEM;
    (void)snprintf(nodes, sizeof nodes, "--nodes=%llu", count);
    (void)snprintf(tasks, sizeof tasks, "--ntasks=%llu", count);
    struct node_command command = { .count = 0 };
    const char *const argv[] = {
        "env",
        "-u",
        "SLURM_NTASKS_PER_NODE",
        "-u",
        "SLURM_MEM_PER_CPU",
        "-u",
        "SLURM_MEM_PER_NODE",
        "-u",
        "SLURM_CPUS_PER_TASK",
        "srun",
        nodes,
        tasks,
        "--ntasks-per-node=1",
        "--cpus-per-task=1",
        strbuf_text(&list),
        "--overlap",
        "--kill-on-bad-exit=0",
        "--wait=0",
        "--job-name=baro-session",
        program,
    };
    for (size_t i = 0; i < COUNT_OF(argv); i++)
        add_word(&command, argv[i]);
    launch->count = 1;
    return start_program(&command, invitation, UINT32_MAX, &launch->programs[0], err);
}

static int start_each(const struct launch_opts *opts, const char *program,
                      const struct invitation *invitation, struct launch *launch,
                      struct err *err)
{
    AUTO_FREE char *argv = NULL;
    if (opts->kind == LAUNCH_REMOTE && !(argv = strdup(opts->command)))
        return -ENOMEM;
    struct node_command command = { .count = 0 };
    char *rest = NULL;
    for (char *word = argv ? strtok_r(argv, " ", &rest) : NULL;
         word && command.count < ARGUMENTS_MAX - 2; word = strtok_r(NULL, " ", &rest))
        add_word(&command, word);
    size_t first = command.count;
    int failed = 0; /* one that ended at once: the others start all the same */
    for (size_t i = 0; i < hostset_count(opts->hosts); i++) {
        command.count = first;
        if (opts->kind == LAUNCH_REMOTE)
            add_word(&command, hostset_at(opts->hosts, i));
        add_word(&command, program);
        command.argv[command.count] = NULL;
        launch->count = i + 1;
        int rc = start_program(&command, invitation, (uint32_t)i + 1,
                               &launch->programs[i], err);
        if (rc < 0 && rc != -EPIPE)
            return rc;
        failed = rc < 0 ? rc : failed;
    }
    return failed;
}

int launch_start(const struct launch_opts *opts, const struct invitation *invitation,
                 struct launch *ret, struct err *err)
{
    char path[PATH_MAX];
    const char *program = helper_find(BARO_LIBEXECDIR "/baro-session-node", path);
    size_t count = opts->kind == LAUNCH_SRUN ? 1 : hostset_count(opts->hosts);
    *ret = (struct launch){ .programs = calloc(count, sizeof *ret->programs) };
    if (!ret->programs)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        ret->programs[i].fd = -1;
    return opts->kind == LAUNCH_SRUN ? start_srun(opts, program, invitation, ret, err)
                                     : start_each(opts, program, invitation, ret, err);
}

/* ---- the end ---- */

static size_t reap(struct launch *launch)
{
    size_t left = 0;
    for (size_t i = 0; i < launch->count; i++) {
        struct node_program *p = &launch->programs[i];
        if (p->pid > 0 && waitpid(p->pid, NULL, WNOHANG) != 0)
            p->pid = 0;
        left += p->pid > 0;
    }
    return left;
}

size_t launch_ended(struct launch *launch)
{
    return launch->count - reap(launch);
}

static bool are_gone(struct launch *launch, int64_t wait_ns)
{
    int64_t end_ns = clock_monotonic_ns() + wait_ns;
    while (reap(launch) > 0) {
        if (clock_monotonic_ns() > end_ns)
            return false;
        (void)poll(NULL, 0, REAP_MS);
    }
    return true;
}

static void signal_all(const struct launch *launch, int number)
{
    for (size_t i = 0; i < launch->count; i++)
        if (launch->programs[i].pid > 0)
            (void)kill(launch->programs[i].pid, number);
}

void launch_end(struct launch *launch, int64_t wait_ns)
{
    for (size_t i = 0; i < launch->count; i++) {
        auto_close(&launch->programs[i].fd);
        launch->programs[i].fd = -1;
    }
    if (!are_gone(launch, wait_ns)) {
        signal_all(launch, SIGTERM);
        if (!are_gone(launch, wait_ns)) {
            signal_all(launch, SIGKILL);
            (void)are_gone(launch, NS_PER_S);
        }
    }
    free(launch->programs);
    *launch = (struct launch){ 0 };
}
