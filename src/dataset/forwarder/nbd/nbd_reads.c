/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_reads - requests to read: windows of chunks, collected and sent. */
#include "base/clock.h"
#include "base/figure.h"
#include "dataset/forwarder/nbd/nbd_client.h"

#include <inttypes.h>

/* A reply in one part, which has all its chunks at once. */
#define UNFRAGMENTED_MAX (UINT32_C(64) << 10)
/* Chunks that requests to cache may look up in a turn of the loop. */
#define TURN_CHUNKS 256U

_Static_assert(UNFRAGMENTED_MAX <= (NBD_PIECES_MAX - 2) * CHUNK_SIZE_MIN,
               "one window has it");

void nbd_reads_init(struct nbd_client *client)
{
    for (size_t i = NBD_READS_MAX; i-- > 0;) {
        client->reads[i].client = client;
        client->reads[i].next_free = client->free_reads;
        client->free_reads = &client->reads[i];
    }
}

bool nbd_reads_have_capacity(const struct nbd_client *client)
{
    return client->free_reads && !channel_is_full(&client->client.channel);
}

void nbd_reply(struct nbd_client *client, uint64_t cookie, int error)
{
    uint8_t head[NBD_ERROR_HEAD_SIZE];
    size_t size = NBD_SIMPLE_HEAD_SIZE;
    if (!client->is_structured) {
        nbd_simple_head(head, cookie, (uint32_t)error);
    } else if (error) {
        nbd_error_head(head, cookie, (uint32_t)error);
        size = NBD_ERROR_HEAD_SIZE;
    } else {
        nbd_structured_head(head, cookie, NBD_REPLY_FLAG_DONE, NBD_REPLY_NONE, 0);
        size = NBD_STRUCTURED_HEAD_SIZE;
    }
    channel_send(&client->client.channel, head, size, NULL, 0, 0);
}

/* ---- the end of a read ---- */

static void window_clear(struct nbd_read *read)
{
    for (uint32_t i = 0; i < read->piece_count; i++) {
        flights_leave(&read->pieces[i].waiter);
        payload_unref(TAKE(read->pieces[i].payload));
    }
    channel_unreserve(&read->client->client.channel, read->window_reserved);
    read->piece_count = read->missing = read->window_reserved = 0;
}

static void read_end(struct nbd_read *read)
{
    struct nbd_client *client = read->client;
    if (!read->is_active)
        return;
    window_clear(read);
    read->is_active = false;
    read->next_free = client->free_reads;
    client->free_reads = read;
}

static void failure_report(const struct nbd_read *read)
{
    const struct nbd_server *server = read->client->server;
    const char *reason = "the repository has it damaged, or not at all";
    if (server->upstreams)
        reason = upstreams_reason(server->upstreams);
    forwarder_report(
        server->report, LOG_LEVEL_ERROR, FORWARDER_FAILED_READ,
        "dataset %s: a read of %u bytes at byte %" PRIu64
        " ended with an I/O error%s: %s",
        read->client->dataset->text, read->request.size, read->request.offset,
        read->rc == -ETIMEDOUT ? " after the patience" : "",
        read->rc == -EPROTO ? "a chunk is not as long as the index states" : reason);
}

/* A simple reply whose head was sent cannot turn into an error. */
static void read_fail(struct nbd_read *read)
{
    struct nbd_client *client = read->client;
    uint64_t cookie = read->request.cookie;
    bool is_begun = read->done > 0 && !client->is_structured &&
                    read->request.command == NBD_CMD_READ;
    client->server->errors++;
    failure_report(read);
    int error = read->rc == -ENOMEM ? NBD_ENOMEM : NBD_EIO;
    read_end(read);
    if (is_begun)
        channel_end_later(&client->client.channel, "a reply was cut short");
    else
        nbd_reply(client, cookie, error);
}

/* ---- turns ---- */

static void client_wait_turn(struct nbd_client *client)
{
    struct nbd_server *server = client->server;
    if (client->has_turn)
        return;
    client->has_turn = true;
    client->next_turn = NULL;
    *(server->first_turn ? &server->last_turn->next_turn : &server->first_turn) =
        client;
    server->last_turn = client;
    channel_loop_turn(server->channels);
}

