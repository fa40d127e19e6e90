/* SPDX-License-Identifier: Apache-2.0 */
/* health_sender - recorded samples of health, sent to a barod as readings of targets.
 *
 *     DIR/df-DATE.txt, dl-DATE.txt ──blocks after DIR/df.sent──▶ readings ──▶ POST
 * /v1/health ──acknowledged──▶ DIR/df.sent
 *
 * The directory is the queue: what a barod that was away did not get is sent the next
 * time, and what was sent twice changes nothing there.
 *
 * Threads  none inside.
 */
#ifndef CLIENT_JOB_HEALTH_SENDER_H
#define CLIENT_JOB_HEALTH_SENDER_H

#include "client/job/server.h"

#define HEALTH_SENDER_DAYS 30 /* what is older when first sent stays in the files */

struct health_sender_opts {
    const char *dir;     /* of source/health/health_dir.h */
    const char *cluster; /* of the readings; NULL: that of the token */
    series_log_fn *log;  /* what the server refused; NULL: nothing is reported */
    void *log_arg;
};

/* Errors: those of client/http.h, of reading the directory, of writing what was sent;
 * -EBADMSG (the server refused all of it). */
int health_send(const struct client_endpoint *endpoint,
                const struct health_sender_opts *opts, struct job_server_counts *ret,
                struct err *err);

#endif
