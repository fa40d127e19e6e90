/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_server - the door for kernels and NBD's own tools: datasets as block devices.
 *
 *     connect ─▶ flags ─▶ options (nbd_options.c) ─▶ an export ─▶ requests
 *                              an export is a dataset: its digits, or a tag
 *     read ─▶ a window of chunks ─▶ all are there ─▶ sent from where they lie
 *
 * Fixed newstyle, only read, structured replies.  A window is what a read of 256 KiB
 * needs at most, and less where there is no capacity for it; a longer one has several,
 * one after another, so that what a client holds of the memory is bounded whatever it
 * requests.  What is cached by request is looked up so much a turn of the loop.
 * Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_NBD_SERVER_H
#define DATASET_FORWARDER_NBD_SERVER_H

#include "dataset/forwarder/ahead/prefetch.h"
#include "dataset/forwarder/clients.h"
#include "dataset/forwarder/datasets.h"
#include "dataset/forwarder/flights.h"
#include "dataset/forwarder/leases.h"

struct nbd_client;

struct nbd_server {
    struct channel_loop *channels;
    struct clients *clients;
    struct flights *flights;
    struct datasets *datasets;
    struct leases *leases;
    struct prefetch *prefetch;
    struct upstreams *upstreams; /* NULL: none */
    int64_t patience_ns;
    const struct forwarder_report *report;
    struct nbd_client *first_turn, *last_turn;
    uint32_t turn_chunks; /* that were looked up by requests to cache in this turn */
    uint64_t reads, bytes, errors; /* errors: reads that ended with EIO */
};

/* Serves fd, which is its from now on. */
void nbd_server_accept(struct nbd_server *server, int fd);
/* The next turn, which channel_loop_turn() was called for. */
void nbd_server_turn(struct nbd_server *server);

#endif
