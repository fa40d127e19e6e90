/* SPDX-License-Identifier: Apache-2.0 */
/* client - asking and sending over HTTP, one connection that is used again.
 *
 * Where to:  "http://host:8091", "https://host:8091", "unix:/run/barograph/barod.sock".
 * Threads    none inside: a client belongs to one thread at a time.
 */
#ifndef NET_CLIENT_H
#define NET_CLIENT_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>

struct net_client;

struct net_client_opts {
    const char *url;
    const char *token;           /* bearer token; NULL or "": none */
    const char *token_file;      /* with one; NULL or "": none.  Read again when it was
                                    replaced; while it cannot be, the old one serves */
    const char *user, *password; /* basic authentication; NULL or "": none */
    const char *header;          /* one more of each request; NULL or "": none */
    const char *ca_file;         /* PEM; NULL or "": the system's */
    bool is_unverified;          /* any certificate of any name is accepted */
    int64_t connect_timeout_ns;  /* 0: 10 s */
    int64_t timeout_ns;          /* of one whole request; 0: 60 s */
    size_t reply_bytes_max;      /* 0: 64 MiB */
    bool is_closing;             /* after each response: no connection stays open */
};

struct net_response {
    unsigned status;
    int64_t retry_after_s; /* -1: not said */
    bool has_more;         /* it is not all there is: Baro-More */
    bool is_away;          /* with an error: no host responded, not even in part */
    char content_type[64];
    struct strbuf body;
};

void net_response_done(struct net_response *response);
DEFINE_AUTO_DONE(struct net_response, net_response_done);

/* Everything in opts is copied.  Errors: -EINVAL (the url), -ENOMEM. */
int net_client_new(const struct net_client_opts *opts, struct net_client **ret,
                   struct err *err);
void net_client_free(struct net_client *client);
DEFINE_AUTO(struct net_client, net_client_free);
/* Of each whole request from now on; more than 0. */
void net_client_set_timeout(struct net_client *client, int64_t timeout_ns);

/* Any response, whatever its status, is a success: *ret is filled (its old body's
 * memory is used again).  Errors: -ENOTCONN (no server listens there, or it closed),
 * -ETIMEDOUT, -EMSGSIZE (the response is too long), -EACCES (TLS: the peer is not who
 * it should be), -EIO. */
int net_client_get(struct net_client *client, const char *path,
                   struct net_response *ret, struct err *err);
/* A GET with a body, as cc-metric-store's /api/query wants it. */
int net_client_get_with(struct net_client *client, const char *path,
                        const char *content_type, struct span body,
                        struct net_response *ret, struct err *err);
/* content_encoding: "zstd", "gzip" or NULL. */
int net_client_post(struct net_client *client, const char *path,
                    const char *content_type, const char *content_encoding,
                    struct span body, struct net_response *ret, struct err *err);

/* 0 for 2xx; else -errno for the status, and the problem's own words in err. */
int net_response_check(const struct net_response *response, struct err *err);

#endif
