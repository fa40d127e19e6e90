/* SPDX-License-Identifier: Apache-2.0 */
/* write_sender - who writes samples: of what it may write, and what new ones are
 * charged to. */
#ifndef INGEST_WRITE_SENDER_H
#define INGEST_WRITE_SENDER_H

#include "ingest/sink.h"
#include "net/net.h"

/* Of which it writes; empty: of every cluster. */
struct span write_sender_cluster(const struct net_request *request);
/* An agent's token is for its host; a collector's names none, and so is empty. */
struct span write_sender_host(const struct net_request *request);
/* Whom to charge for new series: a token's host, the token, or where it comes from.
 * NULL: there are no shares.  has_tokens: the server has a key. */
struct sender_account *write_sender_account(const struct sink *sink, bool has_tokens,
                                            const struct net_request *request);
/* When the first metric of those that are too many in this hour may come again. */
unsigned write_sender_wait_s(struct sender_account *account);

#endif
