/* SPDX-License-Identifier: Apache-2.0 */
/* house - a barod within a test: its rooms started as the daemon starts them, on SQLite
 * and a unix socket in the scratch directory.
 */
#ifndef DAEMON_TEST_HOUSE_H
#define DAEMON_TEST_HOUSE_H

#include "base/test/testing.h"
#include "daemon/steps.h"

struct house {
    struct daemon d;
    char config[128], socket[128], records[128], url[140];
    struct net_client *client;
    struct net_response response;
};

/* Writes the configuration path.conf: path.db and path.sock, and more behind it; no
 * thread is started.  Fails the test where it is not valid. */
void house_load(struct house *h, const char *path, const char *more);
/* Starts everything.  Errors: those of daemon_start(). */
int house_start(struct house *h, struct err *err);
void house_stop(struct house *h);

/* Returns the status; the response is in h->response. */
unsigned house_get(struct house *h, const char *path);
unsigned house_post(struct house *h, const char *path, const char *type,
                    const char *body);

#endif
