/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_identity - who a client of the chunk door is: by the site's key, or MUNGE.
 *
 * Threads  the loop's.
 * Errors   those that end the connection: -EBADMSG, -EACCES, -ENOMEM, -EIO.
 */
#ifndef DATASET_FORWARDER_CHUNK_CHUNK_IDENTITY_H
#define DATASET_FORWARDER_CHUNK_CHUNK_IDENTITY_H

#include "dataset/forwarder/chunk/chunk_end.h"

/* CHALLENGE, PROOF and CREDENTIAL. */
int chunk_identity_send(struct chunk_client_end *end, const struct chunk_frame *frame);
int chunk_proof_check(struct chunk_client_end *end, const struct chunk_frame *frame);
int chunk_credential_begin(struct chunk_client_end *end,
                           const struct chunk_frame *frame);

#endif
