/* SPDX-License-Identifier: Apache-2.0 */
/* ninep_server - the door for clients of 9P2000.L: datasets as files of a directory.
 *
 *     connect ─▶ Tversion ─▶ (Tauth, a MUNGE credential) ─▶ Tattach ─▶ /
 *     Twalk NAME ─▶ a dataset, by its digits or a tag, that the user may read ─▶ a fid
 *     Tread ─▶ as many chunks as one response has ─▶ all are there ─▶ sent from where
 *              they lie
 *
 * Each file is the image of a dataset; nothing can be written.  Requests wait beside
 * each other, and are responded to as they are done.
 * Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_NINEP_SERVER_H
#define DATASET_FORWARDER_NINEP_SERVER_H

#include "dataset/forwarder/clients.h"
#include "dataset/forwarder/datasets.h"
#include "dataset/forwarder/flights.h"
#include "dataset/forwarder/identities.h"
#include "dataset/forwarder/leases.h"

struct ninep_server {
    struct channel_loop *channels;
    struct clients *clients;
    struct flights *flights;
    struct datasets *datasets;
    struct leases *leases;
    struct identities *identities;
    struct upstreams *upstreams; /* NULL: none */
    const struct forwarder_report *report;
    uint64_t reads, bytes, errors; /* errors: reads that ended with EIO */
    uint64_t writes_refused;
    uint64_t malformed; /* connections that ended by what they sent */
};

/* Serves fd, which is its from now on. */
void ninep_server_accept(struct ninep_server *server, int fd);

#endif
