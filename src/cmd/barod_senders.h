/* SPDX-License-Identifier: Apache-2.0 */
/* barod_senders - what senders have created outlives barod: the file "senders" in the
 * store's directory (doc/formats/senders.md).
 *
 * Threads  the loop's.
 */
#ifndef CMD_BAROD_SENDERS_H
#define CMD_BAROD_SENDERS_H

#include "ingest/ingest.h"

#include <uv.h>

struct barod_senders;

/* Read the file.  One that is damaged is logged and begun anew.  directory "none" or no
 * store (write NULL): nothing is saved.  Errors: -ENOMEM, what reading says. */
int barod_senders_load(const char *directory, struct sender_quota *quota,
                       struct barod_senders **ret, struct err *err);
/* Save every minute what has changed. */
int barod_senders_start(struct barod_senders *senders, uv_loop_t *loop);
/* Save, and end the timer, where there is one; freed in the loop's last turn. */
void barod_senders_stop(struct barod_senders *senders);

#endif
