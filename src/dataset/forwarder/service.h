/* SPDX-License-Identifier: Apache-2.0 */
/* service - all parts of a forwarder, joined; private to the room. */
#ifndef DATASET_FORWARDER_SERVICE_H
#define DATASET_FORWARDER_SERVICE_H

#include "dataset/forwarder/ahead/prefetch.h"
#include "dataset/forwarder/chunk/chunk_server.h"
#include "dataset/forwarder/forwarder.h"
#include "dataset/forwarder/nbd/nbd_server.h"
#include "dataset/forwarder/ninep/ninep_server.h"
#include "dataset/forwarder/parts.h"

struct forwarder_service {
    const struct forwarder_opts *opts;
    const struct forwarder_report *report;
    const struct forwarder_extra *extra; /* NULL: none */
    uv_loop_t loop;
    bool has_loop, has_channels, is_closing, is_check;
    uint64_t segments_max; /* of the cache: its share of file descriptors */
    struct channel_loop channels;
    uv_timer_t timer;
    void (*watch)(struct forwarder_service *service); /* the timer runs */
    uv_signal_t signals[4];
    struct work_pool *pool;
    struct cache_memory *memory;
    struct cache_disk *disk;
    struct upstreams *upstreams;
    struct flights *flights;
    struct datasets *datasets;
    struct clients clients;
    struct readers readers;
    struct leases leases;
    struct admitter *admitter; /* NULL: no pushes are accepted */
    struct pushes pushes;
    struct profiles profiles;
    struct prefetch *prefetch;
    struct chunk_server chunk_server;
    struct nbd_server nbd_server;
    struct identities identities;
    struct ninep_server ninep_server;
    struct service_door *doors;
    size_t door_count;
};

/* The counters as lines; the payload is the caller's.  NULL: memory is out. */
struct payload *service_stats(void *arg);

#endif
