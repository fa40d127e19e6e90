/* SPDX-License-Identifier: Apache-2.0 */
/* forwarder - the parts joined: loop, doors, signals, start and stop. */
#include "dataset/forwarder/forwarder.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "dataset/forwarder/doors.h"
#include "dataset/forwarder/service.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#define CHECK_MS 100U
/* Threads that send what is long: on a busy host a program has a share of the
 * processors for each that is ready, and others have as many. */
#define SENDERS 16U
#define INDEX_SHARE 16U
/* File descriptors beside those of clients and of the cache. */
#define OWN_DESCRIPTORS 128U

/* ---- the timer: only while something may be late ---- */

static bool is_idle(const struct forwarder_service *service)
{
    return flights_count(service->flights) == 0 && !service->leases.first &&
           datasets_are_idle(service->datasets) &&
           profiles_are_idle(&service->profiles) &&
           prefetch_is_idle(service->prefetch) &&
           identities_are_idle(&service->identities) &&
           pushes_are_idle(&service->pushes) &&
           (!service->upstreams || upstreams_are_idle(service->upstreams)) &&
           service->clients.unwelcome == 0 && service->channels.queued_bytes == 0 &&
           doors_are_open(service);
}

static void on_check_timer(uv_timer_t *timer)
{
    struct forwarder_service *service = timer->data;
    int64_t now_ns = clock_steady_ns();
    if (service->upstreams)
        upstreams_check(service->upstreams, now_ns);
    flights_check(service->flights, now_ns);
    leases_check(&service->leases, now_ns);
    identities_check(&service->identities, now_ns);
    pushes_check(&service->pushes, now_ns);
    datasets_check(service->datasets, now_ns);
    profiles_check(&service->profiles, now_ns);
    clients_check(&service->clients, now_ns);
    doors_resume(service, now_ns);
    if (is_idle(service))
        (void)uv_timer_stop(timer);
}

static void timer_start(struct forwarder_service *service)
{
    if (!service->is_closing && !uv_is_active((uv_handle_t *)&service->timer))
        (void)uv_timer_start(&service->timer, on_check_timer, CHECK_MS, CHECK_MS);
}

