/* SPDX-License-Identifier: Apache-2.0 */
/* login - the routes by which persons sign in and out, and the workers that check.
 *
 *     login_new ─▶ login_start ─▶ login_stop ─▶ net_server_free ─▶ login_free
 *
 * Without a service the routes are there and respond with 404.
 *
 * Threads  LOGIN_WORKERS that wait for helpers; no HTTP thread does.
 * Limits   LOGIN_WAITING_MAX requests at a time, a quarter of them of one address.
 */
#ifndef SIGNIN_LOGIN_H
#define SIGNIN_LOGIN_H

#include "net/net.h"
#include "signin/login_options.h"

enum { LOGIN_WORKERS = 3, LOGIN_WAITING_MAX = 32 };

struct login;

/* What an operator has to see of a check or of what it granted, on a worker. */
typedef void login_warn_fn(void *arg, const char *text);

/* Adds the routes, before the server starts.  opts and what it points to must outlive
 * it.
 * Errors: -EINVAL (no helper, an open loopback), -ENOMEM, -EMFILE. */
int login_new(const struct login_opts *opts, struct net_server *server,
              login_warn_fn *warn, void *arg, struct login **ret, struct err *err);
/* Errors: -EAGAIN (threads). */
int login_start(struct login *login, struct err *err);
/* What waits becomes 503, at once; before net_server_free.  NULL is fine. */
void login_stop(struct login *login);
void login_free(struct login *login);
DEFINE_AUTO(struct login, login_free);

#endif