void nbd_reads_leave_turn(struct nbd_client *client)
{
    struct nbd_client **at = &client->server->first_turn, *before = NULL;
    if (!client->has_turn)
        return;
    while (*at != client) {
        before = *at;
        at = &before->next_turn;
    }
    *at = client->next_turn;
    if (client->server->last_turn == client)
        client->server->last_turn = before;
    client->has_turn = false;
}

/* ---- a window ---- */

static bool is_cached(const struct nbd_read *read)
{
    return read->request.command == NBD_CMD_CACHE;
}

static void piece_set(struct nbd_piece *piece, int rc, struct payload *payload)
{
    struct nbd_read *read = piece->read;
    read->missing--;
    if (rc == 0 && payload->size != piece->chunk_size)
        rc = -EPROTO;
    if (rc < 0)
        read->rc = read->rc ? read->rc : rc;
    else
        piece->payload = is_cached(read) ? NULL : payload_ref(payload);
}

static void read_continue(struct nbd_read *read);

static void on_window_piece(struct flight_waiter *waiter, int rc,
                            struct payload *payload)
{
    struct nbd_piece *piece = (struct nbd_piece *)waiter;
    struct nbd_client *client = piece->read->client;
    if (!piece->read->is_active)
        return;
    piece_set(piece, rc, payload);
    if (piece->read->is_filling || (piece->read->missing && !piece->read->rc))
        return;
    read_continue(piece->read);
    nbd_reads_resume(client);
}

static void piece_begin(struct nbd_read *read, const struct index_chunk *chunk,
                        uint64_t offset, uint32_t rest)
{
    struct nbd_server *server = read->client->server;
    struct nbd_piece *piece = &read->pieces[read->piece_count++];
    piece->read = read;
    piece->payload = NULL;
    piece->chunk_size = chunk->size;
    piece->skip = (uint32_t)(offset - chunk->offset);
    piece->size = chunk->size - piece->skip < rest ? chunk->size - piece->skip : rest;
    piece->waiter.form = FORM_PLAIN;
    piece->waiter.has_dataset = true;
    piece->waiter.dataset = read->client->dataset->name;
    piece->waiter.done = on_window_piece;
    read->window_bytes += piece->size;
    if (is_cached(read)) {
        server->turn_chunks++;
        if (flights_have(server->flights, &chunk->digest))
            return;
    }
    read->missing++;
    read->window_reserved += chunk->size;
    channel_reserve(&read->client->client.channel, chunk->size);
    struct payload *payload =
        flights_get(server->flights, &chunk->digest, &piece->waiter);
    if (payload)
        piece_set(piece, 0, payload);
}

/* One part has all, once it has its first chunk. */
static bool may_have_piece(const struct nbd_read *read, const struct index_chunk *chunk)
{
    const struct nbd_client *client = read->client;
    if (is_cached(read) && client->server->turn_chunks >= TURN_CHUNKS)
        return false;
    return channel_has_capacity(&client->client.channel, chunk->size) ||
           (read->piece_count && client->is_structured &&
            (read->request.flags & NBD_CMD_FLAG_DF));
}

/* The chunks of a window, which is what is wanted next of a read. */
static void window_read_ahead(struct nbd_read *read, size_t first)
{
    struct nbd_client *client = read->client;
    const struct dataset_index *index = &client->dataset->index;
    uint64_t end = read->request.offset + read->request.size;
    size_t count = 0;
    if (is_cached(read) || !client->server->prefetch ||
        !may_have_piece(read, &index->chunks[first]))
        return;
    if (!client->ahead && prefetch_open(client->server->prefetch, client->dataset,
                                        false, &client->ahead) < 0)
        return;
    while (count < NBD_PIECES_MAX && first + count < index->count &&
           index->chunks[first + count].offset < end)
        count++;
    prefetch_read(client->ahead, first, count);
}

static void window_fill(struct nbd_read *read)
{
    const struct dataset_index *index = &read->client->dataset->index;
    uint64_t offset = read->request.offset + read->done;
    uint32_t rest = read->request.size - read->done;
    size_t chunk = dataset_index_find(index, offset);
    read->is_filling = true;
    read->window_bytes = 0;
    window_read_ahead(read, chunk);
    while (rest && read->piece_count < NBD_PIECES_MAX && !read->rc &&
           may_have_piece(read, &index->chunks[chunk])) {
        uint32_t before = read->window_bytes;
        piece_begin(read, &index->chunks[chunk++], offset, rest);
        offset += read->window_bytes - before;
        rest -= read->window_bytes - before;
    }
    read->is_filling = false;
}