static void on_before(void *arg)
{
    struct forwarder_service *service = arg;
    prefetch_pump(service->prefetch);
    if (service->upstreams)
        upstreams_flush(service->upstreams);
    if (!is_idle(service))
        timer_start(service);
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
    if (service->extra)
        service->extra->stop(service->extra->arg);
    clients_close(&service->clients);
    if (service->upstreams)
        upstreams_close(service->upstreams);
    (void)uv_timer_stop(&service->timer);
    uv_close((uv_handle_t *)&service->timer, NULL);
    admitter_close(service->admitter);
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

static uint64_t descriptors_raise(struct rlimit *limit)
{
    const struct rlimit more = { limit->rlim_max, limit->rlim_max };
    if (setrlimit(RLIMIT_NOFILE, &more) == 0)
        *limit = more;
    return limit->rlim_cur;
}

/* The soft limit is raised as far as it goes; a cache has a share of it. */
static int descriptors_check(struct forwarder_service *service, struct err *err)
{
    const struct forwarder_opts *opts = service->opts;
    struct rlimit limit;
    service->segments_max = UINT64_MAX;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 0;
    uint64_t all = service->is_check ? limit.rlim_max : descriptors_raise(&limit);
    if (!opts->cache)
        return 0;
    uint64_t others = opts->clients_max + OWN_DESCRIPTORS;
    uint64_t needed = cache_disk_segments(opts->cache_bytes);
    service->segments_max = all > others ? all - others : 0;
    if (service->segments_max < needed)
        return err_set(err, EINVAL,
                       "dataset.cache_bytes: the cache needs %" PRIu64
                       " file descriptors, clients (clients_max) and others %" PRIu64
                       ", and the limit is %" PRIu64
                       ": make cache_bytes less, or LimitNOFILE of the unit more",
                       needed, others, all);
    return 0;
}

/* A cache that cannot be used is none; but two processes of one cache are a mistake. */
static int disk_open(struct forwarder_service *service, struct err *err)
{
    const struct forwarder_opts *opts = service->opts;
    const struct cache_disk_opts disk = { opts->cache, opts->cache_bytes,
                                          service->segments_max, service->report };
    if (!opts->cache)
        return 0;
    if (service->is_check)
        return cache_disk_check(opts->cache, err);
    int rc = cache_disk_open(&disk, &service->disk, err);
    if (rc == 0 || rc == -EBUSY || rc == -ENAMETOOLONG)
        return rc;
    forwarder_report(service->report, LOG_LEVEL_ERROR, FORWARDER_CHANGE,
                     "the cache is not used, chunks are stored in memory alone: %s",
                     err->text[0] ? err->text : strerror(-rc));
    return 0;
}

static int stores_open(struct forwarder_service *service, struct err *err)
{
    const struct forwarder_opts *opts = service->opts;
    const struct upstreams_opts ups = { opts->upstream.items, opts->upstream.count,
                                        opts->timeout_ns, &service->readers,
                                        service->report };
    int rc = work_pool_new(&service->loop, (unsigned)opts->workers, opts->repository,
                           &service->pool, err);
    if (rc == 0)
        rc = cache_memory_new(opts->memory, &service->memory);
    if (rc == 0)
        rc = disk_open(service, err);
    if (rc == 0 && opts->upstream.count)
        rc = upstreams_new(&service->channels, &ups, &service->upstreams, err);
    return rc;
}

static int prefetch_make(struct forwarder_service *service)
{
    const struct prefetch_opts opts = { .mode = service->opts->prefetch_mode,
                                        .flights = service->flights,
                                        .datasets = service->datasets,
                                        .profiles = &service->profiles,
                                        .memory = service->memory,
                                        .memory_bytes = service->opts->memory,
                                        .report = service->report };
    return prefetch_new(&opts, &service->prefetch);
}

/* Doors: where clients connect. */
static void doors_make(struct forwarder_service *service)
{
    service->ninep_server = (struct ninep_server){ .channels = &service->channels,
                                                   .clients = &service->clients,
                                                   .flights = service->flights,
                                                   .datasets = service->datasets,
                                                   .leases = &service->leases,
                                                   .identities = &service->identities,
                                                   .upstreams = service->upstreams,
                                                   .report = service->report };
    service->chunk_server = (struct chunk_server){
        .channels = &service->channels,
        .clients = &service->clients,
        .flights = service->flights,
        .datasets = service->datasets,
        .leases = &service->leases,
        .profiles = &service->profiles,
        .identities = &service->identities,
        .pushes = service->admitter ? &service->pushes : NULL,
        .stats = service_stats,
        .arg = service,
    };
    service->nbd_server =
        (struct nbd_server){ .channels = &service->channels,
                             .clients = &service->clients,
                             .flights = service->flights,
                             .datasets = service->datasets,
                             .upstreams = service->upstreams,
                             .leases = &service->leases,
                             .prefetch = service->prefetch,
                             .patience_ns = service->opts->patience_ns,
                             .report = service->report };
}

static int parts_make(struct forwarder_service *service)
{
    const struct forwarder_opts *opts = service->opts;
    const struct flights_opts flights = { service->memory,    service->disk,
                                          service->upstreams, service->pool,
                                          opts->patience_ns,  service->report };
    const struct datasets_opts datasets = { .disk = service->disk,
                                            .upstreams = service->upstreams,
                                            .pool = service->pool,
                                            .patience_ns = opts->patience_ns,
                                            .disk_bytes_max =
                                                opts->cache_bytes / INDEX_SHARE,
                                            .report = service->report };
    int rc = flights_new(&flights, &service->flights);
    if (rc == 0)
        rc = datasets_new(&datasets, &service->datasets);
    service->profiles = (struct profiles){ .pool = service->pool,
                                           .upstreams = service->upstreams,
                                           .patience_ns = opts->patience_ns };
    if (rc == 0)
        rc = prefetch_make(service);
    service->leases = (struct leases){ .pool = service->pool,
                                       .upstreams = service->upstreams,
                                       .patience_ns = opts->patience_ns,
                                       .report = service->report };
    service->clients = (struct clients){ .max = opts->clients_max,
                                         .handshake_ns = opts->client_timeout_ns / 6,
                                         .unread_ns = opts->client_timeout_ns,
                                         .readers = &service->readers,
                                         .report = service->report };
    service->identities =
        (struct identities){ .pool = service->pool,
                             .readers = &service->readers,
                             .report = service->report,
                             .patience_ns = opts->patience_ns,
                             .has_munge = strcmp(opts->munge, "no") != 0,
                             .socket = opts->munge[0] == '/' ? opts->munge : NULL };
    service->pushes =
        (struct pushes){ .pool = service->pool,
                         .admitter = service->admitter,
                         .report = service->report,
                         .user_bytes_max = opts->push_bytes,
                         .works_max =
                             opts->workers > 3 ? (unsigned)opts->workers / 2 : 1,
                         .idle_ns = opts->client_timeout_ns };
    doors_make(service);
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
    service->channels.sender_count = SENDERS;
    service->channels.arg = service;
    service->timer.data = service;
    service->watch = timer_start;
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
    prefetch_free(service->prefetch);
    profiles_clear(&service->profiles);
    datasets_free(service->datasets);
    flights_free(service->flights);
    upstreams_free(service->upstreams);
    cache_disk_close(service->disk);
    cache_memory_free(service->memory);
    work_pool_free(service->pool);
    channel_loop_free(&service->channels);
    admitter_free(service->admitter);
    if (service->has_loop)
        (void)uv_loop_close(&service->loop);
    free(service->doors);
}
DEFINE_AUTO_DONE(struct forwarder_service, service_done);

/* libuv has four threads unless this is set before the first is needed; resolving names
 * needs some, too. */
static int pool_size(uint64_t workers)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, workers + SENDERS + 2);
    return setenv("UV_THREADPOOL_SIZE", text, 1) < 0 ? -errno : 0;
}

