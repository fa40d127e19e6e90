/* SPDX-License-Identifier: Apache-2.0 */
/* held_device - an NBD device whose server may end. */
#include "dataset/device/held_device.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "dataset/device/nbd_export.h"
#include "dataset/device/nbd_kernel.h"
#include "dataset/device/server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#define CONNECT_PAUSE_NS INT64_C(50000000)
#define HANGUP_NS INT64_C(1000000000) /* in which a server that ends is gone */
#define BUSY_TRIES 100U
/* When the kernel looks at requests whose connection is another one now: what was under
 * way waits so long behind an end, and each that waits so long is a line of the
 * kernel's log. */
#define REPLAY_MS "5000"
#define ARGUMENTS_MAX 256U
#define STATUS_MAX 1024U

struct held_device {
    const struct held_device_opts *opts;
    struct server_process server;
    struct nbd_kernel kernel;
    struct nbd_export export; /* name "": it is not connected yet */
    int status_fd, replay_fd;
    int64_t lost_ns, waited_ns;
    uint64_t connections;
    char last_end[32];
};

static void sleep_ns(int64_t ns)
{
    struct timespec pause = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
    (void)nanosleep(&pause, NULL);
}

static void status_write(const struct held_device *device, const char *state)
{
    char text[STATUS_MAX];
    if (device->status_fd < 0)
        return;
    int size = snprintf(text, sizeof text,
                        "state=%s\ndataset=%s\npid=%d\nstarts=%llu\nconnections=%llu\n"
                        "last_end=%s\nlast_wait_ms=%lld\n",
                        state, device->export.name, (int)device->server.pid,
                        (unsigned long long)device->server.starts,
                        (unsigned long long)device->connections, device->last_end,
                        (long long)(device->waited_ns / 1000000));
    /* Its reader sees the first line last: a cut file has none. */
    if (ftruncate(device->status_fd, 0) < 0 ||
        pwrite(device->status_fd, text, (size_t)size, 0) != size)
        log_warn("the file of its state is not written: %s", strerror(errno));
}

/* ---- a connection to the server ---- */

static int server_socket(const char *path, struct err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path)
        return err_set(err, ENAMETOOLONG, "%s: the path is too long", path);
    memcpy(address.sun_path, path, strlen(path));
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        return err_set(err, errno, "%s: %m", path);
    return TAKE_FD(fd);
}

static int server_has_ended(struct held_device *device, struct err *err)
{
    server_process_describe(device->server.status, device->last_end,
                            sizeof device->last_end);
    return err_set(err, ECHILD, "the server has ended (%s)", device->last_end);
}

/* It may need a while until it listens. */
static int server_connect(struct held_device *device, struct err *err)
{
    for (;;) {
        int fd = server_socket(device->opts->socket, err);
        if (fd >= 0 || (fd != -ENOENT && fd != -ECONNREFUSED && fd != -EAGAIN))
            return fd;
        if (server_process_has_ended(&device->server))
            return server_has_ended(device, err);
        sleep_ns(CONNECT_PAUSE_NS);
    }
}

static bool is_connected_once(const struct held_device *device)
{
    return device->export.name[0];
}

static struct nbd_kernel_device kernel_device(const struct held_device *device,
                                              const struct nbd_export *export, int fd)
{
    return (struct nbd_kernel_device){ .index = device->opts->index,
                                       .size_bytes = export->size_bytes,
                                       .flags = export->flags,
                                       .name = export->name,
                                       .socket = fd };
}

/* While another process has the device open, as udev has each new one, it is in use. */
static int device_connect(struct held_device *device, const struct nbd_export *export,
                          int fd, struct err *err)
{
    struct nbd_kernel_device wanted = kernel_device(device, export, fd);
    int rc = nbd_kernel_connect(&device->kernel, &wanted, err);
    for (unsigned i = 0; i < BUSY_TRIES && rc == -EBUSY; i++) {
        sleep_ns(CONNECT_PAUSE_NS);
        rc = nbd_kernel_connect(&device->kernel, &wanted, err);
    }
    if (rc < 0)
        return rc;
    device->export = *export;
    if (write(device->replay_fd, REPLAY_MS, sizeof REPLAY_MS - 1) < 0)
        log_warn("io_timeout of the device is not set (%s): after an end of the server "
                 "reads "
                 "that were under way wait up to 30 s",
                 strerror(errno));
    return 0;
}

static int device_reconnect(struct held_device *device, const struct nbd_export *export,
                            int fd, struct err *err)
{
    struct nbd_kernel_device wanted = kernel_device(device, export, fd);
    if (export->size_bytes != device->export.size_bytes ||
        strcmp(export->name, device->export.name) != 0)
        return err_set(err, EBADMSG, "the server has another dataset (%s, %llu bytes)",
                       export->name, (unsigned long long)export->size_bytes);
    return nbd_kernel_reconnect(&device->kernel, &wanted, err);
}

/* Returns the connection that the kernel has.  A tag could have been moved meanwhile:
 * it is resolved once. */
static int device_attach(struct held_device *device, struct err *err)
{
    struct nbd_export export;
    bool is_first = !is_connected_once(device);
    int fd = server_connect(device, err);
    if (fd < 0)
        return fd;
    int rc = nbd_export_choose(
        fd, is_first ? device->opts->dataset : device->export.name, &export, err);
    if (rc == 0)
        rc = is_first ? device_connect(device, &export, fd, err)
                      : device_reconnect(device, &export, fd, err);
    if (rc < 0) {
        (void)close(fd);
        return rc;
    }
    device->connections++;
    return fd;
}

