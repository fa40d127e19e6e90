/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_server - the door for the level below: indexes and chunks by their digests.
 *
 * Chunks are sent as they come, in whatever order.  A client may have so many under way
 * as the welcome states; what it requests beyond that ends its connection.  Names and
 * indexes beyond their limit, and a second list, are responded to as "busy".
 * Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_CHUNK_CHUNK_SERVER_H
#define DATASET_FORWARDER_CHUNK_CHUNK_SERVER_H

#include "dataset/forwarder/chunk/pushes.h"
#include "dataset/forwarder/clients.h"
#include "dataset/forwarder/datasets.h"
#include "dataset/forwarder/flights.h"
#include "dataset/forwarder/identities.h"
#include "dataset/forwarder/leases.h"
#include "dataset/forwarder/profiles.h"

struct chunk_server {
    struct channel_loop *channels;
    struct clients *clients;
    struct flights *flights;
    struct datasets *datasets;
    struct leases *leases;
    struct profiles *profiles;
    struct identities *identities;
    struct pushes *pushes; /* NULL: none are accepted */
    /* Counters as text; the payload is the caller's. */
    struct payload *(*stats)(void *arg);
    void *arg;
    uint64_t chunks, bytes; /* sent */
};

/* Serves fd, which is its from now on. */
void chunk_server_accept(struct chunk_server *server, int fd);

#endif