static int service_start(struct forwarder_service *service, struct err *err)
{
    const struct forwarder_opts *opts = service->opts;
    int rc = readers_load(opts->trusted.items, opts->trusted.count, opts->key,
                          &service->readers, err);
    if (rc == 0)
        rc = descriptors_check(service, err);
    if (rc == 0 && opts->push && !service->is_check)
        rc = admitter_start(opts->repository, &service->admitter, err);
    if (rc == 0)
        rc = pool_size(service->opts->workers);
    if (rc == 0)
        rc = loop_start(service);
    if (rc == 0 && service->admitter)
        rc = admitter_open(service->admitter, &service->loop);
    if (rc == 0)
        rc = stores_open(service, err);
    return rc < 0 ? rc : parts_make(service);
}

static int extra_start(struct forwarder_service *service,
                       const struct forwarder_extra *extra, struct err *err)
{
    const struct forwarder_parts parts = {
        &service->loop,   service->flights,  service->datasets, service->upstreams,
        &service->leases, service->prefetch, service->report,
    };
    int rc = extra->start(extra->arg, &parts, err);
    if (rc == 0)
        service->extra = extra; /* from now on it is stopped */
    return rc;
}

static int has_door(const struct forwarder_opts *opts, struct err *err)
{
    return doors_count(opts)
               ? 0
               : err_set(err, EINVAL, "dataset: set listen, nbd or 9p, or several");
}

int forwarder_run(const struct forwarder_opts *opts,
                  const struct forwarder_report *report, struct err *err)
{
    int rc = has_door(opts, err);
    return rc < 0 ? rc : forwarder_run_with(opts, NULL, report, err);
}

int forwarder_run_with(const struct forwarder_opts *opts,
                       const struct forwarder_extra *extra,
                       const struct forwarder_report *report, struct err *err)
{
    AUTO(service_done)
    struct forwarder_service service = { .opts = opts, .report = report };
    int rc = service_start(&service, err);
    if (rc == 0 && extra)
        rc = extra_start(&service, extra, err);
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

int forwarder_check_with(const struct forwarder_opts *opts, struct err *err)
{
    static const struct forwarder_report silent = { 0 };
    AUTO(service_done)
    struct forwarder_service service = { .opts = opts,
                                         .report = &silent,
                                         .is_check = true };
    return service_start(&service, err);
}

int forwarder_check(const struct forwarder_opts *opts, struct err *err)
{
    int rc = has_door(opts, err);
    return rc < 0 ? rc : forwarder_check_with(opts, err);
}
