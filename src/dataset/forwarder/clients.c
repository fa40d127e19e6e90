/* SPDX-License-Identifier: Apache-2.0 */
/* clients - who is connected to the doors: how many, since when, and who is closed. */
#include "dataset/forwarder/clients.h"

#include "base/clock.h"
#include "base/number.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define UNWELCOME_SHARE 4U
#define PEER_SHARE 4U

/* As if its peer had closed it. */
static void client_end(struct client *client, const char *reason)
{
    channel_close(&client->channel);
    client->channel.events->closed(client->channel.owner, reason);
}

/* Its handshake is not over, and it is its turn. */
static bool needs_slot(const struct client *client)
{
    return !client->is_welcome && !client->is_waiting;
}

/* Each has so long for its handshake, however many others come. */
static int64_t slot_ns(const struct clients *all)
{
    return all->handshake_ns < 4 * NS_PER_S ? all->handshake_ns / 4 : NS_PER_S;
}

bool clients_have_slot(struct clients *all, int64_t now_ns)
{
    struct client *client = all->oldest;
    if (all->unwelcome < all->max / UNWELCOME_SHARE + 1)
        return true;
    while (client && !needs_slot(client))
        client = client->next;
    if (!client || now_ns - client->since_ns < slot_ns(all))
        return false;
    all->closed_slow++;
    client_end(client, "its handshake had begun before that of others");
    return true;
}

/* The network, or the IPv4 address that is written as one of IPv6. */
static uint64_t network_of(const struct in6_addr *address)
{
    uint64_t network = 0;
    if (IN6_IS_ADDR_V4MAPPED(address))
        memcpy(&network, &address->s6_addr[12], sizeof(uint32_t));
    else
        memcpy(&network, address, sizeof network);
    return network;
}

static struct client_peer peer_of(int fd)
{
    struct sockaddr_storage any = { 0 };
    struct client_peer peer = { 0 };
    struct ucred user = { 0 };
    socklen_t size = sizeof any, user_size = sizeof user;
    (void)getpeername(fd, (struct sockaddr *)&any, &size);
    if (any.ss_family == AF_INET6)
        peer.number = network_of(&((struct sockaddr_in6 *)(void *)&any)->sin6_addr);
    else if (any.ss_family == AF_INET)
        peer.number = ((struct sockaddr_in *)(void *)&any)->sin_addr.s_addr;
    else
        peer.is_user = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &user_size) == 0;
    if (peer.is_user)
        peer.number = user.uid;
    return peer;
}

static bool has_many(const struct clients *all, const struct client_peer *peer)
{
    size_t count = 0;
    for (const struct client *client = all->oldest; client; client = client->next)
        count += (client->is_welcome || client->is_waiting) &&
                 client->peer.is_user == peer->is_user &&
                 client->peer.number == peer->number;
    return count >= all->max / PEER_SHARE + 1;
}

bool clients_admit(struct clients *all, int fd)
{
    struct client_peer peer = peer_of(fd);
    bool is_one_peer = has_many(all, &peer);
    if (all->count < all->max && !is_one_peer) {
        all->accepted++;
        return true;
    }
    all->refused++;
    forwarder_report(
        all->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
        is_one_peer ? "a client was refused: a quarter of %zu (clients_max) are of "
                      "the same user or address"
                    : "a client was refused: %zu are connected (clients_max)",
        is_one_peer ? all->max : all->count);
    return false;
}

void clients_add(struct clients *all, struct client *client)
{
    client->all = all;
    client->peer = peer_of(client->channel.fd);
    client->reader = (struct reader){ .is_trusted = true };
    if (all->readers)
        reader_of(all->readers, client->channel.fd, &client->reader);
    client->since_ns = client->sent_ns = clock_steady_ns();
    client->previous = all->newest;
    client->next = NULL;
    *(all->newest ? &all->newest->next : &all->oldest) = client;
    all->newest = client;
    all->count++;
    all->unwelcome++;
}

void clients_remove(struct client *client)
{
    struct clients *all = client->all;
    *(client->previous ? &client->previous->next : &all->oldest) = client->next;
    *(client->next ? &client->next->previous : &all->newest) = client->previous;
    all->count--;
    all->unwelcome -= needs_slot(client);
}

void client_set_welcome(struct client *client)
{
    client->all->unwelcome -= needs_slot(client);
    client->is_welcome = true;
}

void client_set_waiting(struct client *client, bool is_waiting)
{
    client->all->unwelcome -= needs_slot(client);
    client->is_waiting = is_waiting;
    client->all->unwelcome += needs_slot(client);
    if (is_waiting)
        client->waiting_ns = clock_steady_ns();
    else
        client->since_ns += clock_steady_ns() - client->waiting_ns;
}

static bool is_slow(const struct clients *all, struct client *client, int64_t now_ns)
{
    if (needs_slot(client))
        return now_ns - client->since_ns >= all->handshake_ns;
    bool has_read = client->channel.sent_bytes != client->sent_before ||
                    channel_queued(&client->channel) == 0;
    client->sent_before = client->channel.sent_bytes;
    if (has_read)
        client->sent_ns = now_ns;
    return now_ns - client->sent_ns >= all->unread_ns;
}

void clients_check(struct clients *all, int64_t now_ns)
{
    struct client *next;
    for (struct client *client = all->oldest; client; client = next) {
        next = client->next;
        if (!is_slow(all, client, now_ns))
            continue;
        all->closed_slow++;
        client_end(client, client->is_welcome ? "it does not read what it requested"
                                              : "it does not finish its handshake");
    }
}

void clients_close(struct clients *all)
{
    while (all->oldest)
        client_end(all->oldest, "the server ends");
}

void client_denied(struct client *client, const struct reader *reader,
                   const char *dataset)
{
    struct clients *all = client->all;
    all->denied++;
    if (reader->uid == READER_UNKNOWN)
        forwarder_report(all->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                         "a client was denied dataset %s: it is not public, and who "
                         "the client is is not known",
                         dataset);
    else
        forwarder_report(
            all->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
            "user %u was denied dataset %s: see its access in baro dataset "
            "show",
            reader->uid, dataset);
}
