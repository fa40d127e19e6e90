/* SPDX-License-Identifier: Apache-2.0 */
/* senders - what senders have created outlives barod: the file "senders" in the
 * store's directory (doc/formats/senders.md).
 *
 * Threads  the loop's.
 */
#ifndef DAEMON_SENDERS_H
#define DAEMON_SENDERS_H

#include "ingest/ingest.h"

#include <uv.h>

struct daemon_senders;

/* Read the file.  One that is damaged is logged and begun anew.  directory "none" or no
 * store (write NULL): nothing is saved.  Errors: -ENOMEM, what reading says. */
int daemon_senders_load(const char *directory, struct sender_quota *quota,
                        struct daemon_senders **ret, struct err *err);
/* Save every minute what has changed. */
int daemon_senders_start(struct daemon_senders *senders, uv_loop_t *loop);
/* Save, and end the timer, where there is one; freed in the loop's last turn. */
void daemon_senders_stop(struct daemon_senders *senders);

#endif
