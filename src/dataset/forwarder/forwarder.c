/* SPDX-License-Identifier: Apache-2.0 */
/* forwarder - the parts joined: loop, doors, signals, start and stop. */
#include "dataset/forwarder/forwarder.h"

#include "base/clock.h"
#include "base/span.h"
#include "dataset/forwarder/service.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#define CHECK_MS 100U
#define ACCEPTS_MAX 64 /* of a door, before other events have their turn */
#define INDEX_SHARE 16U

/* Where clients connect. */
struct service_door {
    uv_poll_t poll;
    struct forwarder_service *service;
    struct address address;
    int fd;
    bool is_nbd, is_open;
};

/* ---- doors ---- */

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
        if (fd < 0)
            return;
        address_tune(fd);
        if (door->is_nbd)
            nbd_server_accept(&door->service->nbd_server, fd);
        else
            chunk_server_accept(&door->service->chunk_server, fd);
    }
}

static int door_open(struct forwarder_service *service, const char *text, bool is_nbd,
                     struct err *err)
{
    struct service_door *door = &service->doors[service->door_count];
    const struct address_listen_opts opts = { service->opts->mode,
                                              service->opts->insecure };
    int rc = address_parse(text, &door->address, err);
    if (rc == 0)
        rc = address_listen(&door->address, &opts, &door->fd, err);
    if (rc < 0)
        return rc;
    service->door_count++;
    door->service = service;
    door->is_nbd = is_nbd;
    door->is_open = true;
    door->poll.data = door;
    rc = uv_poll_init(&service->loop, &door->poll, door->fd);
    return rc < 0 ? rc : uv_poll_start(&door->poll, UV_READABLE, on_door);
}

static int doors_open(struct forwarder_service *service, struct err *err)
{
    const struct config_list *listen = &service->opts->listen,
                             *nbd = &service->opts->nbd;
    int rc = 0;
    service->doors = calloc(listen->count + nbd->count, sizeof service->doors[0]);
    if (!service->doors)
        return -ENOMEM;
    for (size_t i = 0; rc == 0 && i < listen->count; i++)
        rc = door_open(service, listen->items[i], false, err);
    for (size_t i = 0; rc == 0 && i < nbd->count; i++)
        rc = door_open(service, nbd->items[i], true, err);
    return rc;
}

static void doors_resume(struct forwarder_service *service)
{
    for (size_t i = 0; i < service->door_count; i++)
        if (!uv_is_active((uv_handle_t *)&service->doors[i].poll))
            (void)uv_poll_start(&service->doors[i].poll, UV_READABLE, on_door);
}

static void doors_close(struct forwarder_service *service)
{
    for (size_t i = 0; i < service->door_count; i++) {
        struct service_door *door = &service->doors[i];
        if (!door->is_open)
            continue;
        door->is_open = false;
        uv_close((uv_handle_t *)&door->poll, NULL);
        (void)close(door->fd);
        if (door->address.path)
            (void)unlink(door->address.path);
    }
}

/* ---- the timer: only while something may be late ---- */

static bool is_idle(const struct forwarder_service *service)
{
    return flights_count(service->flights) == 0 &&
           datasets_are_idle(service->datasets) &&
           (!service->upstreams || upstreams_are_idle(service->upstreams)) &&
           service->clients.unwelcome == 0 && service->channels.queued_bytes == 0;
}

static void on_check_timer(uv_timer_t *timer)
{
    struct forwarder_service *service = timer->data;
    int64_t now_ns = clock_steady_ns();
    if (service->upstreams)
        upstreams_check(service->upstreams, now_ns);
    flights_check(service->flights, now_ns);
    datasets_check(service->datasets, now_ns);
    clients_check(&service->clients, now_ns);
    doors_resume(service);
    if (is_idle(service))
        (void)uv_timer_stop(timer);
}

static void on_before(void *arg)
{
    struct forwarder_service *service = arg;
    if (service->upstreams)
        upstreams_flush(service->upstreams);
    if (!service->is_closing && !uv_is_active((uv_handle_t *)&service->timer) &&
        !is_idle(service))
        (void)uv_timer_start(&service->timer, on_check_timer, CHECK_MS, CHECK_MS);
}

static void on_turn(void *arg)
{
    struct forwarder_service *service = arg;
    nbd_server_turn(&service->nbd_server);
}

/* ---- signals ---- */

static void service_stop(struct forwarder_service *service)
{
    if (service->is_closing)
        return;
    service->is_closing = true;
    doors_close(service);
    clients_close(&service->clients);
    if (service->upstreams)
        upstreams_close(service->upstreams);
    (void)uv_timer_stop(&service->timer);
    uv_close((uv_handle_t *)&service->timer, NULL);
    for (size_t i = 0; i < COUNT_OF(service->signals); i++)
        uv_close((uv_handle_t *)&service->signals[i], NULL);
    channel_loop_done(&service->channels);
}

static void counters_report(struct forwarder_service *service)
{
    AUTO(payload_unref) struct payload *text = service_stats(service);
    struct span rest = { text ? (const char *)text->data : "", text ? text->size : 0 };
    struct span line;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        forwarder_report(service->report, LOG_LEVEL_NOTICE, FORWARDER_CHANGE, SPAN_FMT,
                         SPAN_ARG(line));
    }
}

