/* SPDX-License-Identifier: Apache-2.0 */
/* config - the section [session], of barod.conf and of baro-agent.conf. */
#ifndef SESSION_CONFIG_H
#define SESSION_CONFIG_H

#include "base/config.h"
#include "model/model.h"
#include "session/key.h"
#include "session/topology.h"

#define SESSION_CLUSTER "session" /* where none is configured */

struct session_opts {
    const char *name;
    const char *hosts;   /* a host set, the first is the control node; "@slurm" */
    uint64_t size;       /* without hosts: so many nodes on this machine */
    const char *host;    /* this node's name in hosts; "": this machine's */
    const char *rank;    /* this node's rank instead; "": by host */
    const char *address; /* of a node: %h its host, %r its rank, %p port + rank */
    const char *listen;  /* "": this node's own address */
    uint64_t port;
    const char *key_file;
    const char *identities; /* "auto", "none", "required"; NULL: auto */
    const char *identity_key, *identity_token, *site_key, *revoked;
    uint64_t fanout;
    const char *parents;
    int64_t heartbeat_ns;
    int64_t period_ns, lead_ns, deadline_ns;
    const char *state; /* directory of the control node's incarnation */
    uint64_t queue_bytes_max;
    uint64_t event_rate, event_burst; /* of one publisher, a second and at once */
    const char *cluster;              /* of the metrics made of results */
    /* Of programs that make a session themselves; no keys of a file. */
    const struct session_key *key; /* in place of key_file; NULL: none */
    const char *control_address;   /* of rank 0, in place of address; NULL: none */
};

extern const struct config_section session_config_section;

/* What the options come to. */
struct session_plan {
    struct hostset *hosts;
    struct topology *topology;
    uint32_t rank;
    uint64_t hosts_digest;
    bool is_unix; /* addresses are paths: no key, but peer credentials */
    bool has_identities;
};

/* Whether the file has a session at all: hosts or size. */
bool session_is_configured(const struct session_opts *opts);
/* Errors: -EINVAL with the key and the remedy, -ENOMEM. */
int session_plan_make(const struct session_opts *opts, struct session_plan *ret,
                      struct err *err);
void session_plan_done(struct session_plan *plan);
DEFINE_AUTO_DONE(struct session_plan, session_plan_done);

/* Append a node's address. */
void session_address_print(const struct session_opts *opts,
                           const struct session_plan *plan, uint32_t rank,
                           struct strbuf *out);

#endif
