/* SPDX-License-Identifier: Apache-2.0 */
/* request - one typed request about jobstats, one typed result, whoever holds the data.
 *
 *     selection ─┬▶ URL ─▶ barod ─▶ JSON ─┬▶ tables
 *                └▶ a database, directly ─┘
 *
 * Threads  none inside: a client belongs to one thread, and to one side of a fork.
 */
#ifndef CLIENT_REQUEST_H
#define CLIENT_REQUEST_H

#include "client/endpoint.h"
#include "query/query.h"

enum client_request {
    CLIENT_TOP,
    CLIENT_RATES,
    CLIENT_SERIES,
    _CLIENT_REQUEST_COUNT,
};

struct client;

/* A database is opened, a barod is not contacted yet.  *ret is the caller's, to
 * client_close().  Errors: -EINVAL (both a database and a server; the URL), what
 * opening the database or reading the token file says, -ENOMEM. */
int client_open(const struct client_endpoint *endpoint, struct client **ret,
                struct err *err);
void client_close(struct client *client);
DEFINE_AUTO(struct client, client_close);

/* Fill *ret, an initialised, empty table.  sel is settled on the way where a database
 * is read.  Errors: -EINVAL (sel), -E2BIG (too much at once), those of http.h, what the
 * database says, -EBADMSG (the response is no table), -ENOMEM. */
int client_table(struct client *client, enum client_request request,
                 struct selection *sel, struct table *ret, struct err *err);

/* What is known of the job that sel filters by: parts are QUERY_JOB_PART_COUNT
 * initialised, empty tables.  Errors: -ENOENT (no such job), and as client_table(). */
int client_job(struct client *client, struct selection *sel, struct table *parts,
               struct err *err);

#endif