/* ---- what it does for ever ---- */

/* The kernel reports success also where it has not seen yet that the former connection
 * is dead, and has no use for this one then.  So it is handed again: where it has it
 * that changes nothing. */
static void device_hold(struct held_device *device, int fd)
{
    static const int again_ms[] = { 100, 1000, 5000, -1 };
    struct nbd_kernel_device wanted = kernel_device(device, &device->export, fd);
    struct pollfd hang_up = { .fd = fd, .events = POLLRDHUP };
    size_t i = device->connections > 1 ? 0 : COUNT_OF(again_ms) - 1;
    for (;;) {
        int n = poll(&hang_up, 1, again_ms[i]);
        if (n > 0)
            return;
        if (n < 0 || again_ms[i] < 0)
            continue;
        (void)nbd_kernel_reconnect(&device->kernel, &wanted, NULL);
        i++;
    }
}

static int server_start_again(struct held_device *device, struct err *err)
{
    log_warn("baro-datasetd has ended (%s) under the device of a dataset; it is "
             "started again "
             "in %.1f s, and what reads waits: ends=%llu",
             device->last_end, (double)device->server.pause_ns / 1e9,
             (unsigned long long)device->server.starts);
    sleep_ns(device->server.pause_ns);
    return server_process_start(&device->server, err);
}

/* Until the device has a connection; returns it. */
static int device_attach_again(struct held_device *device)
{
    struct err err = { "" };
    int64_t pause_ns = 0;
    for (;;) {
        int rc = 0;
        if (server_process_has_ended(&device->server)) {
            (void)server_has_ended(device, NULL);
            status_write(device, "waiting");
            rc = server_start_again(device, &err);
        }
        if (rc == 0)
            rc = device_attach(device, &err);
        if (rc >= 0)
            return rc;
        if (rc == -ECHILD ||
            (rc == -EPIPE && server_process_ends_within(&device->server, HANGUP_NS)))
            continue; /* else it runs, and ended the connection alone */
        pause_ns = server_pause_next(pause_ns, 0);
        log_warn("the device of a dataset has no connection, and what reads waits: %s; "
                 "again "
                 "in %.1f s",
                 err.text, (double)pause_ns / 1e9);
        sleep_ns(pause_ns);
    }
}

static void device_serve(struct held_device *device, int fd)
{
    for (;;) {
        status_write(device, "connected");
        device_hold(device, fd);
        device->lost_ns = clock_monotonic_ns();
        (void)close(fd);
        fd = device_attach_again(device);
        device->waited_ns = clock_monotonic_ns() - device->lost_ns;
        log_notice("the device of a dataset is connected again after %.1f s: "
                   "connections=%llu",
                   (double)device->waited_ns / 1e9,
                   (unsigned long long)device->connections);
    }
}

/* ---- its start ---- */

static int files_open(struct held_device *device, struct err *err)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/sys/block/nbd%u/queue/io_timeout",
                   device->opts->index);
    device->replay_fd = open(path, O_WRONLY | O_CLOEXEC);
    if (!device->opts->status)
        return 0;
    device->status_fd =
        open(device->opts->status, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    return device->status_fd < 0 ? err_set(err, errno, "%s: %m", device->opts->status)
                                 : 0;
}

static int memory_enter(const char *root, struct err *err)
{
    if (chroot(root) < 0 || chdir("/") < 0)
        return err_set(err, errno, "%s: %m", root);
    return mlockall(MCL_CURRENT | MCL_FUTURE) < 0
               ? err_set(err, errno, "its memory is not locked: %m")
               : 0;
}

/* The first connection.  A server whose upstreams are away lets it wait. */
static int device_begin(struct held_device *device, struct err *err)
{
    int rc = server_process_start(&device->server, err);
    if (rc < 0)
        return rc;
    rc = device_attach(device, err);
    while (rc == -EPIPE && !server_process_ends_within(&device->server, HANGUP_NS))
        rc = device_attach(device, err);
    if (rc == -EPIPE) {
        server_process_wait(&device->server);
        rc = server_has_ended(device, err);
    }
    if (rc < 0)
        server_process_end(&device->server);
    return rc;
}

int held_device_run(const struct held_device_opts *opts, struct err *err)
{
    char *arguments[ARGUMENTS_MAX];
    struct held_device device = {
        .opts = opts, .kernel.fd = -1, .status_fd = -1, .replay_fd = -1
    };
    if (opts->argc >= ARGUMENTS_MAX)
        return err_set(err, E2BIG, "the server has too many arguments");
    memcpy(arguments, opts->argv, opts->argc * sizeof *arguments);
    arguments[opts->argc] = NULL;
    arguments[0] = (char *)(uintptr_t)opts->name;
    device.server.path = opts->argv[0];
    device.server.argv = arguments;
    int rc = files_open(&device, err);
    if (rc == 0)
        rc = nbd_kernel_open(&device.kernel, err);
    if (rc == 0)
        rc = memory_enter(opts->root, err);
    if (rc == 0)
        rc = device_begin(&device, err);
    if (rc >= 0)
        device_serve(&device, rc);
    return rc;
}
