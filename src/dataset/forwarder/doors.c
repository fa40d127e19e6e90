/* SPDX-License-Identifier: Apache-2.0 */
/* doors - where clients of a forwarder connect. */
#include "dataset/forwarder/doors.h"

#include "base/clock.h"
#include "base/number.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ACCEPTS_MAX 64 /* of a door, before other events have their turn */
#define UNACCEPTED_MS_MIN 60000
#define DOOR_PAUSE_NS NS_PER_S

enum door_kind {
    DOOR_CHUNKS,
    DOOR_NBD,
    DOOR_NINEP,
};

/* Where clients connect. */
struct service_door {
    uv_poll_t poll;
    struct forwarder_service *service;
    const char *path; /* of a unix socket */
    int fd;
    enum door_kind kind;
    bool is_open;
    int64_t resumes_ns; /* there were no descriptors for its clients */
};

static void door_accept(struct service_door *door, int fd);

/* What waits in the backlog would wake the loop again and again. */
static void accept_failed(struct service_door *door, int errnum)
{
    struct forwarder_service *service = door->service;
    if (errnum != EMFILE && errnum != ENFILE && errnum != ENOBUFS && errnum != ENOMEM)
        return;
    door->resumes_ns = clock_steady_ns() + DOOR_PAUSE_NS;
    (void)uv_poll_stop(&door->poll);
    service->watch(service);
    forwarder_report(service->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                     "no client can be accepted for a second at least: %s",
                     strerror(errnum));
}

/* A client that does not read has client_timeout; the kernel ends it no earlier. */
static unsigned unaccepted_ms(const struct forwarder_opts *opts)
{
    int64_t ms = opts->client_timeout_ns / NS_PER_MS;
    return ms < UNACCEPTED_MS_MIN ? UNACCEPTED_MS_MIN : (unsigned)(2 * ms);
}

static void on_door(uv_poll_t *poll, int status, int events)
{
    struct service_door *door = poll->data;
    (void)events;
    for (int i = 0; status == 0 && i < ACCEPTS_MAX; i++) {
        if (!clients_have_slot(&door->service->clients, clock_steady_ns())) {
            (void)uv_poll_stop(poll); /* until the next check */
            return;
        }
        int fd = accept4(door->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            accept_failed(door, errno);
            return;
        }
        address_tune(fd, unaccepted_ms(door->service->opts));
        door_accept(door, fd);
    }
}

static void door_accept(struct service_door *door, int fd)
{
    struct forwarder_service *service = door->service;
    switch (door->kind) {
    case DOOR_CHUNKS:
        chunk_server_accept(&service->chunk_server, fd);
        return;
    case DOOR_NBD:
        nbd_server_accept(&service->nbd_server, fd);
        return;
    case DOOR_NINEP:
        ninep_server_accept(&service->ninep_server, fd);
    }
}

static int door_start(struct forwarder_service *service, int fd, enum door_kind kind,
                      const char *path)
{
    struct service_door *door = &service->doors[service->door_count];
    int rc = uv_poll_init(&service->loop, &door->poll, fd);
    if (rc < 0) {
        (void)close(fd);
        return rc;
    }
    service->door_count++;
    door->service = service;
    door->path = path;
    door->fd = fd;
    door->kind = kind;
    door->is_open = true;
    door->poll.data = door;
    return uv_poll_start(&door->poll, UV_READABLE, on_door);
}

/* A door for each address that a name has. */
static int doors_open_at(struct forwarder_service *service, const char *text,
                         enum door_kind kind, struct err *err)
{
    const struct address_listen_opts opts = { service->opts->mode,
                                              service->opts->insecure };
    int fds[ADDRESS_SOCKETS_MAX];
    struct address address;
    size_t count = 0;
    int rc = address_parse(text, &address, err);
    if (rc == 0)
        rc = address_listen(&address, &opts, fds, &count, err);
    for (size_t i = 0; i < count; i++)
        if (rc == 0)
            rc = door_start(service, fds[i], kind, address.path);
        else
            (void)close(fds[i]);
    return rc;
}

size_t doors_count(const struct forwarder_opts *opts)
{
    return opts->listen.count + opts->nbd.count + opts->ninep.count;
}

int doors_open(struct forwarder_service *service, struct err *err)
{
    const struct config_list *const lists[] = {
        [DOOR_CHUNKS] = &service->opts->listen,
        [DOOR_NBD] = &service->opts->nbd,
        [DOOR_NINEP] = &service->opts->ninep,
    };
    int rc = 0;
    service->doors = calloc(doors_count(service->opts) * ADDRESS_SOCKETS_MAX + 1,
                            sizeof service->doors[0]);
    if (!service->doors)
        return -ENOMEM;
    for (size_t kind = 0; kind < COUNT_OF(lists); kind++)
        for (size_t i = 0; rc == 0 && i < lists[kind]->count; i++)
            rc = doors_open_at(service, lists[kind]->items[i], (enum door_kind)kind,
                               err);
    return rc;
}

void doors_resume(struct forwarder_service *service, int64_t now_ns)
{
    for (size_t i = 0; i < service->door_count; i++) {
        struct service_door *door = &service->doors[i];
        if (now_ns >= door->resumes_ns && !uv_is_active((uv_handle_t *)&door->poll))
            (void)uv_poll_start(&door->poll, UV_READABLE, on_door);
    }
}

bool doors_are_open(const struct forwarder_service *service)
{
    for (size_t i = 0; i < service->door_count; i++)
        if (!uv_is_active((uv_handle_t *)&service->doors[i].poll))
            return false;
    return true;
}

void doors_close(struct forwarder_service *service)
{
    for (size_t i = 0; i < service->door_count; i++) {
        struct service_door *door = &service->doors[i];
        if (!door->is_open)
            continue;
        door->is_open = false;
        uv_close((uv_handle_t *)&door->poll, NULL);
        (void)close(door->fd);
        if (door->path)
            (void)unlink(door->path);
    }
}
