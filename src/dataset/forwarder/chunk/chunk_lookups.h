/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_lookups - what a client of the chunk door requests that is no chunk: names,
 * indexes, leases, views; and which datasets it may read.
 *
 * Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_CHUNK_CHUNK_LOOKUPS_H
#define DATASET_FORWARDER_CHUNK_CHUNK_LOOKUPS_H

#include "dataset/forwarder/chunk/chunk_end.h"

/* RESOLVE, INDEX, LEASE, PERMIT, VIEW.  Errors: -ENOMEM. */
int chunk_lookup_begin(struct chunk_client_end *end, const struct chunk_frame *frame);
/* LIST. */
int chunk_names_begin(struct chunk_client_end *end, const struct chunk_frame *frame);
/* granted[number] is the one that was used last: where there are too many the one that
 * was not for longest goes. */
void chunk_granted_used(struct chunk_client_end *end, unsigned number);
/* Nothing of it is waited for any more. */
void chunk_lookups_leave(struct chunk_client_end *end);

#endif
