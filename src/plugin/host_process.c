/* SPDX-License-Identifier: Apache-2.0 */
/* host_process - starting, stopping and blaming the process of a host. */
#include "plugin/host_private.h"

#include "base/clock.h"
#include "base/number.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define PAUSE_FIRST_NS NS_PER_S
#define PAUSE_MAX_NS (60 * NS_PER_S)
#define CAREFUL_TRIGGERS 10
#define ADDRESSES_BYTES ((size_t)128 << 20)
#define SOCKET_FD 3 /* of the process: SANDBOX_FD */

/* ---- start ---- */

static int spawn(const struct plugin_host *h, int fd, pid_t *ret)
{
    char cpu_ms[NUMBER_DIGITS_MAX + 1] = "", bytes[NUMBER_DIGITS_MAX + 1] = "";
    cpu_ms[number_print_u64(cpu_ms, h->opts.cpu_ms)] = '\0';
    bytes[number_print_u64(bytes, ADDRESSES_BYTES + HOST_PLUGINS_MAX *
                                                        (size_t)h->opts.memory_bytes)] =
        '\0';
    char *argv[] = { (char *)(uintptr_t)h->opts.program, cpu_ms, bytes, NULL };
    char *environment[] = { NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, fd, SOCKET_FD);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawnattr_setflags(&attributes,
                                   POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    (void)posix_spawnattr_setsigdefault(&attributes, &all);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    int rc =
        posix_spawnp(ret, h->opts.program, &actions, &attributes, argv, environment);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return -rc;
}

static void zombies_reap(struct plugin_host *h)
{
    for (size_t i = 0; i < COUNT_OF(h->zombies); i++)
        if (h->zombies[i] && waitpid(h->zombies[i], NULL, WNOHANG) != 0)
            h->zombies[i] = 0;
}

int host_process_start(struct plugin_host *h, struct err *err)
{
    int ends[2];
    zombies_reap(h);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return err_set(err, errno, "socketpair: %s", strerror(errno));
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    int rc = spawn(h, ends[1], &h->pid);
    (void)close(ends[1]);
    if (rc < 0) {
        (void)close(ends[0]);
        h->pid = 0;
        return err_set(err, -rc, "start '%s': %s (it is in the package of the agent)",
                       h->opts.program, strerror(-rc));
    }
    h->fd = ends[0];
    h->has_hello = false;
    h->counts.starts++;
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++) {
        struct host_slot *slot = h->slots[i];
        if (!slot || slot->state == HOST_REFUSED || slot->state == HOST_SUSPENDED)
            continue;
        slot->state = HOST_LOADING;
        slot->is_load_wanted = true;
    }
    host_await(h); /* HELLO */
    return 0;
}

/* ---- end ---- */

void host_process_stop(struct plugin_host *h)
{
    if (h->fd >= 0)
        (void)close(h->fd);
    h->fd = -1;
    if (h->pid > 0) {
        (void)kill(h->pid, SIGKILL);
        /* It may hang in the kernel: nothing waits for it. */
        for (size_t i = 0; i < COUNT_OF(h->zombies); i++)
            if (h->zombies[i] == 0) {
                h->zombies[i] = h->pid;
                break;
            }
    }
    h->pid = 0;
    h->ends_awaited = 0;
    h->deadline_ns = 0;
    h->out.size = 0;
    for (size_t i = 0; i < HOST_PLUGINS_MAX; i++)
        if (h->slots[i]) {
            h->slots[i]->pending_count = 0;
            h->slots[i]->is_load_sent = false;
        }
    zombies_reap(h);
}

/* One that is loaded is alone; of those that were called the first one is the one that
 * runs only where each one's yields are sent as it ends. */
static int who_runs(const struct plugin_host *h)
{
    int called = -1;
    for (int i = 0; i < HOST_PLUGINS_MAX; i++) {
        const struct host_slot *slot = h->slots[i];
        if (!slot)
            continue;
        if (slot->is_load_sent)
            return i;
        if (called < 0 && slot->pending_count > 0)
            called = i;
    }
    size_t count = 0;
    for (int i = 0; i < HOST_PLUGINS_MAX; i++)
        count += h->slots[i] && h->slots[i]->pending_count > 0;
    return count == 1 || h->careful > 0 ? called : -1;
}

void host_process_fail(struct plugin_host *h, const char *why)
{
    int blamed = who_runs(h);
    h->counts.kills++;
    host_report(h, NULL, "the process of Lua plugins is ended: %s", why);
    host_process_stop(h);
    if (blamed >= 0)
        host_strike(h, (uint16_t)blamed, "plugin_killed", why);
    else
        h->careful = CAREFUL_TRIGGERS;
    h->fine = 0;
    h->pause_ns = h->pause_ns == 0             ? PAUSE_FIRST_NS
                  : h->pause_ns < PAUSE_MAX_NS ? 2 * h->pause_ns
                                               : PAUSE_MAX_NS;
    h->restart_ns = clock_monotonic_ns() + h->pause_ns;
}
