/* SPDX-License-Identifier: Apache-2.0 */
/* nats_config - the sections [nats] and [nats_subscription NAME]; apart from what uses
 * them, so that a program which only prints the sample file needs no libnats. */
#include "base/number.h"
#include "ingest/nats_source.h"

static const struct config_key nats_keys[] = {
    { "address", CONFIG_LIST, offsetof(struct nats_opts, address), NULL, 0, 0,
      "A server, nats://HOST:PORT or tls://HOST:PORT; may be repeated for those of one "
      "NATS cluster. Without one there is no NATS." },
    { "username", CONFIG_TEXT, offsetof(struct nats_opts, username), "", 0, 0,
      "The user name there." },
    { "password", CONFIG_TEXT, offsetof(struct nats_opts, password), "", 0, 0,
      "And the password; this file then is to be read by barod's user only." },
    { "token", CONFIG_TEXT, offsetof(struct nats_opts, token), "", 0, 0,
      "A token instead of the two, where the server requires one; likewise." },
    { "credentials_file", CONFIG_TEXT, offsetof(struct nats_opts, credentials_file), "",
      0, 0, "File with a user's JWT and NKey seed, in the place of the two." },
    { "tls_ca", CONFIG_TEXT, offsetof(struct nats_opts, tls_ca), "", 0, 0,
      "PEM file of the authority that signed the server's certificate; the connection "
      "is then by TLS. Empty: the system's, for tls:// addresses." },
    { "queue_messages_max", CONFIG_COUNT,
      offsetof(struct nats_opts, queue_messages_max), "65536", 1, 1 << 24,
      "Messages of one subscription that may wait for the store; beyond it they are "
      "dropped and counted." },
    { "queue_bytes_max", CONFIG_SIZE, offsetof(struct nats_opts, queue_bytes_max),
      "64MiB", 1 << 16, INT64_C(1) << 30, "And their bytes." },
    { "reconnect_max", CONFIG_DURATION, offsetof(struct nats_opts, reconnect_max_ns),
      "10s", NS_PER_MS * 100, 3600 * NS_PER_S,
      "The longest wait between two tries to connect; the first ones come sooner." },
};

const struct config_section nats_config_section = {
    "nats", false, nats_keys, COUNT_OF(nats_keys), "Metrics that come by NATS.",
};

static const struct config_key subscription_keys[] = {
    { "subscribe_to", CONFIG_TEXT,
      offsetof(struct nats_subscription_opts, subscribe_to), "", 0, 0,
      "The subject, as NATS has it: alex.metrics, *.metrics, metrics.>" },
    { "cluster_tag", CONFIG_TEXT, offsetof(struct nats_subscription_opts, cluster_tag),
      "", 0, 0, "The cluster of lines that name none; empty: the one of [write]." },
    { "form", CONFIG_TEXT, offsetof(struct nats_subscription_opts, form),
      "clustercockpit", 0, 0,
      "How lines are read: clustercockpit, or influx for those of Telegraf." },
};

const struct config_section nats_subscription_config_section = {
    "nats_subscription",
    true,
    subscription_keys,
    COUNT_OF(subscription_keys),
    "A subject that metrics are published under.",
};
