/* SPDX-License-Identifier: Apache-2.0 */
/* clients - who is connected to the doors: how many, since when, and who is closed.
 *
 * A client that has not finished its handshake has one of a few slots, of which the
 * oldest is closed for a new one; one that does not read what it is sent is closed
 * after a while.
 * Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_CLIENTS_H
#define DATASET_FORWARDER_CLIENTS_H

#include "dataset/forwarder/channel.h"
#include "dataset/forwarder/report.h"

struct clients;

/* The first member of each kind of client. */
struct client {
    struct channel channel;
    struct clients *all;
    struct client *previous, *next;
    bool is_welcome; /* its handshake is over */
    bool is_waiting; /* for us: it is not closed for its handshake's time */
    int64_t since_ns;
    uint64_t sent_before; /* of the channel, at the last check */
    int64_t sent_ns;      /* when it last read something, or had nothing to read */
};

struct clients {
    struct client *oldest, *newest;
    size_t count, unwelcome;
    size_t max;
    int64_t handshake_ns, unread_ns;
    uint64_t accepted, refused, closed_slow;
    const struct forwarder_report *report;
};

/* False: there are too many; the descriptor is to be closed. */
bool clients_admit(struct clients *all);
/* Of one whose channel is open. */
void clients_add(struct clients *all, struct client *client);
void clients_remove(struct client *client);
void client_set_welcome(struct client *client);
/* Closes who is slow. */
void clients_check(struct clients *all, int64_t now_ns);
/* One may be slow: it has to be checked. */
bool clients_are_pending(const struct clients *all);
void clients_close(struct clients *all);

#endif
