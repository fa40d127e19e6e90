/* SPDX-License-Identifier: Apache-2.0 */
/* barod_told - jobs and summaries from the ways in to the records. */
#ifndef CMD_BAROD_TOLD_H
#define CMD_BAROD_TOLD_H

#include "cmd/barod_rooms.h"

/* Registers the ways in; rooms must outlive them.  Errors: -ENOMEM. */
int barod_told_new(struct barod_rooms *rooms, struct told_routes **ret);

#endif
