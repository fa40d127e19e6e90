/* SPDX-License-Identifier: Apache-2.0 */
/* nats_source - metrics that come by NATS, as many ClusterCockpit sites send them.
 *
 *     server ─▶ connection ─▶ subscription alex.metrics  ─▶ line_feed, cluster alex
 *                        └──▶ subscription fritz.metrics ─▶ line_feed, cluster fritz
 *
 * Each subscription has a queue, a thread and a cluster of its own.  A connection that
 * ends, or never begins, is made anew after a wait that doubles, with jitter; what is
 * published meanwhile is lost to us, NATS does not keep it.
 *
 * Threads  one inside makes connections; the library has its own, and each line_feed.
 * Source   libnats 3.4; core NATS, no JetStream.
 */
#ifndef INGEST_NATS_SOURCE_H
#define INGEST_NATS_SOURCE_H

#include "base/config.h"
#include "ingest/line_feed.h"

/* [nats] */
struct nats_opts {
    struct config_list address; /* of servers of one cluster; none: no NATS */
    const char *username, *password;
    const char *token; /* in the place of the two */
    const char *credentials_file;
    const char *tls_ca;                           /* PEM; "": the system's */
    uint64_t queue_messages_max, queue_bytes_max; /* of each subscription */
    int64_t reconnect_max_ns;
};

/* [nats_subscription NAME] */
struct nats_subscription_opts {
    const char *subscribe_to; /* subject, * and > allowed */
    const char *cluster_tag;  /* of lines that name none; "": write.cluster */
    const char *form;         /* "clustercockpit" or "influx" */
};

extern const struct config_section nats_config_section;
extern const struct config_section nats_subscription_config_section;

struct nats_source;

enum nats_notice {
    NATS_CONNECTED,
    NATS_ENDED,   /* the connection; it is made anew */
    NATS_AWAY,    /* no connection; it is tried again */
    NATS_REFUSED, /* the server does not believe who we are; it is tried again */
    NATS_TROUBLE, /* the server or the library says that something is wrong */
    NATS_FEED,    /* a subscription's feed says something; + enum line_feed_notice */
    NATS_NOTICE_COUNT = NATS_FEED + LINE_FEED_NOTICE_COUNT,
};

/* notice as above; from any thread, one at a time. */
typedef void nats_say_fn(void *arg, unsigned notice, const char *text);

struct nats_source_opts {
    const struct nats_opts *nats;
    /* Of all feeds; form, cluster and is_open are each subscription's.  Its cluster is
     * that of subscriptions without one. */
    struct line_receiver_opts receiver;
    nats_say_fn *say;
    line_feed_count_fn *count;
    void *arg;
};

struct nats_source_stats {
    bool is_connected;
    uint64_t connections; /* made */
    uint64_t failures;    /* tries that made none */
};

/* opts->nats outlives it.  Errors: -ENOMEM, -EINVAL (addresses or credentials). */
int nats_source_new(const struct nats_source_opts *opts, struct nats_source **ret,
                    struct err *err);
/* Before it starts.  name and opts outlive it.  Errors: -EINVAL (opts), -ENOMEM,
 * -EAGAIN (no thread). */
int nats_source_subscribe(struct nats_source *source, const char *name,
                          const struct nats_subscription_opts *opts, struct err *err);
/* A server that is away is no failure.  Errors: -EAGAIN (no thread). */
int nats_source_start(struct nats_source *source, struct err *err);
/* Asks the server for no more, takes in what is there already, ends; within ten
 * seconds, and what the store takes for a text. */
void nats_source_free(struct nats_source *source);
DEFINE_AUTO(struct nats_source, nats_source_free);

void nats_source_stats(struct nats_source *source, struct nats_source_stats *ret);
size_t nats_source_feed_count(const struct nats_source *source);
/* *ret_name is the subscription's. */
void nats_source_feed_stats(struct nats_source *source, size_t index,
                            const char **ret_name, struct line_feed_stats *ret);

#endif
