/* SPDX-License-Identifier: Apache-2.0 */
/* clients - who is connected to the doors: how many, since when, and who is closed.
 *
 * A client that has not finished its handshake has one of a few slots for a while at
 * least; then the oldest is closed for a new one, and until then new ones wait in the
 * backlog of their socket.  One that does not read what it is sent is closed after a
 * while, too.  A user, or an address, has a quarter of all connections at most, and
 * those whose handshake is under way.
 * Threads  the loop's.
 */
#ifndef DATASET_FORWARDER_CLIENTS_H
#define DATASET_FORWARDER_CLIENTS_H

#include "dataset/forwarder/channel.h"
#include "dataset/forwarder/readers.h"
#include "dataset/forwarder/report.h"

struct clients;

/* Whose a connection is: of a unix socket the user's, of TCP the address's, of IPv6
 * its network's. */
struct client_peer {
    bool is_user;
    uint64_t number;
};

/* The first member of each kind of client. */
struct client {
    struct channel channel;
    struct clients *all;
    struct client *previous, *next;
    struct client_peer peer;
    struct reader reader; /* for whom it reads */
    bool is_welcome;      /* its handshake is over */
    bool is_waiting;      /* for us: its handshake's time does not go on */
    int64_t since_ns, waiting_ns;
    uint64_t sent_before; /* of the channel, at the last check */
    int64_t sent_ns;      /* when it last read something, or had nothing to read */
};

struct clients {
    struct client *oldest, *newest;
    size_t count, unwelcome;
    size_t max;
    int64_t handshake_ns, unread_ns;
    uint64_t accepted, refused, closed_slow, denied;
    const struct forwarder_report *report;
    const struct readers *readers; /* NULL: all are trusted */
};

/* False: no connection is to be accepted now. */
bool clients_have_slot(struct clients *all, int64_t now_ns);
/* False: there are too many, or a quarter of those that may be are of the same user or
 * address already; the descriptor is to be closed. */
bool clients_admit(struct clients *all, int fd);
/* Of one whose channel is open. */
void clients_add(struct clients *all, struct client *client);
void clients_remove(struct client *client);
void client_set_welcome(struct client *client);
void client_set_waiting(struct client *client, bool is_waiting);
/* Closes who is slow. */
void clients_check(struct clients *all, int64_t now_ns);
void clients_close(struct clients *all);
/* reader, for whom it would have read, may not have a dataset: counted, and logged. */
void client_denied(struct client *client, const struct reader *reader,
                   const char *dataset);

#endif
