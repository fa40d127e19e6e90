/* SPDX-License-Identifier: Apache-2.0 */
/* server_options - the section [net]: keys, defaults, meanings.  Without libmicrohttpd,
 * so that programs which only describe or read the configuration are built without it.
 */
#include "base/number.h"
#include "net/server.h"

#include <stddef.h>

enum {
    THREADS_MAX = 64,
};

static const struct config_key keys[] = {
    { "listen", CONFIG_LIST, offsetof(struct net_opts, listen), NULL, 0, 0,
      "ADDRESS:PORT to listen on, may be repeated; \"none\": no TCP. "
      "Default: " NET_LISTEN_DEFAULT "." },
    { "socket", CONFIG_TEXT, offsetof(struct net_opts, socket),
      "/run/barograph/barod.sock", 0, 0,
      "Path of the unix socket; \"none\": there is none." },
    { "socket_group", CONFIG_TEXT, offsetof(struct net_opts, socket_group), "", 0, 0,
      "Members of this group are admin on the unix socket, as are root and the "
      "daemon's own user; all others may read." },
    { "scheduler_group", CONFIG_TEXT, offsetof(struct net_opts, scheduler_group),
      "barograph-scheduler", 0, 0,
      "Members of this group have the role scheduler on the unix socket: they report "
      "jobs and summaries. A group that does not exist has no members." },
    { "key", CONFIG_TEXT, offsetof(struct net_opts, key), "", 0, 0,
      "File of the public key that signed the tokens (baro token key new). Without it "
      "only loopback is served, and every client there may read." },
    { "jwt_public_key", CONFIG_TEXT, offsetof(struct net_opts, jwt_public_key), "", 0,
      0,
      "Public key of ClusterCockpit's tokens, base64 of its 32 bytes as there: these "
      "are accepted too." },
    { "jwt_role", CONFIG_LIST, offsetof(struct net_opts, jwt_roles), NULL, 0, 0,
      "Permissions granted by such a token: reader, agent, scheduler, support, api, "
      "admin, or claims: those that its roles state, of a user by its name; may be "
      "repeated. Default: reader and agent." },
    { "token_cookie", CONFIG_TEXT, offsetof(struct net_opts, token_cookie), "", 0, 0,
      "Name of the cookie in which browsers send a token, which the site's own sign-in "
      "page sets; for GET alone. Without it no cookie is read." },
    { "revoked", CONFIG_TEXT, offsetof(struct net_opts, revoked), "", 0, 0,
      "File of the ids of revoked tokens, one a line; read again when it changes." },
    { "tls_certificate", CONFIG_TEXT, offsetof(struct net_opts, tls_certificate), "", 0,
      0, "PEM file of the certificate and its chain, for all TCP listeners." },
    { "tls_key", CONFIG_TEXT, offsetof(struct net_opts, tls_key), "", 0, 0,
      "PEM file of the certificate's private key." },
    { "plaintext", CONFIG_BOOL, offsetof(struct net_opts, plaintext), "no", 0, 0,
      "Listen beyond loopback without TLS: tokens can then be read on the wire." },
    { "threads", CONFIG_COUNT, offsetof(struct net_opts, threads), "0", 0, THREADS_MAX,
      "HTTP threads; 0: one for each core, 8 at most." },
    { "connections_max", CONFIG_COUNT, offsetof(struct net_opts, connections_max),
      "512", 1, 100000,
      "TCP connections at a time; clients that have not shown a valid token have half "
      "of them, one address a quarter. The oldest without a request makes room." },
    { "socket_connections_max", CONFIG_COUNT,
      offsetof(struct net_opts, socket_connections_max), "256", 1, 100000,
      "Connections of the unix socket at a time; users who are not admin have half of "
      "them." },
    { "body_max", CONFIG_SIZE, offsetof(struct net_opts, body_bytes_max), "32MiB", 1024,
      INT64_C(1) << 40, "One body, as sent and as decoded." },
    { "body_budget", CONFIG_SIZE, offsetof(struct net_opts, body_budget_bytes),
      "256MiB", 1024, INT64_C(1) << 50,
      "Memory for the bodies of all requests together; beyond it: 503. Where more than "
      "half is used one sender may have a quarter, or one body_max, beyond it: 429; "
      "an "
      "eighth is reserved for bodies up to 64KiB (less where body_max needs it)." },
    { "response_budget", CONFIG_SIZE, offsetof(struct net_opts, response_budget_bytes),
      "256MiB", 1024, INT64_C(1) << 50,
      "Memory for all responses that clients have not read yet; beyond it: 503. Where "
      "more than half is used one sender may have a quarter, beyond it: 429." },
    { "ratio_max", CONFIG_COUNT, offsetof(struct net_opts, ratio_max), "200", 1,
      1000000,
      "A body over 1 MiB may be so many times its compressed size, not more." },
    { "head_timeout", CONFIG_DURATION, offsetof(struct net_opts, head_timeout_ns),
      "10s", NS_PER_MS, 3600 * NS_PER_S,
      "From the beginning of a connection to a complete request head." },
    { "idle_timeout", CONFIG_DURATION, offsetof(struct net_opts, idle_timeout_ns),
      "60s", NS_PER_MS, 86400 * NS_PER_S,
      "How long a connection may be idle between two requests." },
    { "body_grace", CONFIG_DURATION, offsetof(struct net_opts, body_grace_ns), "20s",
      NS_PER_MS, 3600 * NS_PER_S,
      "A body may fall behind body_rate_min by so long; then its connection is "
      "closed." },
    { "body_rate_min", CONFIG_SIZE, offsetof(struct net_opts, body_rate_min), "16KiB",
      1, INT64_C(1) << 40,
      "Bytes a second that a client must send of a body, or read of a response (it may "
      "fall behind by idle_timeout). What was faster before earns nothing." },
    { "response_time", CONFIG_DURATION, offsetof(struct net_opts, response_time_ns),
      "2h", 0, 86400 * NS_PER_S,
      "Time limit of a response, however fast it is read. 0s: no limit." },
    { "rate_requests", CONFIG_COUNT, offsetof(struct net_opts, rate_requests), "200", 0,
      1000000,
      "Requests that one sender (a token's host, else an address or a local user) may "
      "make in a second; beyond it: 429. 0: no limit." },
    { "rate_requests_burst", CONFIG_COUNT,
      offsetof(struct net_opts, rate_requests_burst), "2000", 1, 100000000,
      "Requests that it may make at once, after a quiet time." },
    { "rate_bytes", CONFIG_SIZE, offsetof(struct net_opts, rate_bytes), "32MiB", 0,
      INT64_C(1) << 40,
      "Bytes of bodies that one sender may send in a second; beyond it: 429. 0B: no "
      "limit." },
    { "rate_bytes_burst", CONFIG_SIZE, offsetof(struct net_opts, rate_bytes_burst),
      "512MiB", 1, INT64_C(1) << 50,
      "Bytes that it may send at once, after a quiet time." },
    { "rate_gateway", CONFIG_COUNT, offsetof(struct net_opts, rate_gateway), "20", 1,
      10000,
      "Multiple of these rates for a sender that carries many hosts: one whose token "
      "names no host, and this host's loopback where no key is configured." },
    { "rate_failures", CONFIG_COUNT, offsetof(struct net_opts, rate_failures), "60", 0,
      1000000,
      "Invalid tokens from one address, in a minute; beyond it only "
      "tokens seen before are checked. 0: no limit." },
};

const struct config_section net_config_section = {
    .kind = "net",
    .keys = keys,
    .key_count = COUNT_OF(keys),
    .help = "Where barod listens, authentication, and limits.",
};

void net_opts_default(struct net_opts *opts)
{
    AUTO(config_free) struct config *config = NULL;
    *opts = (struct net_opts){ 0 };
    if (config_parse("defaults", (struct span){ 0 }, &net_config_section, 1, &config,
                     NULL) < 0 ||
        config_fill(config, "net", NULL, opts, NULL) < 0)
        return;
    /* The texts go with config. */
    opts->listen = (struct config_list){ 0 };
    opts->socket = opts->socket_group = opts->scheduler_group = opts->key =
        opts->revoked = NULL;
    opts->jwt_public_key = opts->token_cookie = NULL;
    opts->jwt_roles = (struct config_list){ 0 };
    opts->tls_certificate = opts->tls_key = NULL;
}
