/* SPDX-License-Identifier: Apache-2.0 */
/* request_run - the whole of a command that sends one request and prints one table. */
#ifndef CMD_REQUEST_RUN_H
#define CMD_REQUEST_RUN_H

#include "client/client.h"

/* Print why a command failed on standard error; returns its exit status. */
int request_failed(const char *command, int rc, const struct err *err);

/* With --session the endpoint is that session's.  EXIT_OK, or what is printed is why
 * not.
 */
int request_session(struct client_args *args, const char *command);
/* command names the command in messages.  Both return the exit status. */
int request_run(const struct client_args *args, enum client_request request,
                const char *command);
/* A GET of url, which answers with a table where format=table is among its parameters.
 */
int request_run_url(const struct client_args *args, const struct net_url *url,
                    const char *command);
/* The same of path and of params that have a value; limit 0: none is sent. */
struct request_param {
    const char *name, *value;
};
int request_run_params(const struct client_args *args, const char *path,
                       const struct request_param *params, size_t count, uint64_t limit,
                       const char *command);

#endif
