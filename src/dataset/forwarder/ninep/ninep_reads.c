/* SPDX-License-Identifier: Apache-2.0 */
/* ninep_reads - files are read: the chunks of a response collected, and sent. */
#include "base/figure.h"
#include "dataset/forwarder/ninep/ninep_client.h"

#include <inttypes.h>

static void ninep_read_report(const struct ninep_request *request)
{
    const struct ninep_server *server = request->client->server;
    const char *reason = server->upstreams
                             ? upstreams_reason(server->upstreams)
                             : "the repository has it damaged, or not at all";
    forwarder_report(
        server->report, LOG_LEVEL_ERROR, FORWARDER_FAILED_READ,
        "dataset %s: a read of %u bytes at byte %" PRIu64
        " by 9P ended with an I/O error%s: %s",
        request->dataset->text, request->count, request->offset,
        request->rc == -ETIMEDOUT ? " after the patience" : "",
        request->rc == -EPROTO ? "a chunk is not as long as the index states" : reason);
}

static void read_send(struct ninep_request *request)
{
    struct ninep_client *client = request->client;
    struct ninep_response head;
    ninep_response_begin(&head, NINEP_TREAD + 1, request->tag);
    ninep_put_u32(&head, request->bytes);
    ninep_response_end(&head, request->bytes);
    size_t size = head.size;
    for (uint32_t i = 0; i < request->piece_count; i++) {
        const struct ninep_piece *piece = &request->pieces[i];
        channel_send(&client->client.channel, head.data, size, piece->payload,
                     piece->skip, piece->size);
        size = 0;
    }
    if (size)
        channel_send(&client->client.channel, head.data, size, NULL, 0, 0);
    client->server->bytes += request->bytes;
    ninep_request_end(request);
}

static void read_end(struct ninep_request *request)
{
    if (request->rc == 0) {
        read_send(request);
        return;
    }
    request->client->server->errors++;
    ninep_read_report(request);
    ninep_request_fail(request, request->rc == -ENOMEM ? -ENOMEM : -EIO);
}

static void piece_set(struct ninep_piece *piece, int rc, struct payload *payload)
{
    struct ninep_request *request = piece->request;
    request->missing--;
    if (rc == 0 && payload->size != piece->chunk_size)
        rc = -EPROTO;
    if (rc < 0)
        request->rc = request->rc ? request->rc : rc;
    else
        piece->payload = payload_ref(payload);
}

static void on_read_piece(struct flight_waiter *waiter, int rc, struct payload *payload)
{
    struct ninep_piece *piece = (struct ninep_piece *)waiter;
    struct ninep_request *request = piece->request;
    struct ninep_client *client = request->client;
    piece_set(piece, rc, payload);
    if (request->is_filling || (request->missing && !request->rc))
        return;
    read_end(request);
    ninep_reads_start(client);
}

static void piece_begin(struct ninep_request *request, const struct index_chunk *chunk,
                        uint64_t offset, uint32_t rest)
{
    struct ninep_client *client = request->client;
    struct ninep_piece *piece = &request->pieces[request->piece_count++];
    piece->request = request;
    piece->chunk_size = chunk->size;
    piece->skip = (uint32_t)(offset - chunk->offset);
    piece->size = chunk->size - piece->skip < rest ? chunk->size - piece->skip : rest;
    piece->waiter.form = FORM_PLAIN;
    piece->waiter.has_dataset = true;
    piece->waiter.dataset = request->dataset->name;
    piece->waiter.done = on_read_piece;
    request->bytes += piece->size;
    request->missing++;
    request->reserved += chunk->size;
    channel_reserve(&client->client.channel, chunk->size);
    struct payload *payload =
        flights_get(client->server->flights, &chunk->digest, &piece->waiter);
    if (payload)
        piece_set(piece, 0, payload);
}

/* What one response has: where there is capacity for less, it is shorter. */
static void read_fill(struct ninep_request *request)
{
    struct channel *channel = &request->client->client.channel;
    const struct dataset_index *index = &request->dataset->index;
    uint64_t left = index->image_bytes - request->offset;
    uint32_t rest = request->count < left ? request->count : (uint32_t)left;
    uint64_t offset = request->offset;
    size_t number = dataset_index_find(index, offset);
    request->is_filling = true;
    while (rest && request->piece_count < NINEP_PIECES_MAX && !request->rc &&
           channel_has_capacity(channel, index->chunks[number].size)) {
        uint32_t before = request->bytes;
        piece_begin(request, &index->chunks[number++], offset, rest);
        offset += request->bytes - before;
        rest -= request->bytes - before;
    }
    request->is_filling = false;
}

/* In the order in which they came. */
void ninep_reads_start(struct ninep_client *client)
{
    if (client->is_starting)
        return;
    client->is_starting = true;
    while (client->first_held && !client->client.channel.is_closed &&
           !channel_is_full(&client->client.channel)) {
        struct ninep_request *request = client->first_held;
        read_fill(request);
        if (request->piece_count == 0 && !request->rc)
            break; /* there is no capacity */
        ninep_read_release(request);
        if (request->missing == 0 || request->rc)
            read_end(request);
    }
    client->is_starting = false;
}

static void empty_send(struct ninep_client *client, uint16_t tag)
{
    struct ninep_response response;
    ninep_response_begin(&response, NINEP_TREAD + 1, tag);
    ninep_put_u32(&response, 0);
    ninep_send(client, &response);
}

void ninep_read(struct ninep_client *client, const struct ninep_message *message)
{
    uint32_t most = client->msize - NINEP_IO_SIZE;
    struct ninep_fid *fid = ninep_fid_find(client, message->fid);
    if (!fid || fid->kind == NINEP_FID_AUTH || !fid->is_open) {
        ninep_fail(client, message->tag, -EBADF);
        return;
    }
    if (!fid->dataset) {
        ninep_fail(client, message->tag, -EISDIR);
        return;
    }
    client->server->reads++;
    if (message->count == 0 || message->offset >= fid->dataset->index.image_bytes) {
        empty_send(client, message->tag);
        return;
    }
    struct ninep_request *request = ninep_request_new(client, message);
    if (!request) {
        ninep_fail(client, message->tag, -ENOMEM);
        return;
    }
    request->count = message->count < most ? message->count : most;
    request->dataset = fid->dataset;
    request->dataset->refs++;
    ninep_read_hold(request);
    ninep_reads_start(client);
}
