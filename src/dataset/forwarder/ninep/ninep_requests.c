/* SPDX-License-Identifier: Apache-2.0 */
/* ninep_requests - what a client of the 9P door waits for. */
#include "dataset/forwarder/ninep/ninep_client.h"

static struct ninep_request **tag_bucket(struct ninep_client *client, uint16_t tag)
{
    return &client->tags[tag % NINEP_TAG_BUCKETS];
}

static void tag_leave(struct ninep_request *request)
{
    struct ninep_request **at = tag_bucket(request->client, request->tag);
    while (*at != request)
        at = &(*at)->next_of_tag;
    *at = request->next_of_tag;
}

struct ninep_request *ninep_request_new(struct ninep_client *client,
                                        const struct ninep_message *message)
{
    struct ninep_request *request = calloc(1, sizeof *request);
    if (!request)
        return NULL;
    request->client = client;
    request->type = message->type;
    request->tag = message->tag;
    request->fid = message->fid;
    request->newfid = NINEP_NO_FID;
    request->offset = message->offset;
    request->count = message->count;
    request->next = client->requests;
    if (client->requests)
        client->requests->previous = request;
    client->requests = request;
    struct ninep_request **bucket = tag_bucket(client, request->tag);
    request->next_of_tag = *bucket;
    *bucket = request;
    client->request_count++;
    return request;
}

struct ninep_request *ninep_request_find(struct ninep_client *client, uint16_t tag)
{
    struct ninep_request *request = *tag_bucket(client, tag);
    while (request && request->tag != tag)
        request = request->next_of_tag;
    return request;
}

void ninep_read_hold(struct ninep_request *request)
{
    struct ninep_client *client = request->client;
    request->is_held = true;
    request->next_held = NULL;
    request->previous_held = client->last_held;
    *(client->last_held ? &client->last_held->next_held : &client->first_held) =
        request;
    client->last_held = request;
}

void ninep_read_release(struct ninep_request *request)
{
    struct ninep_client *client = request->client;
    struct ninep_request *before = request->previous_held, *behind = request->next_held;
    *(before ? &before->next_held : &client->first_held) = behind;
    *(behind ? &behind->previous_held : &client->last_held) = before;
    request->is_held = false;
}

/* Its chunks come no more, and what they would have held is free. */
static void read_leave(struct ninep_request *request)
{
    struct ninep_client *client = request->client;
    for (uint32_t i = 0; i < request->piece_count; i++) {
        flights_leave(&request->pieces[i].waiter);
        payload_unref(TAKE(request->pieces[i].payload));
    }
    channel_unreserve(&client->client.channel, request->reserved);
    request->reserved = request->piece_count = request->missing = 0;
    if (!request->is_held)
        return;
    ninep_read_release(request);
}

static void names_leave(struct ninep_request *request)
{
    struct ninep_names *names = TAKE(request->names);
    if (!names)
        return;
    names->request = NULL;
    if (datasets_names_leave(&names->names))
        free(names);
}

/* It was flushed, while munged has it: else that would be work without an end. */
static void credential_leave(struct ninep_client *client)
{
    client_set_waiting(&client->client, false);
    ninep_credential_refused(client);
}

void ninep_request_end(struct ninep_request *request)
{
    struct ninep_client *client = request->client;
    read_leave(request);
    datasets_leave(&request->lookup);
    lease_leave(&request->permit);
    identity_leave(&request->identity);
    names_leave(request);
    tag_leave(request);
    ninep_fid_drop_pending(client, request->newfid, request->newfid_serial);
    dataset_unref(client->server->datasets, request->dataset);
    ninep_user_unref(request->user);
    *(request->previous ? &request->previous->next : &client->requests) = request->next;
    if (request->next)
        request->next->previous = request->previous;
    client->request_count--;
    client->lookup_count -= request->is_lookup;
    if (request->sets_waiting)
        credential_leave(client);
    free(request);
    ninep_client_resume(client);
}

void ninep_request_fail(struct ninep_request *request, int rc)
{
    ninep_fail(request->client, request->tag, rc);
    ninep_request_end(request);
}

void ninep_requests_leave(struct ninep_client *client)
{
    while (client->requests)
        ninep_request_end(client->requests);
}