static void on_service_signal(uv_signal_t *handle, int number)
{
    struct forwarder_service *service = handle->data;
    if (number == SIGUSR1)
        counters_report(service);
    else if (number == SIGHUP)
        forwarder_report(service->report, LOG_LEVEL_NOTICE, FORWARDER_CHANGE,
                         "SIGHUP changes nothing: the configuration is read at start");
    else
        service_stop(service);
}

static int signals_start(struct forwarder_service *service)
{
    static const int numbers[] = { SIGTERM, SIGINT, SIGUSR1, SIGHUP };
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < COUNT_OF(numbers); i++) {
        service->signals[i].data = service;
        rc = uv_signal_init(&service->loop, &service->signals[i]);
        if (rc == 0)
            rc = uv_signal_start(&service->signals[i], on_service_signal, numbers[i]);
    }
    return rc;
}

/* ---- start ---- */

static int stores_open(struct forwarder_service *service, struct err *err)
{
    const struct forwarder_opts *opts = service->opts;
    const struct upstreams_opts ups = { opts->upstream.items, opts->upstream.count,
                                        opts->timeout_ns, service->report };
    int rc = work_pool_new(&service->loop, (unsigned)opts->workers, opts->repository,
                           &service->pool, err);
    if (rc == 0)
        rc = cache_memory_new(opts->memory, &service->memory);
    if (rc == 0 && opts->cache)
        rc = cache_disk_open(opts->cache, opts->cache_bytes, &service->disk, err);
    if (rc == 0 && opts->upstream.count)
        rc = upstreams_new(&service->channels, &ups, &service->upstreams, err);
    return rc;
}

static int parts_make(struct forwarder_service *service)
{
    const struct forwarder_opts *opts = service->opts;
    const struct flights_opts flights = { service->memory,    service->disk,
                                          service->upstreams, service->pool,
                                          opts->patience_ns,  service->report };
    const struct datasets_opts datasets = { service->disk,
                                            service->upstreams,
                                            service->pool,
                                            opts->patience_ns,
                                            opts->cache_bytes / INDEX_SHARE,
                                            service->report };
    int rc = flights_new(&flights, &service->flights);
    if (rc == 0)
        rc = datasets_new(&datasets, &service->datasets);
    service->clients = (struct clients){ .max = opts->clients_max,
                                         .handshake_ns = opts->client_timeout_ns / 6,
                                         .unread_ns = opts->client_timeout_ns,
                                         .report = service->report };
    service->chunk_server = (struct chunk_server){
        .channels = &service->channels,
        .clients = &service->clients,
        .flights = service->flights,
        .datasets = service->datasets,
        .stats = service_stats,
        .arg = service,
    };
    service->nbd_server = (struct nbd_server){ .channels = &service->channels,
                                               .clients = &service->clients,
                                               .flights = service->flights,
                                               .datasets = service->datasets,
                                               .upstreams = service->upstreams,
                                               .patience_ns = opts->patience_ns,
                                               .report = service->report };
    return rc;
}

static int loop_start(struct forwarder_service *service)
{
    int rc = uv_loop_init(&service->loop);
    if (rc < 0)
        return rc;
    service->has_loop = true;
    service->channels.before = on_before;
    service->channels.turn = on_turn;
    service->channels.held_max = service->opts->clients_memory;
    service->channels.arg = service;
    service->timer.data = service;
    rc = channel_loop_init(&service->channels, &service->loop);
    if (rc == 0)
        rc = uv_timer_init(&service->loop, &service->timer);
    if (rc == 0)
        rc = signals_start(service);
    service->has_channels = rc == 0;
    return rc;
}

static void service_done(struct forwarder_service *service)
{
    if (service->has_channels && service->datasets) {
        service_stop(service);
        (void)uv_run(&service->loop, UV_RUN_DEFAULT);
    }
    datasets_free(service->datasets);
    flights_free(service->flights);
    upstreams_free(service->upstreams);
    cache_disk_close(service->disk);
    cache_memory_free(service->memory);
    work_pool_free(service->pool);
    if (service->has_loop)
        (void)uv_loop_close(&service->loop);
    free(service->doors);
}
DEFINE_AUTO_DONE(struct forwarder_service, service_done);

static int service_start(struct forwarder_service *service, struct err *err)
{
    int rc = loop_start(service);
    if (rc == 0)
        rc = stores_open(service, err);
    return rc < 0 ? rc : parts_make(service);
}

int forwarder_run(const struct forwarder_opts *opts,
                  const struct forwarder_report *report, struct err *err)
{
    AUTO(service_done)
    struct forwarder_service service = { .opts = opts, .report = report };
    int rc = service_start(&service, err);
    if (rc == 0)
        rc = doors_open(&service, err);
    if (rc < 0)
        return rc;
    forwarder_report(report, LOG_LEVEL_NOTICE, FORWARDER_CHANGE,
                     "serving datasets from %s%s",
                     opts->repository ? opts->repository : opts->upstream.items[0],
                     opts->upstream.count > 1 ? " and other upstreams" : "");
    (void)uv_run(&service.loop, UV_RUN_DEFAULT);
    return 0;
}

int forwarder_check(const struct forwarder_opts *opts, struct err *err)
{
    static const struct forwarder_report silent = { 0 };
    AUTO(service_done)
    struct forwarder_service service = { .opts = opts, .report = &silent };
    return service_start(&service, err);
}