static void window_send(struct nbd_read *read)
{
    struct nbd_client *client = read->client;
    uint8_t head[NBD_DATA_HEAD_SIZE];
    size_t size = 0;
    bool is_last = read->done + read->window_bytes == read->request.size;
    if (client->is_structured) {
        nbd_data_head(head, read->request.cookie, is_last ? NBD_REPLY_FLAG_DONE : 0,
                      read->request.offset + read->done, read->window_bytes);
        size = NBD_DATA_HEAD_SIZE;
    } else if (read->done == 0) {
        nbd_simple_head(head, read->request.cookie, 0);
        size = NBD_SIMPLE_HEAD_SIZE;
    }
    for (uint32_t i = 0; i < read->piece_count; i++) {
        const struct nbd_piece *piece = &read->pieces[i];
        channel_send(&client->client.channel, head, size, piece->payload, piece->skip,
                     piece->size);
        size = 0;
    }
    client->server->bytes += read->window_bytes;
}

/* ---- a read ---- */

/* There was capacity for no chunk: those that others have go first, and wake it. */
static void read_hold(struct nbd_read *read)
{
    read->is_held = true;
    if (is_cached(read) && read->client->server->turn_chunks >= TURN_CHUNKS)
        client_wait_turn(read->client);
}

static void window_finish(struct nbd_read *read)
{
    struct nbd_client *client = read->client;
    if (!is_cached(read))
        window_send(read);
    read->done += read->window_bytes;
    window_clear(read);
    if (read->done < read->request.size)
        return;
    if (is_cached(read))
        nbd_reply(client, read->request.cookie, 0);
    read_end(read);
}

/* As far as it goes without waiting. */
static void read_continue(struct nbd_read *read)
{
    struct nbd_client *client = read->client;
    while (!client->client.channel.is_closed) {
        if (read->piece_count == 0 && !read->rc)
            window_fill(read);
        if (read->rc) {
            read_fail(read);
            return;
        }
        if (read->missing)
            return;
        if (read->piece_count == 0) {
            read_hold(read);
            return;
        }
        window_finish(read);
        if (!read->is_active)
            return;
        read->is_held = channel_is_full(&client->client.channel);
        if (read->is_held)
            return;
    }
}

/* One chunk of a reply was wanted: what one window may not hold is too much for it. */
static bool is_unfragmentable(const struct nbd_client *client,
                              const struct nbd_request *request)
{
    return client->is_structured && (request->flags & NBD_CMD_FLAG_DF) &&
           request->size > UNFRAGMENTED_MAX;
}

void nbd_read_begin(struct nbd_client *client, const struct nbd_request *request)
{
    struct nbd_read *read = client->free_reads;
    if (is_unfragmentable(client, request)) {
        nbd_reply(client, request->cookie, NBD_EOVERFLOW);
        return;
    }
    client->free_reads = read->next_free;
    client->server->reads++;
    read->request = *request;
    read->done = read->piece_count = read->missing = 0;
    read->window_bytes = read->window_reserved = 0;
    read->is_active = true;
    read->is_held = false;
    read->rc = 0;
    read_continue(read);
}

/* In a circle: none is left out where there is always something before it. */
void nbd_reads_resume(struct nbd_client *client)
{
    struct channel *channel = &client->client.channel;
    uint32_t before = client->resumed;
    for (uint32_t i = 1;
         i <= NBD_READS_MAX && !channel->is_closed && !channel_is_full(channel); i++) {
        struct nbd_read *read = &client->reads[(before + i) % NBD_READS_MAX];
        if (!read->is_active || !read->is_held)
            continue;
        client->resumed = (before + i) % NBD_READS_MAX;
        read->is_held = false;
        read_continue(read);
    }
    if (!channel->is_closed && !client->is_busy && nbd_reads_have_capacity(client))
        channel_resume(channel);
}

void nbd_reads_leave(struct nbd_client *client)
{
    nbd_reads_leave_turn(client);
    prefetch_close(TAKE(client->ahead));
    for (size_t i = 0; i < NBD_READS_MAX; i++)
        if (client->reads[i].is_active)
            read_end(&client->reads[i]);
}
