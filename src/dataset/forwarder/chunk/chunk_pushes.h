/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_pushes - a client of the chunk door that sends an image.
 *
 * Threads  the loop's.
 * Errors   those that end the connection.
 */
#ifndef DATASET_FORWARDER_CHUNK_CHUNK_PUSHES_H
#define DATASET_FORWARDER_CHUNK_CHUNK_PUSHES_H

#include "dataset/forwarder/chunk/chunk_end.h"

/* PUSH, PUT and COMMIT. */
int chunk_push_request(struct chunk_client_end *end, const struct chunk_frame *frame);
/* Behind what was received: frames of a push are longer than all others. */
int chunk_push_grow(struct chunk_client_end *end);
void chunk_push_leave(struct chunk_client_end *end);

#endif
