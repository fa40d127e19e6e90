/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what a forwarder has for a room that serves out of its loop, too. */
#ifndef DATASET_FORWARDER_PARTS_H
#define DATASET_FORWARDER_PARTS_H

#include "dataset/forwarder/ahead/prefetch.h"
#include "dataset/forwarder/datasets.h"
#include "dataset/forwarder/flights.h"
#include "dataset/forwarder/leases.h"

struct forwarder_parts {
    uv_loop_t *loop;
    struct flights *flights;
    struct datasets *datasets;
    struct upstreams *upstreams; /* NULL: a repository is served */
    struct leases *leases;
    struct prefetch *prefetch;
    const struct forwarder_report *report;
};

#endif
