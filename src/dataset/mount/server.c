/* SPDX-License-Identifier: Apache-2.0 */
/* server - the process that serves images: a forwarder that has the kernel as a client.
 */
#include "dataset/mount/server.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <unistd.h>

struct server {
    struct fuse_door_opts opts;
    struct fuse_door *door;
};

static int server_start(void *arg, const struct forwarder_parts *parts, struct err *err)
{
    struct server *server = arg;
    return fuse_door_open(&server->opts, parts, &server->door, err);
}

static void server_stop(void *arg)
{
    struct server *server = arg;
    fuse_door_close(server->door);
}

/* What it reads while memory is short must not wait for itself: before root is left. */
static int rights_drop(uid_t uid, gid_t gid)
{
#ifdef PR_SET_IO_FLUSHER
    (void)prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0);
#endif
    if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 ||
        setresuid(uid, uid, uid) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) < 0 || chdir("/") < 0)
        return -errno;
    return 0;
}

#define MACHINE_DIGITS 12

/* Digits of this host and directory: hosts of the same name are two holders.  Not those
 * of the file, which are not for others.  None where the host has no number. */
static void machine_print(const char *directory, char out[static MACHINE_DIGITS + 2])
{
    char text[512] = "", digits[DIGEST_TEXT_SIZE];
    struct digest digest;
    int fd = open("/etc/machine-id", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, 32);
    if (fd >= 0)
        (void)close(fd);
    out[0] = '\0';
    if (size != 32)
        return;
    (void)snprintf(text + size, sizeof text - (size_t)size, " baro dataset %s",
                   directory);
    if (digest_of(text, strlen(text), &digest) < 0)
        return;
    digest_print(&digest, digits);
    (void)snprintf(out, MACHINE_DIGITS + 2, "-%.*s", MACHINE_DIGITS, digits);
}

/* Where memory is short this one goes rather than the agent, whose end would end all
 * mounts, too: it is started again, and no read fails. */
static void memory_yield(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!write(fd, "500", 3);
    (void)close(fd);
}

/* Who holds its leases: this agent of this host. */
static void holder_print(const char *directory, char *out, size_t size)
{
    char host[64] = "", machine[MACHINE_DIGITS + 2];
    (void)gethostname(host, sizeof host - 1);
    machine_print(directory, machine);
    (void)snprintf(out, size, "%s%s:%s", host, machine, directory);
    for (char *c = out; *c; c++)
        if (*c <= ' ' || *c > '~')
            *c = '_';
    out[DATASET_TAG_MAX] = '\0';
}

/* Two at a time would both respond to the kernel: one that an agent has left behind may
 * need a while to end.  The lock is the process's, and ends with it. */
static void turn_wait(int table_fd)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", table_fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0)
        (void)flock(fd, LOCK_EX);
}

void server_run(const struct agent_opts *opts, uid_t uid, gid_t gid, int fuse_fd,
                int table_fd, struct image_table *table)
{
    static char holder[256];
    static struct server server;
    const struct forwarder_extra extra = { server_start, server_stop, &server };
    struct err err = { 0 };
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    memory_yield();
    turn_wait(table_fd);
    holder_print(opts->directory, holder, sizeof holder);
    server.opts = (struct fuse_door_opts){ fuse_fd, table, holder, opts->lease_s };
    int rc = rights_drop(uid, gid);
    if (rc == 0)
        rc = forwarder_run_with(opts->forwarder, &extra, opts->report, &err);
    fuse_door_free(server.door);
    if (rc < 0)
        forwarder_report(opts->report, LOG_LEVEL_ERROR, FORWARDER_CHANGE,
                         "images cannot be served: %s",
                         err.text[0] ? err.text : strerror(-rc));
    _exit(rc < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}
