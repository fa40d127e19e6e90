/* SPDX-License-Identifier: Apache-2.0 */
/* doors - where clients of a forwarder connect: a socket for each address of `listen`,
 * `nbd` and `9p`; private to the room.
 *
 * A door is not watched while there are no descriptors, or slots, for its clients.
 * Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_DOORS_H
#define DATASET_FORWARDER_DOORS_H

#include "dataset/forwarder/service.h"

/* Addresses that are configured. */
size_t doors_count(const struct forwarder_opts *opts);
/* Errors: -ENOMEM, those of listen, with a line. */
int doors_open(struct forwarder_service *service, struct err *err);
/* Those that were not watched are, where that has become possible. */
void doors_resume(struct forwarder_service *service, int64_t now_ns);
/* All are watched. */
bool doors_are_open(const struct forwarder_service *service);
void doors_close(struct forwarder_service *service);

#endif
